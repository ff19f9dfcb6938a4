#pragma once

#include <cstddef>
#include <string>

#include "report/run_summary.hpp"
#include "report/text_table.hpp"

namespace darboux {

struct SummaryTextOptions {
  TableStyle style{};
  std::size_t max_rows = 0;       ///< 0: all
  std::size_t longest_name = 40;  ///< columns of the terminal; longer names are shortened
  std::string to_see_fewer{};     ///< what to do about a long table; empty: nothing is said
};

/// The numbers of a row as text. Mean, sd and quantiles have as many decimals as it takes to show two digits of the mean's
/// Monte Carlo error, since digits beyond are noise; four digits where that error is not known.
struct RowText {
  std::string mean{}, mcse_mean{}, sd{}, q5{}, median{}, q95{}, ess_bulk{}, ess_tail{}, rhat{};
};
[[nodiscard]] RowText row_text(const Summary& values);

/// Another number of the same quantity, such as a quantile, with the decimals of its row.
[[nodiscard]] std::string row_number(const Summary& values, double x);

/// The whole summary for people: a line on the run, the table, that of odds ratios if they were asked for, a line on the
/// sampler, warnings with what to do next.
[[nodiscard]] std::string summary_text(const RunSummary& summary, const SummaryTextOptions& options = {});

}  // namespace darboux

#pragma once

#include <string>
#include <string_view>

#include "report/run_summary.hpp"

/// Summaries for programs. Numbers have as many digits as it takes to read back the same double.
namespace darboux {

/// The first line of summary_to_csv, where nothing else is asked for.
inline constexpr std::string_view summary_csv_titles = "name,mean,mcse_mean,sd,q5,q50,q95,ess_bulk,ess_tail,rhat";
/// What all such lines begin with, by which these files are known.
inline constexpr std::string_view summary_csv_start = "name,mean,mcse_mean,sd,";
inline constexpr std::string_view summary_schema = "darboux-summary/1";

/// One line per row. Names with commas are quoted. NaN, Inf and -Inf are spelt so, as R and pandas read them.
[[nodiscard]] std::string summary_to_csv(const RunSummary& summary);

/// Rows, facts per chain, and warnings. As JSON has no such numbers, NaN is null, and infinite ones are "inf" and "-inf".
[[nodiscard]] std::string summary_to_json(const RunSummary& summary);

}  // namespace darboux

#pragma once

#include <string>
#include <vector>

#include "darboux/sample/draw.hpp"
#include "draws/stan_csv_writer.hpp"

/// The text of Stan CSV files, apart from when it is written.
namespace darboux {

inline constexpr std::string_view standard_columns =
    "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
inline constexpr std::string_view statistics_columns =
    "energy_error__,solver_iterations__,gradients__,direction__,accepted__,status__";

/// Throws InputError unless the numbers and the keys of notes make sense.
void validate(const StanCsvHeader& header);

/// The comment lines at the top of the file of draws. What follows the first "num_samples = " and "num_warmup = " may be
/// overwritten later.
[[nodiscard]] std::string header_text(const StanCsvHeader& header, const std::string& file_name);
/// Those of the file of statistics.
[[nodiscard]] std::string statistics_header_text(const StanCsvHeader& header);

[[nodiscard]] std::string adaptation_text(const Adaptation& adaptation);
[[nodiscard]] std::string elapsed_text(const ElapsedSeconds& elapsed);

void append_number(std::string& line, double x);
void append_number(std::string& line, std::int64_t n);
/// What goes under the standard columns.
void append_standard(std::string& line, const Transition& made);
/// What goes under the statistics columns.
void append_statistics(std::string& line, const Transition& made);

}  // namespace darboux

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "run/efficiency.hpp"
#include "table.hpp"

namespace darboux::experiments {

/// A method against another, by one number, over several cases (data sets, numbers of steps).
struct Contest {
  std::string method;
  double ratio = 1.0;  ///< median over cases of the method's result over that of the other
  int better = 0;      ///< cases where the ratio's 95 % interval over runs lies above 1, by a margin if there is one
  int worse = 0;       ///< … below 1
  int cases = 0;

  [[nodiscard]] bool wins() const noexcept { return ratio > 1.0 && 2 * better > cases; }
  [[nodiscard]] std::string text() const;  ///< "Mag. Mom. Imp. 3.4 × (better on 11, worse on 0 of 12)"
};

/// Which numbers are compared: a column of a table whose rows are runs of methods on cases.
struct Measure {
  std::string_view of;  ///< the column of cases
  std::string_view column;
  double margin = 0.0;  ///< by which an interval must miss 1, for errors that it does not know
};
/// Runs of a method are timed one after another: intervals over runs know nothing of an error that they share.
inline constexpr double timing_error = 0.05;

/// Runs of the same number are pairs: they have the same start and the same random numbers.
[[nodiscard]] IntervalEstimate paired_ratio(const Table& runs, const Measure& measure, const std::string& of,
                                            std::string_view method, std::string_view reference);
[[nodiscard]] Contest contest(const Table& runs, const Measure& measure, std::string_view method,
                              std::string_view reference);
[[nodiscard]] std::vector<Contest> contests(const Table& runs, const Measure& measure,
                                            std::span<const std::string_view> methods, std::string_view reference);

[[nodiscard]] bool all_win(std::span<const Contest> contests);
/// The largest R̂ of any coordinate, of a table with a row for each.
[[nodiscard]] double largest_rhat(const Table& coordinates, const Entry& of, std::string_view method,
                                  std::string_view column = "rhat_1992");
/// All their texts, with "; " between.
[[nodiscard]] std::string text_of(std::span<const Contest> contests);
/// The ratios from the smallest to the largest: "2.24 to 3.39 ×".
[[nodiscard]] std::string range_of(std::span<const Contest> contests);
/// The same as a table with a row for each.
[[nodiscard]] ReportTable table_of(std::span<const Contest> contests, std::string caption,
                                   std::string_view reference = "canonical");

[[nodiscard]] TableCell count_cell(std::int64_t n);

/// Whether a ratio with two digits is 1: nobody says "1 times".
[[nodiscard]] bool is_about_one(double ratio);
/// "5.2 times", or "the same".
[[nodiscard]] std::string in_times(double ratio);

}  // namespace darboux::experiments

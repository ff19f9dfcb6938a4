#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "table.hpp"

/// The kinds of figures that several experiments show. Specifications name plain colours that can be told apart on light and
/// dark ground, so that they can be drawn anywhere as they are.
namespace darboux::experiments {

/// Boxes over runs, from least to most, side by side for the methods within each case, as in the paper's figures.
struct BoxFigure {
  std::string title, caption;
  std::string_view of;        ///< column of the cases
  std::string_view of_title;  ///< of the axis
  std::string_view column;    ///< of the numbers
  std::string_view unit;      ///< title of their axis
  bool logarithmic = false;
};
[[nodiscard]] Figure box_figure(const Table& runs, const BoxFigure& what);

/// A number with three digits, as people read it.
[[nodiscard]] std::string shown(double x);
[[nodiscard]] std::string with_three_decimals(double x);

/// A number for all rows of each case and method, as a table with a row for each case and a column for each method.
struct MethodTable {
  std::string_view of;      ///< column of the cases
  std::string_view column;  ///< of the numbers
  double (*reduce)(std::vector<double>) = median;
  std::string (*show)(double) = shown;
};
[[nodiscard]] ReportTable method_table(const Table& runs, const MethodTable& what);

/// The method with the largest median over all rows, or the smallest: "C. Mag. Exp. (0.43; Can. 0.99)".
enum class Extreme { smallest, largest };
[[nodiscard]] std::string extreme_text(const Table& runs, std::string_view column, Extreme extreme);

[[nodiscard]] TableCell cell_of(double x);

}  // namespace darboux::experiments

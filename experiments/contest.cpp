#include "contest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "paper_method.hpp"

namespace darboux::experiments {

std::string Contest::text() const {
  return fmt::format("{} {:.3g}\u00a0× (better on {}, worse on {} of {})", paper_method(method).label, ratio, better,
                     worse, cases);
}

IntervalEstimate paired_ratio(const Table& runs, const Measure& measure, const std::string& of, std::string_view method,
                              std::string_view reference) {
  std::vector<double> mine = numbers_where(runs, measure.column, {{measure.of, of}, {"method", method}});
  const std::vector<double> theirs = numbers_where(runs, measure.column, {{measure.of, of}, {"method", reference}});
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] /= theirs.at(i);
  return interval_of(mine);
}

Contest contest(const Table& runs, const Measure& measure, std::string_view method, std::string_view reference) {
  Contest found{.method = std::string(method)};
  std::vector<double> ratios;
  for (const std::string& of : levels(runs, measure.of)) {
    const IntervalEstimate ratio = paired_ratio(runs, measure, of, method, reference);
    ratios.push_back(ratio.center);
    found.better += ratio.low > 1.0 + measure.margin ? 1 : 0;
    found.worse += ratio.high * (1.0 + measure.margin) < 1.0 ? 1 : 0;
    ++found.cases;
  }
  found.ratio = median(ratios);
  return found;
}

std::vector<Contest> contests(const Table& runs, const Measure& measure, std::span<const std::string_view> methods,
                              std::string_view reference) {
  std::vector<Contest> found;
  for (const std::string_view method : methods) found.push_back(contest(runs, measure, method, reference));
  return found;
}

double largest_rhat(const Table& coordinates, const Entry& of, std::string_view method, std::string_view column) {
  const auto all = numbers_where(coordinates, column, {of, {"method", method}});
  return *std::max_element(all.begin(), all.end());
}

bool all_win(std::span<const Contest> contests) {
  return std::all_of(contests.begin(), contests.end(), [](const Contest& c) { return c.wins(); });
}

std::string text_of(std::span<const Contest> contests) {
  std::vector<std::string> parts;
  for (const Contest& c : contests) parts.push_back(c.text());
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string range_of(std::span<const Contest> contests) {
  const auto [least, most] = std::minmax_element(contests.begin(), contests.end(),
                                                 [](const Contest& a, const Contest& b) { return a.ratio < b.ratio; });
  const std::string low = fmt::format("{:.3g}", least->ratio), high = fmt::format("{:.3g}", most->ratio);
  return low == high ? fmt::format("{}\u00a0×", low) : fmt::format("{} to {}\u00a0×", low, high);
}

ReportTable table_of(std::span<const Contest> contests, std::string caption, std::string_view reference) {
  ReportTable table{
      .caption = std::move(caption),
      .columns = {
          {.title = "method", .is_number = false},
          {.title = fmt::format("times {}", reference), .help = "median over cases", .first = SortFirst::largest},
          {.title = "better", .help = "cases where a 95 % interval over runs lies above 1"},
          {.title = "worse", .help = "cases where it lies below 1"},
          {.title = "of", .help = "cases"}}};
  for (const Contest& c : contests)
    table.rows.push_back({std::string(paper_method(c.method).label), TableCell(c.ratio, fmt::format("{:.3g}", c.ratio)),
                          count_cell(c.better), count_cell(c.worse), count_cell(c.cases)});
  return table;
}

TableCell count_cell(std::int64_t n) { return {static_cast<double>(n), fmt::format("{}", n)}; }

bool is_about_one(double ratio) { return fmt::format("{:.2g}", ratio) == "1"; }

std::string in_times(double ratio) { return is_about_one(ratio) ? "the same" : fmt::format("{:.2g} times", ratio); }

}  // namespace darboux::experiments

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

constexpr std::size_t most_rows = 40;
constexpr int row_height = 17;

std::string title_of(std::size_t rows, std::size_t away, bool zero_in_sight) {
  if (!zero_in_sight) return fmt::format("Medians and 90 % intervals of {} quantities", rows);
  return fmt::format("{} of {} intervals (90 %) lie away from zero", away, rows);
}

/// Whether intervals are of sizes that can be seen on one axis.
class SharedScale {
 public:
  void add(const Summary& v, double unit) {
    low_ = std::min(low_, v.q5 / unit);
    high_ = std::max(high_, v.q95 / unit);
    narrowest_ = std::min(narrowest_, (v.q95 - v.q5) / unit);
    away_ += v.q5 > 0.0 || v.q95 < 0.0;
  }
  [[nodiscard]] bool fits() const { return high_ - low_ < 80.0 * narrowest_; }
  [[nodiscard]] bool shows_zero() const { return low_ < 0.0 && high_ > 0.0; }
  [[nodiscard]] std::size_t away_from_zero() const { return away_; }

 private:
  double low_ = INFINITY, high_ = -INFINITY, narrowest_ = INFINITY;
  std::size_t away_ = 0;
};

std::vector<const SummaryRow*> estimated(const RunSummary& summary) {
  std::vector<const SummaryRow*> rows;
  for (const SummaryRow& row : summary.rows)
    if (row.finite && !row.constant && row.name != "lp__") rows.push_back(&row);
  return rows;
}

/// In the order of the data, names as they are in it.
constexpr std::string_view name_axis =
    R"json("y": {"field": "quantity", "type": "nominal", "sort": null, "title": null,
        "axis": {"grid": true, "labelColor": "var(--ink)", "labelLimit": 150}})json";

}  // namespace

std::optional<Figure> estimates_figure(const RunSummary& summary) {
  const auto rows = estimated(summary);
  if (rows.empty() || rows.size() > most_rows) return std::nullopt;
  // As they are, or else each in its own standard deviations; zero stays where it is.
  SharedScale plain, scaled;
  for (const SummaryRow* row : rows) {
    plain.add(row->values, 1.0);
    scaled.add(row->values, row->values.sd);
  }
  if (!plain.fits() && !(scaled.fits() && scaled.shows_zero())) return std::nullopt;
  const SharedScale& scale = plain.fits() ? plain : scaled;
  std::vector<std::string> names;
  std::vector<double> low, median, high;
  for (const SummaryRow* row : rows) {
    const double unit = plain.fits() ? 1.0 : row->values.sd;
    names.push_back(printable(row->name));
    low.push_back(row->values.q5 / unit);
    median.push_back(row->values.median / unit);
    high.push_back(row->values.q95 / unit);
  }
  const std::string zero = R"json({"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [3, 3]},
      "encoding": {"x": {"datum": 0}}},)json";
  return Figure{
      .title = title_of(rows.size(), scale.away_from_zero(), scale.shows_zero()),
      .caption = fmt::format("Median, and the range from the 5 % to the 95 % quantile{}.",
                             plain.fits() ? "" : ", divided by the standard deviation of each"),
      .spec = filled(R"json({"layer": [@zero@
          {"mark": {"type": "rule", "strokeWidth": 2.5, "color": "var(--chain-1)", "opacity": 0.6, "tooltip": true},
           "encoding": {@y@, "x": {"field": "q5", "type": "quantitative", "title": @x@, "scale": {"zero": false}},
                        "x2": {"field": "q95"}}},
          {"mark": {"type": "point", "color": "var(--chain-1)", "size": 45, "opacity": 1, "tooltip": true},
           "encoding": {@y@, "x": {"field": "median", "type": "quantitative"}}}]})json",
                     {{"y", std::string(name_axis)},
                      {"x", json_text(plain.fits() ? "value (model units)" : "value (posterior standard deviations)")},
                      {"zero", scale.shows_zero() ? zero : ""}}),
      .height = std::max(120, row_height * static_cast<int>(rows.size()) + 10),
      .data = {{"quantity", names}, {"q5", low}, {"median", median}, {"q95", high}}};
}

Figure convergence_figure(const RunSummary& summary) {
  const double least = WarningThresholds::ess_per_chain_below * static_cast<double>(summary.chains_with_draws());
  std::vector<std::string> names;
  std::vector<double> ess, rhat;
  std::size_t inside = 0;
  for (const SummaryRow& row : summary.rows) {
    const double smaller = std::fmin(row.values.ess_bulk, row.values.ess_tail);
    if (!std::isfinite(row.values.rhat) || !std::isfinite(smaller)) continue;
    names.push_back(printable(row.name));
    ess.push_back(smaller);
    rhat.push_back(row.values.rhat);
    inside += row.values.rhat <= WarningThresholds::rhat_above && smaller >= least;
  }
  // Of very many quantities those that mix well look alike.
  constexpr std::size_t most_points = 2000;
  const std::size_t all = names.size();
  const double top = all == 0 ? 1.02 : std::max(1.012, *std::max_element(rhat.begin(), rhat.end()) + 0.001);
  if (all > most_points) {
    std::vector<std::size_t> order(all);
    for (std::size_t i = 0; i < all; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return ess[a] < ess[b]; });
    const auto pick = [&](auto& values) {
      auto copy = values;
      for (std::size_t i = 0; i < most_points; ++i) copy[i] = values[order[i]];
      copy.resize(most_points);
      values = std::move(copy);
    };
    pick(names), pick(rhat), pick(ess);
  }
  return {.title = inside == all ? fmt::format("All {} quantities are in the good corner", all)
                                 : fmt::format("{} of {} quantities leave the good corner", all - inside, all),
          .caption = "Below the upper line chains agree; right of the other one there are effective draws enough.",
          .spec = filled(R"json({"layer": [
            {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"y": {"datum": 1.01}}},
            {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [4, 3]}, "encoding": {"x": {"datum": @ess@}}},
            {"mark": {"type": "point", "size": 30, "opacity": 0.7, "color": "var(--chain-1)", "tooltip": true},
             "encoding": {"x": {"field": "ess", "type": "quantitative", "scale": {"type": "log"},
                                "title": "smaller effective size, bulk or tail (draws)", "axis": {"format": ",.0f"}},
                          "y": {"field": "rhat", "type": "quantitative", "scale": {"zero": false, "domain": [0.998, @top@]},
                                "title": "R̂ (ratio)"},
                          "tooltip": [{"field": "quantity", "type": "nominal"}, {"field": "ess", "format": ",.0f"},
                                      {"field": "rhat", "format": ".4f"}]}}]})json",
                         {{"ess", json_number(least)}, {"top", json_number(top)}}),
          .height = 300,
          .data = {{"quantity", names}, {"ess", ess}, {"rhat", rhat}}};
}

std::optional<Figure> compared_figure(const std::vector<ComparedRow>& rows, const std::string& first,
                                      const std::string& second) {
  constexpr std::size_t most_compared = 25;
  SharedScale scale;
  std::vector<std::string> names, runs;
  std::vector<double> low, median, high;
  std::size_t shown = 0;
  for (const ComparedRow& row : rows) {
    if (row.name == "lp__" || !std::isfinite(row.z)) continue;
    ++shown;
    for (const auto& [run, values] : {std::pair(first, row.first), std::pair(second, row.second)}) {
      scale.add(values, 1.0);
      names.push_back(printable(row.name));
      runs.push_back(run);
      low.push_back(values.q5);
      median.push_back(values.median);
      high.push_back(values.q95);
    }
  }
  if (shown == 0 || shown > most_compared || !scale.fits()) return std::nullopt;
  return Figure{.title = "Medians and 90 % intervals of both runs",
                .caption = "Median, and the range from the 5 % to the 95 % quantile.",
                .spec = filled(R"json({"encoding": {@y@, "yOffset": {"field": "run", "sort": null},
           "color": {"field": "run", "type": "nominal", "sort": null}}, "layer": [
          {"mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.6, "tooltip": true},
           "encoding": {"x": {"field": "q5", "type": "quantitative", "title": "value (model units)",
                              "scale": {"zero": false}},
                        "x2": {"field": "q95"}}},
          {"mark": {"type": "point", "size": 40, "opacity": 1, "tooltip": true},
           "encoding": {"x": {"field": "median", "type": "quantitative"}}}]})json",
                               {{"y", std::string(name_axis)}}),
                .height = 24 * static_cast<int>(shown) + 10,
                .data = {{"quantity", names}, {"run", runs}, {"q5", low}, {"median", median}, {"q95", high}}};
}

Figure difference_figure(const std::vector<ComparedRow>& rows, double limit) {
  std::vector<const ComparedRow*> order;
  for (const ComparedRow& row : rows)
    if (std::isfinite(row.z)) order.push_back(&row);
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return std::abs(a->z) != std::abs(b->z) ? std::abs(a->z) > std::abs(b->z) : a < b;  // as in the table
  });
  const std::size_t all = order.size();
  order.resize(std::min(all, most_rows));
  std::vector<std::string> names;
  std::vector<double> z;
  std::size_t beyond = 0;
  for (const ComparedRow* row : order) {
    names.push_back(printable(row->name));
    z.push_back(row->z);
    beyond += std::abs(row->z) > limit;
  }
  return {.title = beyond == 0 ? fmt::format("No mean of {} differs by more than chance", all)
                               : fmt::format("{} of {} means differ by more than chance", beyond, all),
          .caption =
              fmt::format("Difference of the means in its Monte Carlo standard errors{}. By chance, one of a hundred "
                          "such comparisons leaves the shaded range.",
                          all > order.size() ? fmt::format(", the largest {}", order.size()) : ""),
          .spec = filled(R"json({"layer": [
            {"data": {"values": [{}]}, "mark": {"type": "rect", "color": "var(--line)", "opacity": 0.5},
             "encoding": {"x": {"datum": -@limit@}, "x2": {"datum": @limit@}}},
            {"mark": {"type": "point", "size": 45, "opacity": 1, "tooltip": true},
             "encoding": {@y@, "x": {"field": "z", "type": "quantitative", "title": "difference of means (standard errors)"},
              "color": {"condition": {"test": "abs(datum.z) > @limit@", "value": "var(--bad)"}, "value": "var(--chain-1)"}}}]})json",
                         {{"limit", json_number(limit)}, {"y", std::string(name_axis)}}),
          .height = row_height * static_cast<int>(order.size()) + 10,
          .data = {{"quantity", names}, {"z", z}}};
}

}  // namespace darboux

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/spelling.hpp"
#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

constexpr int row_height = 17;

/// Whether intervals are of sizes that can be seen on one axis.
class SharedScale {
 public:
  void add(double q5, double q95) {
    low_ = std::min(low_, q5);
    high_ = std::max(high_, q95);
    narrowest_ = std::min(narrowest_, q95 - q5);
    away_ += q5 > 0.0 || q95 < 0.0;
  }
  [[nodiscard]] bool fits() const { return high_ - low_ < 80.0 * narrowest_; }
  [[nodiscard]] bool shows_zero() const { return low_ < 0.0 && high_ > 0.0; }
  [[nodiscard]] std::size_t away_from_zero() const { return away_; }

 private:
  double low_ = INFINITY, high_ = -INFINITY, narrowest_ = INFINITY;
  std::size_t away_ = 0;
};

std::vector<EffectRow> estimated(const RunSummary& summary) {
  std::vector<EffectRow> rows;
  for (const SummaryRow& row : summary.rows)
    if (row.finite && !row.constant && row.name != "lp__")
      rows.push_back({.name = row.name, .q5 = row.values.q5, .median = row.values.median, .q95 = row.values.q95});
  return rows;
}

/// In groups whose members can be seen on one axis, the widest intervals first; within a group in their order.
std::vector<std::vector<EffectRow>> by_size(const std::vector<EffectRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto width = [&](std::size_t i) {
    const double between = rows[i].q95 - rows[i].q5;
    return std::isnan(between) ? 0.0 : between;  // both infinite: sorting wants numbers that can be compared
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return width(a) != width(b) ? width(a) > width(b) : a < b; });
  std::vector<std::vector<std::size_t>> places;
  SharedScale scale;
  for (const std::size_t i : order) {
    SharedScale with = scale;
    with.add(rows[i].q5, rows[i].q95);
    if (places.empty() || !with.fits()) {
      places.emplace_back();
      with = {};
      with.add(rows[i].q5, rows[i].q95);
    }
    places.back().push_back(i);
    scale = with;
  }
  std::vector<std::vector<EffectRow>> groups;
  for (auto& group : places) {
    std::sort(group.begin(), group.end());
    groups.emplace_back();
    for (const std::size_t i : group) groups.back().push_back(rows[i]);
  }
  return groups;
}

/// In the order of the data, names as they are in it.
constexpr std::string_view name_axis =
    R"json("y": {"field": "quantity", "type": "nominal", "sort": null, "title": null,
        "axis": {"grid": true, "labelColor": "var(--ink)", "labelLimit": 150}})json";

}  // namespace

std::optional<Figure> interval_figure(const std::vector<EffectRow>& rows, std::string_view axis) {
  if (rows.empty() || rows.size() > most_intervals) return std::nullopt;
  SharedScale scale;
  std::vector<std::string> names;
  std::vector<double> low, median, high;
  for (const EffectRow& row : rows) {
    scale.add(row.q5, row.q95);
    names.push_back(printable(row.name));
    low.push_back(row.q5);
    median.push_back(row.median);
    high.push_back(row.q95);
  }
  const std::string zero = R"json({"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [3, 3]},
      "encoding": {"x": {"datum": 0}}},)json";
  const std::string what = counted(std::ssize(rows), "quantity", "quantities");
  return Figure{
      .title = scale.shows_zero()
                   ? fmt::format("{} of {} intervals (90 %) lie away from zero", scale.away_from_zero(), rows.size())
                   : fmt::format("Median and 90 % interval of {}", what),
      .caption = "Median, and the range from the 5 % to the 95 % quantile.",
      .spec = filled(R"json({"layer": [@zero@
          {"mark": {"type": "rule", "strokeWidth": 2.5, "color": "var(--chain-1)", "opacity": 0.6, "tooltip": true},
           "encoding": {@y@, "x": {"field": "q5", "type": "quantitative", "title": @x@, "scale": {"zero": false}},
                        "x2": {"field": "q95"}}},
          {"mark": {"type": "point", "color": "var(--chain-1)", "size": 45, "opacity": 1, "tooltip": true},
           "encoding": {@y@, "x": {"field": "median", "type": "quantitative"}}}]})json",
                     {{"y", std::string(name_axis)}, {"x", json_text(axis)}, {"zero", scale.shows_zero() ? zero : ""}}),
      .height = row_height * static_cast<int>(rows.size()) + 50,
      .data = {{"quantity", names}, {"q5", low}, {"median", median}, {"q95", high}}};
}

std::vector<Figure> estimate_figures(const RunSummary& summary) {
  constexpr std::size_t most_sizes = 4;
  const std::vector<EffectRow> rows = estimated(summary);
  if (rows.empty() || rows.size() > most_intervals) return {};
  const auto groups = by_size(rows);
  if (groups.size() > most_sizes) return {};
  std::vector<Figure> figures;
  for (const auto& group : groups)
    if (auto figure = interval_figure(group, "value (model units)")) figures.push_back(*std::move(figure));
  return figures;
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
      scale.add(values.q5, values.q95);
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
  order.resize(std::min(all, most_intervals));
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

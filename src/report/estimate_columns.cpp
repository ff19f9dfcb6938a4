#include "report/estimate_columns.hpp"

#include <fmt/format.h>

#include <cmath>

namespace darboux {

namespace {

/// 0.025 as "2.5": with so many digits that rounding in the last place of a double does not show.
std::string in_percent(double probability) { return fmt::format("{:.10g}", 100.0 * probability); }

std::vector<EstimateColumn> quantile_columns(const SummaryExtras& extras) {
  if (extras.quantiles.empty())
    return {{.title = "5%", .key = "q5", .value = [](const Summary& v) { return v.q5; }},
            {.title = "50%", .key = "q50", .value = [](const Summary& v) { return v.median; }},
            {.title = "95%", .key = "q95", .value = [](const Summary& v) { return v.q95; }}};
  std::vector<EstimateColumn> columns;
  for (std::size_t i = 0; i < extras.quantiles.size(); ++i) {
    const std::string percent = in_percent(extras.quantiles[i]);
    columns.push_back({.title = percent + "%",
                       .key = "q" + percent,
                       .value = [i](const Summary& v) { return v.quantiles.at(i); },
                       .asked = true});
  }
  return columns;
}

}  // namespace

std::vector<EstimateColumn> estimate_columns(const SummaryExtras& extras) {
  std::vector<EstimateColumn> columns = quantile_columns(extras);
  if (extras.hdi) {
    const std::string percent = in_percent(*extras.hdi);
    columns.push_back({.title = fmt::format("hdi {}%", percent),
                       .key = fmt::format("hdi{}_low", percent),
                       .value = [](const Summary& v) { return v.hdi_low; },
                       .asked = true});
    columns.push_back({.title = "to",
                       .key = fmt::format("hdi{}_high", percent),
                       .value = [](const Summary& v) { return v.hdi_high; },
                       .asked = true});
  }
  if (extras.above_zero)
    columns.push_back({.title = "P(>0)",
                       .key = "above_zero",
                       .value = [](const Summary& v) { return v.above_zero; },
                       .asked = true,
                       .is_share = true});
  return columns;
}

std::vector<EstimateColumn> odds_columns(const SummaryExtras& extras) {
  std::vector<EstimateColumn> columns;
  if (!extras.odds_ratios) return columns;
  for (EstimateColumn& column : quantile_columns(extras))
    columns.push_back({.title = column.title,
                       .key = "odds_ratio_" + column.key,
                       .value = [of = column.value](const Summary& v) { return std::exp(of(v)); },
                       .asked = column.asked});
  return columns;
}

bool has_odds_ratio(std::string_view name) { return name != "lp__" && name != "intercept"; }

}  // namespace darboux

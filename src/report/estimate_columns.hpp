#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/diagnose/summary.hpp"

/// What stands between sd and ESS in a table of estimates: quantiles, and what else was asked for.
namespace darboux {

struct EstimateColumn {
  std::string title;  ///< "2.5%"
  std::string key;    ///< in files: "q2.5"
  std::function<double(const Summary&)> value;
  bool asked = false;     ///< for itself, so that it stays where there is little room
  bool is_share = false;  ///< no value of the quantity, but a probability
};

/// Quantiles 5 %, 50 % and 95 %, or those that were asked for; then the highest-density interval and P(> 0), if they were.
[[nodiscard]] std::vector<EstimateColumn> estimate_columns(const SummaryExtras& extras);

/// exp of the same quantiles, if odds ratios were asked for.
[[nodiscard]] std::vector<EstimateColumn> odds_columns(const SummaryExtras& extras);

/// Whether exp of a quantity can be an odds ratio: that of the log density is none, and that of the intercept is the odds.
[[nodiscard]] bool has_odds_ratio(std::string_view name);

}  // namespace darboux

#include "darboux/diagnose/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "diagnose/describe.hpp"
#include "ess_estimator.hpp"
#include "ordered_draws.hpp"
#include "rhat_formula.hpp"

namespace darboux {

namespace {

/// All that comes from the order of the draws alone.
void describe_order(const OrderedDraws& ordered, const SummaryExtras& extras, Summary& row) {
  row.q5 = quantile(ordered, 0.05);
  row.median = quantile(ordered, 0.5);
  row.q95 = quantile(ordered, 0.95);
  for (const double probability : extras.quantiles) row.quantiles.push_back(quantile(ordered, probability));
  if (!ordered.empty())
    row.above_zero = static_cast<double>(count_above(ordered, 0.0)) / static_cast<double>(ordered.size());
  if (!extras.hdi) return;
  const DensestInterval densest = densest_interval(ordered, *extras.hdi);
  row.hdi_low = densest.low;
  row.hdi_high = densest.high;
}

}  // namespace

void validate(const SummaryExtras& extras) {
  for (const double probability : extras.quantiles)
    if (!(probability >= 0.0 && probability <= 1.0))
      throw InputError(
          fmt::format("quantiles: {} is no probability: must be in [0, 1], as 0.025 for 2.5 %", probability));
  if (extras.hdi && !(*extras.hdi > 0.0 && *extras.hdi < 1.0))
    throw InputError(fmt::format(
        "hdi = {}: must be above 0 and below 1, as 0.95 for an interval with 95 % of the draws", *extras.hdi));
}

Summary summarise(const ChainDraws& draws, EssLimit limit, const SummaryExtras& extras) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Summary row{.mean = mean(draws),
              .mcse_mean = nan,
              .sd = sd(draws),
              .q5 = nan,
              .median = nan,
              .q95 = nan,
              .ess_bulk = nan,
              .ess_tail = nan,
              .rhat = nan};
  if (!varies(draws)) {  // constant, infinite or NaN: rare, and there is nothing to share
    describe_order(has_nan(draws) ? OrderedDraws() : OrderedDraws(draws), extras, row);
    return row;
  }

  OrderedDraws ordered(draws);
  describe_order(ordered, extras, row);
  drop_unsplit(ordered, draws.length());

  EssEstimator ess(draws.length() / 2, limit);
  row.mcse_mean = row.sd / std::sqrt(ess(draws.split()));
  const auto split = [&](const std::vector<double>& table) { return ChainDraws(table, draws.chains()).split(); };
  const auto ess_below = [&](double threshold) { return ess(split(indicators(draws, threshold))); };
  row.ess_tail = smaller(ess_below(row.q5), ess_below(row.q95));
  // One table at a time: there may be millions of draws.
  auto scores = normal_scores(ordered, draws.size());
  row.ess_bulk = ess(split(scores));
  row.rhat = rhat_formula(split(scores));
  std::vector<double>().swap(scores);
  ordered = folded(ordered, row.median);
  const auto distances = normal_scores(ordered, draws.size());
  row.rhat = std::fmax(row.rhat, rhat_formula(split(distances)));
  return row;
}

}  // namespace darboux

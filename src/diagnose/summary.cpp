#include "darboux/diagnose/summary.hpp"

#include <cmath>
#include <limits>

#include "diagnose/describe.hpp"
#include "ess_estimator.hpp"
#include "ordered_draws.hpp"
#include "rhat_formula.hpp"

namespace darboux {

Summary summarise(const ChainDraws& draws, EssLimit limit) {
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
    row.q5 = quantile(draws, 0.05);
    row.median = quantile(draws, 0.5);
    row.q95 = quantile(draws, 0.95);
    return row;
  }

  OrderedDraws ordered(draws);
  row.q5 = quantile(ordered, 0.05);
  row.median = quantile(ordered, 0.5);
  row.q95 = quantile(ordered, 0.95);
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

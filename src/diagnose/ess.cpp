#include "darboux/diagnose/ess.hpp"

#include <limits>

#include "diagnose/describe.hpp"
#include "ess_estimator.hpp"
#include "moments.hpp"
#include "ordered_draws.hpp"

namespace darboux {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double ess_of_split(const ChainDraws& draws, EssLimit limit) {
  return EssEstimator(draws.length() / 2, limit)(draws.split());
}

/// Of a table with one number per draw.
double ess_of_table(const std::vector<double>& table, const ChainDraws& draws, EssLimit limit) {
  return ess_of_split(ChainDraws(table, draws.chains()), limit);
}

}  // namespace

double ess_bulk(const ChainDraws& draws, EssLimit limit) {
  if (!varies(draws)) return nan;
  OrderedDraws ordered(draws);
  drop_unsplit(ordered, draws.length());
  return ess_of_table(normal_scores(ordered, draws.size()), draws, limit);
}

double ess_tail(const ChainDraws& draws, EssLimit limit) {
  return smaller(ess_quantile(draws, 0.05, limit), ess_quantile(draws, 0.95, limit));
}

double ess_mean(const ChainDraws& draws, EssLimit limit) { return varies(draws) ? ess_of_split(draws, limit) : nan; }

double ess_sd(const ChainDraws& given, EssLimit limit) {
  if (!varies(given)) return nan;
  const InSafeUnit safe(given);
  const ChainDraws& draws = safe.draws();
  const double centre = mean(draws);
  std::vector<double> squares;
  squares.reserve(draws.size());
  for (const auto chain : draws)
    for (const double x : chain) squares.push_back((x - centre) * (x - centre));
  return ess_of_table(squares, draws, limit);
}

double ess_quantile(const ChainDraws& draws, double probability, EssLimit limit) {
  if (!varies(draws)) return nan;
  const auto size = static_cast<double>(draws.size());
  const double threshold = quantile(draws, probability == 1.0 ? (size - 0.5) / size : probability);
  return ess_of_table(indicators(draws, threshold), draws, limit);
}

double ess_unsplit(const ChainDraws& draws, EssLimit limit) {
  return varies(draws) ? EssEstimator(draws.length(), limit)(draws) : nan;
}

}  // namespace darboux

#include "diagnose/mcse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnose/describe.hpp"
#include "diagnose/quantiles.hpp"
#include "moments.hpp"
#include "ordered_draws.hpp"

namespace darboux {

double mcse_mean(const ChainDraws& draws, EssLimit limit) { return sd(draws) / std::sqrt(ess_mean(draws, limit)); }

double mcse_sd(const ChainDraws& given, EssLimit limit) {
  const InSafeUnit safe(given);
  const ChainDraws& draws = safe.draws();
  const auto size = static_cast<double>(draws.size());
  const double centre = mean(draws);
  const auto central_moment = [&](int power) {
    return sum_over(draws, [&](double x) { return std::pow(x - centre, power); }) / size;
  };
  const double second = central_moment(2);
  const double variance_of_variance = (central_moment(4) - second * second) / ess_sd(draws, limit);
  return safe.back(std::sqrt(variance_of_variance / second) / 2.0);
}

double mcse_quantile(const ChainDraws& draws, double probability, EssLimit limit) {
  const double ess = ess_quantile(draws, probability, limit);
  if (std::isnan(ess)) return ess;
  const auto share = [&](double p) {
    return beta_quantile(p, ess * probability + 1.0, ess * (1.0 - probability) + 1.0);
  };
  // Φ(−1) and Φ(1), to the seven digits that posterior and ArviZ use; a full one might pick another order statistic.
  const auto size = static_cast<double>(draws.size());
  const double lower = std::max(std::floor(share(0.1586553) * size), 1.0);
  const double upper = std::min(std::ceil(share(0.8413447) * size), size);
  const OrderedDraws ordered(draws);
  return (ordered.value(static_cast<std::size_t>(upper) - 1) - ordered.value(static_cast<std::size_t>(lower) - 1)) /
         2.0;
}

}  // namespace darboux

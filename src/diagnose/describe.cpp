#include "diagnose/describe.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moments.hpp"
#include "ordered_draws.hpp"

namespace darboux {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool has_nan(const ChainDraws& draws) {
  return std::any_of(draws.begin(), draws.end(), [](std::span<const double> chain) {
    return std::any_of(chain.begin(), chain.end(), [](double x) { return std::isnan(x); });
  });
}

InSafeUnit::InSafeUnit(const ChainDraws& draws) : draws_(draws) {
  constexpr int safe = 200;  // 2^±800 and sums of these are far from the limits of 2^±1022
  double largest = 0.0;
  for (const auto chain : draws)
    for (const double x : chain) largest = std::max(largest, std::abs(x));
  if (!(largest > 0.0) || !std::isfinite(largest) || std::abs(std::ilogb(largest)) <= safe) return;
  exponent_ = std::ilogb(largest);
  for (const auto chain : draws)
    for (const double x : chain) scaled_.push_back(std::scalbn(x, -exponent_));
  draws_ = ChainDraws(scaled_, draws.chains());
}

double mean(const ChainDraws& given) {
  const InSafeUnit safe(given);
  const ChainDraws& draws = safe.draws();
  // The mean of the deviations from a first guess removes what rounding did to that: means of 10⁶ draws far from zero are
  // as good as those of ten.
  const auto n = static_cast<double>(draws.size());
  const double guess = sum_over(draws, [](double x) { return x; }) / n;
  return safe.back(std::isfinite(guess) ? guess + sum_over(draws, [guess](double x) { return x - guess; }) / n : guess);
}

double variance(const ChainDraws& draws) {
  if (draws.size() < 2) return nan;
  const double centre = mean(draws);
  const double squares = sum_over(draws, [centre](double x) { return (x - centre) * (x - centre); });
  return squares / static_cast<double>(draws.size() - 1);
}

ChainVariances chain_variances(const ChainDraws& draws) {
  std::vector<double> means;
  double sum = 0.0;
  for (const auto chain : draws) {
    const ChainDraws alone(chain, 1);
    means.push_back(mean(alone));
    sum += variance(alone);
  }
  return {.within = sum / static_cast<double>(draws.chains()), .of_means = variance(ChainDraws(means, 1))};
}

double sd(const ChainDraws& draws) {
  const InSafeUnit safe(draws);
  return safe.back(std::sqrt(variance(safe.draws())));
}

double quantile(const ChainDraws& draws, double probability) {
  return quantile(has_nan(draws) ? OrderedDraws() : OrderedDraws(draws), probability);
}

double median_absolute_deviation(const ChainDraws& draws) {
  if (has_nan(draws)) return nan;
  const OrderedDraws ordered(draws);
  return 1.4826 * quantile(folded(ordered, quantile(ordered, 0.5)), 0.5);
}

}  // namespace darboux

#include "ess_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "moments.hpp"

namespace darboux {

double autocorrelation_time(std::span<const double> rho) {
  const std::size_t n = rho.size();
  if (n < 6) return 2.0;  // there is no pair to look at
  // Initial positive sequence: ends at the first pair (ρ_t, ρ_{t+1}), t even, whose sum is not positive.
  std::size_t t = 0;
  double even = rho[0];
  double odd = rho[1];
  std::vector<double> kept;
  while (t + 5 < n && even + odd > 0.0) {
    kept.push_back(even);
    kept.push_back(odd);
    t += 2;
    even = rho[t];
    odd = rho[t + 1];
  }
  // Already ρ_0 + ρ_1 = 1 + ρ_1 is not positive: draws that alternate, whose mean is known better than by any bound on τ.
  if (kept.empty()) return std::isnan(odd) ? odd : 0.0;
  // Initial monotone sequence: no pair's sum exceeds that of the pair before.
  for (std::size_t k = 2; k < kept.size(); k += 2) {
    const double before = kept[k - 2] + kept[k - 1];
    if (kept[k] + kept[k + 1] > before) kept[k] = kept[k + 1] = 0.5 * before;
  }
  double tau = -rho[0];
  for (const double value : kept) tau += 2.0 * value;
  // The first lag beyond counts once if it is positive: that lowers the variance for anticorrelated draws.
  const bool counts = even > 0.0 || even + odd >= 0.0;
  return counts ? tau + even : tau;
}

double EssEstimator::operator()(const ChainDraws& draws) {
  const std::size_t n = draws.length();
  if (n < 3 || !varies(draws)) return std::numeric_limits<double>::quiet_NaN();
  const InSafeUnit safe(draws);
  return in_safe_unit(safe.draws());
}

double EssEstimator::in_safe_unit(const ChainDraws& draws) {
  const std::size_t n = draws.length();
  std::vector<double> rho = autocovariance_.mean_over(draws.spans());
  const double within = rho[0] * static_cast<double>(n) / static_cast<double>(n - 1);
  double total = rho[0];
  if (draws.chains() > 1) total += chain_variances(draws).of_means;
  for (double& covariance : rho) covariance = 1.0 - (within - covariance) / total;
  rho[0] = 1.0;  // the formula holds from lag 1 on

  const auto size = static_cast<double>(draws.size());
  const double least = limit_ == EssLimit::draws ? 1.0 : 1.0 / std::log10(size);
  return size / std::max(autocorrelation_time(rho), least);
}

}  // namespace darboux

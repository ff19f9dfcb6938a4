#pragma once

#include <cmath>
#include <span>

#include "darboux/diagnose/ess.hpp"
#include "linalg/autocovariance.hpp"

namespace darboux {

/// τ = −ρ_0 + 2 Σ ρ_t by Geyer's initial monotone sequence, from autocorrelations at lags 0 … n − 1. ρ_0 is 1, but for draws about
/// a mean and by a variance that are not their own.
[[nodiscard]] double autocorrelation_time(std::span<const double> rho);

/// The estimate that all effective sample sizes share (ess.hpp), for chains of one length.
class EssEstimator {
 public:
  EssEstimator(std::size_t length, EssLimit limit) : autocovariance_(length), limit_(limit) {}

  /// NaN if the draws do not vary or a chain has fewer than 3.
  [[nodiscard]] double operator()(const ChainDraws& draws);

 private:
  [[nodiscard]] double in_safe_unit(const ChainDraws& draws);

  Autocovariance autocovariance_;
  EssLimit limit_;
};

/// NaN if either is.
[[nodiscard]] inline double smaller(double a, double b) { return std::isnan(a) || a < b ? a : b; }

}  // namespace darboux

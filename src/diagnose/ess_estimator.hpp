#pragma once

#include <cmath>

#include "darboux/diagnose/ess.hpp"
#include "linalg/autocovariance.hpp"

namespace darboux {

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

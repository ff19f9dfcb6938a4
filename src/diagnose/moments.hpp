#pragma once

#include <cmath>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"

namespace darboux {

/// The sum of a function of every draw.
template <class Function>
[[nodiscard]] double sum_over(const ChainDraws& draws, Function function) {
  double sum = 0.0;
  for (const auto chain : draws)
    for (const double x : chain) sum += function(x);
  return sum;
}

/// Draws in a unit in which sums, squares and fourth powers neither over- nor underflow: as they are, or divided by a power of two,
/// which rounds nothing.
class InSafeUnit {
 public:
  explicit InSafeUnit(const ChainDraws& draws);
  InSafeUnit(const InSafeUnit&) = delete;  // draws() may be a view of what it owns
  InSafeUnit& operator=(const InSafeUnit&) = delete;
  ~InSafeUnit() = default;

  [[nodiscard]] const ChainDraws& draws() const noexcept { return draws_; }
  /// A quantity with the unit of the draws, such as their mean, in the unit that was given.
  [[nodiscard]] double back(double x) const { return exponent_ == 0 ? x : std::scalbn(x, exponent_); }

 private:
  ChainDraws draws_;
  std::vector<double> scaled_;
  int exponent_ = 0;
};

/// Of all draws about their common mean, with divisor S − 1.
[[nodiscard]] double variance(const ChainDraws& draws);

/// Between chains and within, for m chains of n draws.
struct ChainVariances {
  double within;    ///< mean of the chains' variances, divisor n − 1
  double of_means;  ///< variance of the chains' means, divisor m − 1; NaN for a single chain
};
[[nodiscard]] ChainVariances chain_variances(const ChainDraws& draws);

}  // namespace darboux

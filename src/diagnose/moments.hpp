#pragma once

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

/// Of all draws about their common mean, with divisor S − 1.
[[nodiscard]] double variance(const ChainDraws& draws);

/// Between chains and within, for m chains of n draws.
struct ChainVariances {
  double within;    ///< mean of the chains' variances, divisor n − 1
  double of_means;  ///< variance of the chains' means, divisor m − 1; NaN for a single chain
};
[[nodiscard]] ChainVariances chain_variances(const ChainDraws& draws);

}  // namespace darboux

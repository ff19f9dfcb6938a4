#pragma once

#include "darboux/diagnose/chain_draws.hpp"

/// Plain statistics of all draws of a quantity, whatever their chain. NaN where there are too few draws, or a NaN is among
/// them.
namespace darboux {

[[nodiscard]] bool has_nan(const ChainDraws& draws);

[[nodiscard]] double mean(const ChainDraws& draws);

/// Standard deviation, with divisor S − 1.
[[nodiscard]] double sd(const ChainDraws& draws);

/// The point below which a share `probability` of the draws lies, interpolated linearly between order statistics (type 7 of
/// Hyndman and Fan, the default of R and NumPy): with i = (S − 1) probability, between x_(⌊i⌋) and x_(⌈i⌉) counted from 0.
/// Throws InputError unless the probability is in [0, 1].
[[nodiscard]] double quantile(const ChainDraws& draws, double probability);

/// 1.4826 times the median distance from the median: estimates the standard deviation of a normal, and outliers do not
/// matter.
[[nodiscard]] double median_absolute_deviation(const ChainDraws& draws);

}  // namespace darboux

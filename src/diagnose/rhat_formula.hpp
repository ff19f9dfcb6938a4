#pragma once

#include <cmath>

#include "moments.hpp"

namespace darboux {

/// The formula that all variants of R̂ share (rhat.hpp), of draws that vary. NaN for a single chain or a single draw.
[[nodiscard]] inline double rhat_formula(const ChainDraws& draws) {
  const auto [within, of_means] = chain_variances(draws);
  const auto n = static_cast<double>(draws.length());
  return std::sqrt((n - 1.0) / n + of_means / within);
}

}  // namespace darboux

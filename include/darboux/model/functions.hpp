#pragma once

// Functions that log densities need beside those of <cmath>, for plain numbers; those for Dual and Recorded numbers have the
// same names. In a log density, `using darboux::log1p_exp;` finds them all, as `using std::exp;` does for exp.

#include <cmath>
#include <numbers>

#include "darboux/core/export.hpp"

namespace darboux {

/// log(1 + eˣ), without overflow.
[[nodiscard]] inline double log1p_exp(double x) { return std::log1p(std::exp(-std::abs(x))) + (x > 0.0 ? x : 0.0); }

/// The logistic function σ(x) = 1/(1 + e⁻ˣ).
[[nodiscard]] inline double inv_logit(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

/// The distribution function of the standard normal distribution.
[[nodiscard]] inline double Phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// log |Γ(x)|. Unlike that of the C library, it writes to nothing that threads share.
[[nodiscard]] DARBOUX_API double lgamma(double x);
/// ψ(x) = d/dx log Γ(x); NaN at 0, −1, −2, …
[[nodiscard]] DARBOUX_API double digamma(double x);
/// ψ'(x); infinite at 0, −1, −2, …
[[nodiscard]] DARBOUX_API double trigamma(double x);

/// log σ(x).
template <class Number>
[[nodiscard]] auto log_inv_logit(const Number& x) {
  return -log1p_exp(-x);
}

/// log(eᵃ + eᵇ), within roundings of the larger of |a| and |b|.
template <class A, class B>
[[nodiscard]] auto log_sum_exp(const A& a, const B& b) {
  return b + log1p_exp(a - b);
}

}  // namespace darboux

#include "darboux/model/functions.hpp"

#include <math.h>  // NOLINT(modernize-deprecated-headers): lgamma_r

#include <array>
#include <limits>

namespace darboux {

namespace {

constexpr double asymptotic_from = 10.0;  // where the series below are right to the last places

/// Σ c_k x^{−2k}, k = 0, 1, …
template <std::size_t n>
double series(const std::array<double, n>& coefficients, double x) {
  const double inverse_square = 1.0 / (x * x);
  double sum = 0.0;
  for (std::size_t k = n; k-- > 0;) sum = sum * inverse_square + coefficients[k];
  return sum;
}

}  // namespace

double lgamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

/// ψ(x) = ψ(x + 1) − 1/x up to where ψ(x) ~ log x − 1/(2x) − Σ B_{2k}/(2k x^{2k}) (Abramowitz and Stegun 6.3.18); below 0,
/// ψ(x) = ψ(1 − x) − π/tan(πx).
double digamma(double x) {
  if (x <= 0.0) {
    const double fraction = x - std::floor(x);
    if (fraction == 0.0) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1.0 - x) - std::numbers::pi / std::tan(std::numbers::pi * fraction);
  }
  double sum = 0.0;
  for (; x < asymptotic_from; x += 1.0) sum -= 1.0 / x;
  constexpr std::array bernoulli{1.0 / 12.0,  -1.0 / 120.0,     1.0 / 252.0, -1.0 / 240.0,
                                 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0};
  return sum + std::log(x) - 0.5 / x - series(bernoulli, x) / (x * x);
}

/// ψ'(x) = ψ'(x + 1) + 1/x² up to where ψ'(x) ~ 1/x + 1/(2x²) + Σ B_{2k}/x^{2k+1} (6.4.12); below 0,
/// ψ'(x) = π²/sin²(πx) − ψ'(1 − x).
double trigamma(double x) {
  if (x <= 0.0) {
    const double sine = std::sin(std::numbers::pi * (x - std::floor(x)));
    return std::numbers::pi * std::numbers::pi / (sine * sine) - (x == std::floor(x) ? 0.0 : trigamma(1.0 - x));
  }
  double sum = 0.0;
  for (; x < asymptotic_from; x += 1.0) sum += 1.0 / (x * x);
  constexpr std::array bernoulli{1.0 / 6.0,  -1.0 / 30.0,     1.0 / 42.0, -1.0 / 30.0,
                                 5.0 / 66.0, -691.0 / 2730.0, 7.0 / 6.0};
  return sum + (1.0 + (0.5 + series(bernoulli, x) / x) / x) / x;
}

}  // namespace darboux

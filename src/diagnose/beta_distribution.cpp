#include "diagnose/beta_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "diagnose/normal_quantile.hpp"

namespace darboux {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// log Γ(z) − [(z − 1/2) log z − z + log(2π)/2]: small, so that gamma functions of large arguments cancel without loss.
/// Asymptotic from 10 on; from below, δ(z) = δ(z + 1) + (z + 1/2) log(1 + 1/z) − 1 leads there.
double stirling_error(double z) {
  double sum = 0.0;
  for (; z < 10.0; z += 1.0) sum += (z + 0.5) * std::log1p(1.0 / z) - 1.0;
  const double s = 1.0 / (z * z);
  const double tail = s * (1.0 / 1260 - s * (1.0 / 1680 - s * (1.0 / 1188 - s * (691.0 / 360360 - s / 156))));
  return sum + (1.0 / 12 - s * (1.0 / 360 - tail)) / z;
}

/// a log(m/a) − (m − a) for m = a + d, without cancellation where m is near a: with r = d/(2a + d),
/// log(m/a) = 2 (r + r³/3 + r⁵/5 + …).
double deviance(double a, double m, double d) {
  if (std::abs(d) > 0.5 * a) return a * std::log(m / a) - d;
  const double r = d / (2.0 * a + d);
  double sum = 0.0;
  for (int k = 35; k >= 3; k -= 2) sum = sum * r * r + 1.0 / k;
  return r * (2.0 * a * r * r * sum - d);
}

/// x^a (1 − x)^b / B(a, b), by Stirling's formula: √(ab/2πn) exp(a log(nx/a) + b log(n(1 − x)/b) + δ(n) − δ(a) − δ(b)), where
/// n = a + b. As nx − a = d = −(n(1 − x) − b), the linear parts of the two logarithms cancel, and are left out.
double beta_power(double x, double a, double b) {
  const double n = a + b;
  const double d = std::fma(n, x, -a);
  const double exponent = deviance(a, n * x, d) + deviance(b, n * (1.0 - x), -d) + stirling_error(n) -
                          stirling_error(a) - stirling_error(b);
  return std::sqrt(a / n * b / (2.0 * std::numbers::pi)) * std::exp(exponent);
}

/// I_x(a, b) a B(a, b) / (x^a (1 − x)^b) as a continued fraction (Abramowitz and Stegun 26.5.8), evaluated from the front by
/// the modified method of Lentz. For x below the mean it takes O(√max(a, b)) terms.
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;  // in place of a zero denominator
  const auto nonzero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1.0;
  double d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
  double result = d;
  const auto multiply_by = [&](double term) {
    d = 1.0 / nonzero(1.0 + term * d);
    c = nonzero(1.0 + term / c);
    result *= c * d;
    return std::abs(c * d - 1.0);
  };
  for (double k = 1.0; k < 1e6; k += 1.0) {
    multiply_by(k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)));
    if (multiply_by(-(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))) <= epsilon) break;
  }
  return result;
}

}  // namespace

double beta_cdf(double x, double a, double b) {
  if (!(x >= 0.0 && x <= 1.0 && a > 0.0 && b > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0.0 || x == 1.0) return x;
  const double power = beta_power(x, a, b);
  return x < (a + 1.0) / (a + b + 2.0) ? power * beta_fraction(x, a, b) / a
                                       : 1.0 - power * beta_fraction(1.0 - x, b, a) / b;
}

double beta_quantile(double p, double a, double b) {
  if (!(p >= 0.0 && p <= 1.0 && a >= 1.0 && b >= 1.0)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0.0 || p == 1.0) return p;
  // Newton's method from the normal with the same mean and variance; bisection where a step leaves what is known to
  // contain the root.
  const double n = a + b;
  double low = 0.0;
  double high = 1.0;
  double x = (a + normal_quantile(p) * std::sqrt(a / n * b / (n + 1.0))) / n;
  for (int step = 0; step < 200; ++step) {
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    const double excess = beta_cdf(x, a, b) - p;
    (excess > 0.0 ? high : low) = x;
    const double density = beta_power(x, a, b) / (x * (1.0 - x));
    const double next = x - excess / density;
    if (std::abs(next - x) <= 2.0 * epsilon * x || high - low <= epsilon * high) return std::clamp(next, low, high);
    x = next;
  }
  return x;
}

}  // namespace darboux

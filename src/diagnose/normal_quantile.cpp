#include "diagnose/normal_quantile.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace darboux {

namespace {

/// Numerator and denominator, highest power first.
using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& c, double r) noexcept {
  double sum = c[0];
  for (std::size_t i = 1; i < c.size(); ++i) sum = sum * r + c[i];
  return sum;
}

/// |p − 1/2| ≤ 0.425
constexpr Coefficients centre_numerator{2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                        45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                        133.14166789178437745, 3.387132872796366608};
constexpr Coefficients centre_denominator{
    5226.495278852545925,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
    5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
/// smaller tail down to exp(−25)
constexpr Coefficients tail_numerator{7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                                      1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                                      4.6303378461565452959,    1.42343711074968357734};
constexpr Coefficients tail_denominator{
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
    0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,   1.0};
/// beyond
constexpr Coefficients far_numerator{2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                                     0.026532189526576123093,   0.29656057182850489123,    1.7848265399172913358,
                                     5.4637849111641143699,     6.6579046435011037772};
constexpr Coefficients far_denominator{
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525,   0.13692988092273580531,   0.59983220655588793769,   1.0};

}  // namespace

double normal_quantile(double p) noexcept {
  if (!(p >= 0.0 && p <= 1.0)) return std::numeric_limits<double>::quiet_NaN();
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(centre_numerator, r) / polynomial(centre_denominator, r);
  }
  const double tail = q < 0.0 ? p : 1.0 - p;  // exact
  if (tail == 0.0) return std::copysign(std::numeric_limits<double>::infinity(), q);
  const double r = std::sqrt(-std::log(tail));
  const double distance = r <= 5.0 ? polynomial(tail_numerator, r - 1.6) / polynomial(tail_denominator, r - 1.6)
                                   : polynomial(far_numerator, r - 5.0) / polynomial(far_denominator, r - 5.0);
  return std::copysign(distance, q);
}

}  // namespace darboux

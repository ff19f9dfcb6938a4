#include "diagnose/quantiles.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <limits>
#include <numbers>

namespace darboux {

namespace {

using namespace boost::math::policies;

/// NaN and infinities instead of exceptions, and no detour by long double, which would take four times as long or more.
using Plain = policy<domain_error<ignore_error>, pole_error<ignore_error>, overflow_error<ignore_error>,
                     evaluation_error<ignore_error>, promote_double<false>>;

}  // namespace

double normal_quantile(double p) noexcept { return -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * p, Plain()); }

double beta_quantile(double p, double a, double b) noexcept {
  if (!(p >= 0.0 && p <= 1.0 && a > 0.0 && b > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return boost::math::ibeta_inv(a, b, p, Plain());
}

double student_t_quantile(double p, double freedom) noexcept {
  return quantile(boost::math::students_t_distribution<double, Plain>(freedom), p);
}

}  // namespace darboux

#include "darboux/model/recorded.hpp"

#include "model/recording.hpp"

namespace darboux {

Recorded operator+(const Recorded& a, const Recorded& b) { return Recording::sum(a, b); }
Recorded operator*(const Recorded& a, const Recorded& b) { return Recording::product(a, b); }
Recorded operator/(const Recorded& a, const Recorded& b) { return Recording::quotient(a, b); }

bool operator==(const Recorded& a, const Recorded& b) {
  return Recording::compare(RecordedComparison::Kind::equality, a, b) != 0;
}
std::partial_ordering operator<=>(const Recorded& a, const Recorded& b) {
  const std::int8_t answer = Recording::compare(RecordedComparison::Kind::order, a, b);
  return answer == 2 ? std::partial_ordering::unordered : answer <=> std::int8_t{0};
}
bool isfinite(const Recorded& a) { return Recording::compare(RecordedComparison::Kind::finite, a, a) != 0; }
bool isnan(const Recorded& a) { return Recording::compare(RecordedComparison::Kind::nan, a, a) != 0; }

Recorded exp(const Recorded& a) { return Recording::function(Operation::exp, a); }
Recorded expm1(const Recorded& a) { return Recording::function(Operation::expm1, a); }
Recorded log(const Recorded& a) { return Recording::function(Operation::log, a); }
Recorded log1p(const Recorded& a) { return Recording::function(Operation::log1p, a); }
Recorded sqrt(const Recorded& a) { return Recording::function(Operation::sqrt, a); }
Recorded cbrt(const Recorded& a) { return Recording::function(Operation::cbrt, a); }
Recorded sin(const Recorded& a) { return Recording::function(Operation::sin, a); }
Recorded cos(const Recorded& a) { return Recording::function(Operation::cos, a); }
Recorded tan(const Recorded& a) { return Recording::function(Operation::tan, a); }
Recorded asin(const Recorded& a) { return Recording::function(Operation::asin, a); }
Recorded acos(const Recorded& a) { return Recording::function(Operation::acos, a); }
Recorded atan(const Recorded& a) { return Recording::function(Operation::atan, a); }
Recorded sinh(const Recorded& a) { return Recording::function(Operation::sinh, a); }
Recorded cosh(const Recorded& a) { return Recording::function(Operation::cosh, a); }
Recorded tanh(const Recorded& a) { return Recording::function(Operation::tanh, a); }
Recorded asinh(const Recorded& a) { return Recording::function(Operation::asinh, a); }
Recorded acosh(const Recorded& a) { return Recording::function(Operation::acosh, a); }
Recorded atanh(const Recorded& a) { return Recording::function(Operation::atanh, a); }
Recorded erf(const Recorded& a) { return Recording::function(Operation::erf, a); }
Recorded erfc(const Recorded& a) { return Recording::function(Operation::erfc, a); }
Recorded Phi(const Recorded& a) { return Recording::function(Operation::Phi, a); }
Recorded log1p_exp(const Recorded& a) { return Recording::function(Operation::log1p_exp, a); }
Recorded inv_logit(const Recorded& a) { return Recording::function(Operation::inv_logit, a); }
Recorded lgamma(const Recorded& a) { return Recording::function(Operation::lgamma, a); }
Recorded digamma(const Recorded& a) { return Recording::function(Operation::digamma, a); }
Recorded abs(const Recorded& a) { return Recording::function(Operation::abs, a); }

Recorded pow(const Recorded& base, const Recorded& exponent) { return Recording::power(base, exponent); }
Recorded hypot(const Recorded& a, const Recorded& b) { return Recording::function(Operation::hypot, a, b); }
Recorded atan2(const Recorded& y, const Recorded& x) { return Recording::function(Operation::atan2, y, x); }
Recorded max(const Recorded& a, const Recorded& b) { return Recording::function(Operation::maximum, a, b); }
Recorded min(const Recorded& a, const Recorded& b) { return Recording::function(Operation::minimum, a, b); }

}  // namespace darboux

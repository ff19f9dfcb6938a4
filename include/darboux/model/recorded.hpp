#pragma once

// A number that remembers how it was computed.

#include <compare>
#include <cstdint>
#include <functional>
#include <span>

#include "darboux/core/export.hpp"
#include "darboux/model/functions.hpp"

namespace darboux {

class Recording;

/// What a log density computes with while it is recorded for reverse-mode differentiation: a plain number, or what became of the
/// variables. It has the arithmetic and the functions of Dual. A comparison answers for the point at which the function is
/// recorded, and the answer becomes part of the recording. It must not outlive the call in which it was made.
class DARBOUX_API Recorded {
 public:
  constexpr Recorded() = default;
  constexpr Recorded(double value) : constant_(value) {}  // NOLINT(google-explicit-constructor): a constant is recorded

  friend DARBOUX_API Recorded operator+(const Recorded& a, const Recorded& b);
  friend DARBOUX_API Recorded operator*(const Recorded& a, const Recorded& b);
  friend DARBOUX_API Recorded operator/(const Recorded& a, const Recorded& b);
  friend Recorded operator+(const Recorded& a) { return a; }
  friend Recorded operator-(const Recorded& a) { return a * -1.0; }
  friend Recorded operator-(const Recorded& a, const Recorded& b) { return a + b * -1.0; }

  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }

  friend DARBOUX_API bool operator==(const Recorded& a, const Recorded& b);
  friend DARBOUX_API std::partial_ordering operator<=>(const Recorded& a, const Recorded& b);
  friend DARBOUX_API bool isfinite(const Recorded& a);
  friend DARBOUX_API bool isnan(const Recorded& a);

  friend DARBOUX_API Recorded exp(const Recorded& a);
  friend DARBOUX_API Recorded expm1(const Recorded& a);
  friend DARBOUX_API Recorded log(const Recorded& a);
  friend DARBOUX_API Recorded log1p(const Recorded& a);
  friend DARBOUX_API Recorded sqrt(const Recorded& a);
  friend DARBOUX_API Recorded cbrt(const Recorded& a);
  friend DARBOUX_API Recorded sin(const Recorded& a);
  friend DARBOUX_API Recorded cos(const Recorded& a);
  friend DARBOUX_API Recorded tan(const Recorded& a);
  friend DARBOUX_API Recorded asin(const Recorded& a);
  friend DARBOUX_API Recorded acos(const Recorded& a);
  friend DARBOUX_API Recorded atan(const Recorded& a);
  friend DARBOUX_API Recorded sinh(const Recorded& a);
  friend DARBOUX_API Recorded cosh(const Recorded& a);
  friend DARBOUX_API Recorded tanh(const Recorded& a);
  friend DARBOUX_API Recorded asinh(const Recorded& a);
  friend DARBOUX_API Recorded acosh(const Recorded& a);
  friend DARBOUX_API Recorded atanh(const Recorded& a);
  friend DARBOUX_API Recorded erf(const Recorded& a);
  friend DARBOUX_API Recorded erfc(const Recorded& a);
  friend DARBOUX_API Recorded Phi(const Recorded& a);
  friend DARBOUX_API Recorded log1p_exp(const Recorded& a);
  friend DARBOUX_API Recorded inv_logit(const Recorded& a);
  friend DARBOUX_API Recorded lgamma(const Recorded& a);
  friend DARBOUX_API Recorded digamma(const Recorded& a);
  friend DARBOUX_API Recorded abs(const Recorded& a);
  friend Recorded fabs(const Recorded& a) { return abs(a); }

  friend DARBOUX_API Recorded pow(const Recorded& base, const Recorded& exponent);
  friend DARBOUX_API Recorded hypot(const Recorded& a, const Recorded& b);
  friend DARBOUX_API Recorded atan2(const Recorded& y, const Recorded& x);
  // Neither is a comparison: whichever is larger at a point is taken there.
  friend DARBOUX_API Recorded max(const Recorded& a, const Recorded& b);
  friend DARBOUX_API Recorded min(const Recorded& a, const Recorded& b);
  friend Recorded fmax(const Recorded& a, const Recorded& b) { return max(a, b); }
  friend Recorded fmin(const Recorded& a, const Recorded& b) { return min(a, b); }

 private:
  friend class Recording;

  // factor × what + constant, where `what` is a node of the recording, or the first `index` terms of one of its sums.
  Recording* recording_ = nullptr;  // null: a plain number
  static constexpr std::uint32_t no_sum = 0xffffffff;
  std::uint32_t sum_ = no_sum;
  std::uint32_t index_ = 0;
  double factor_ = 0.0;
  double constant_ = 0.0;
};

/// A log density that can be recorded. It must depend on q alone: data that it uses are part of the recording. May throw Reject.
using RecordableFunction = std::function<Recorded(std::span<const Recorded> q)>;

}  // namespace darboux

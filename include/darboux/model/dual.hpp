#pragma once

// Dual numbers: arithmetic that carries derivatives along.

#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <numbers>

#include "darboux/model/functions.hpp"

namespace darboux {

/// A number with its derivatives in N directions: x + Σ_k x'_k ε_k with ε_k ε_l = 0 (forward-mode differentiation).
/// Plain numbers convert to it; comparisons look at the value alone.
template <std::size_t N>
class Dual {
 public:
  constexpr Dual() = default;
  constexpr Dual(double value) : value_(value) {}  // NOLINT(google-explicit-constructor): a constant is a dual number
  /// The k-th variable: derivative 1 in direction k.
  constexpr Dual(double value, std::size_t k) : value_(value) { derivatives_[k] = 1.0; }

  [[nodiscard]] constexpr double value() const noexcept { return value_; }
  [[nodiscard]] constexpr double derivative(std::size_t k) const noexcept { return derivatives_[k]; }

  /// f(a), from f and f' at the value of a.
  [[nodiscard]] static constexpr Dual chain(const Dual& a, double f, double df) {
    Dual out(f);
    for (std::size_t k = 0; k < N; ++k) out.derivatives_[k] = term(df, a.derivatives_[k]);
    return out;
  }
  /// f(a, b), from f and its partial derivatives.
  [[nodiscard]] static constexpr Dual chain(const Dual& a, const Dual& b, double f, double df_da, double df_db) {
    Dual out(f);
    for (std::size_t k = 0; k < N; ++k)
      out.derivatives_[k] = term(df_da, a.derivatives_[k]) + term(df_db, b.derivatives_[k]);
    return out;
  }

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return chain(a, -a.value_, -1.0); }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) { return chain(a, b, a.value_ + b.value_, 1.0, 1.0); }
  friend constexpr Dual operator+(const Dual& a, double b) { return chain(a, a.value_ + b, 1.0); }
  friend constexpr Dual operator+(double a, const Dual& b) { return chain(b, a + b.value_, 1.0); }

  friend constexpr Dual operator-(const Dual& a, const Dual& b) { return chain(a, b, a.value_ - b.value_, 1.0, -1.0); }
  friend constexpr Dual operator-(const Dual& a, double b) { return chain(a, a.value_ - b, 1.0); }
  friend constexpr Dual operator-(double a, const Dual& b) { return chain(b, a - b.value_, -1.0); }

  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return chain(a, b, a.value_ * b.value_, b.value_, a.value_);
  }
  friend constexpr Dual operator*(const Dual& a, double b) { return chain(a, a.value_ * b, b); }
  friend constexpr Dual operator*(double a, const Dual& b) { return chain(b, a * b.value_, a); }

  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const double ratio = a.value_ / b.value_;
    return chain(a, b, ratio, 1.0 / b.value_, -ratio / b.value_);
  }
  friend constexpr Dual operator/(const Dual& a, double b) { return chain(a, a.value_ / b, 1.0 / b); }
  friend constexpr Dual operator/(double a, const Dual& b) {
    const double ratio = a / b.value_;
    return chain(b, ratio, -ratio / b.value_);
  }

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value_ == b.value_; }
  friend constexpr std::partial_ordering operator<=>(const Dual& a, const Dual& b) { return a.value_ <=> b.value_; }

  // Functions of two numbers are friends, so that either may be a plain one.
  friend Dual pow(const Dual& base, double exponent) {
    const double slope = exponent == 0.0 ? 0.0 : exponent * std::pow(base.value_, exponent - 1.0);
    return chain(base, std::pow(base.value_, exponent), slope);
  }
  friend Dual pow(const Dual& base, const Dual& exponent) {
    const double power = std::pow(base.value_, exponent.value_);
    const double slope = exponent.value_ == 0.0 ? 0.0 : exponent.value_ * std::pow(base.value_, exponent.value_ - 1.0);
    return chain(base, exponent, power, slope, power == 0.0 ? 0.0 : power * std::log(base.value_));
  }
  friend Dual hypot(const Dual& a, const Dual& b) {
    const double length = std::hypot(a.value_, b.value_);
    return chain(a, b, length, a.value_ / length, b.value_ / length);
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    const double squared_length = x.value_ * x.value_ + y.value_ * y.value_;
    return chain(y, x, std::atan2(y.value_, x.value_), x.value_ / squared_length, -y.value_ / squared_length);
  }
  friend constexpr Dual max(const Dual& a, const Dual& b) { return a < b ? b : a; }
  friend constexpr Dual min(const Dual& a, const Dual& b) { return b < a ? b : a; }
  friend constexpr Dual fmax(const Dual& a, const Dual& b) { return max(a, b); }
  friend constexpr Dual fmin(const Dual& a, const Dual& b) { return min(a, b); }

 private:
  /// A number that does not vary in a direction adds nothing there, even where f' is infinite or NaN: one variable at the
  /// edge of its domain must not spoil the derivatives with respect to the others.
  static constexpr double term(double df, double direction) { return direction == 0.0 ? 0.0 : df * direction; }

  double value_ = 0.0;
  std::array<double, N> derivatives_{};
};

template <std::size_t N>
Dual<N> exp(const Dual<N>& a) {
  const double e = std::exp(a.value());
  return Dual<N>::chain(a, e, e);
}

template <std::size_t N>
Dual<N> expm1(const Dual<N>& a) {
  return Dual<N>::chain(a, std::expm1(a.value()), std::exp(a.value()));
}

template <std::size_t N>
Dual<N> log(const Dual<N>& a) {
  return Dual<N>::chain(a, std::log(a.value()), 1.0 / a.value());
}

template <std::size_t N>
Dual<N> log1p(const Dual<N>& a) {
  return Dual<N>::chain(a, std::log1p(a.value()), 1.0 / (1.0 + a.value()));
}

template <std::size_t N>
Dual<N> sqrt(const Dual<N>& a) {
  const double root = std::sqrt(a.value());
  return Dual<N>::chain(a, root, 0.5 / root);
}

template <std::size_t N>
Dual<N> cbrt(const Dual<N>& a) {
  const double root = std::cbrt(a.value());
  return Dual<N>::chain(a, root, 1.0 / (3.0 * root * root));
}

template <std::size_t N>
Dual<N> sin(const Dual<N>& a) {
  return Dual<N>::chain(a, std::sin(a.value()), std::cos(a.value()));
}

template <std::size_t N>
Dual<N> cos(const Dual<N>& a) {
  return Dual<N>::chain(a, std::cos(a.value()), -std::sin(a.value()));
}

template <std::size_t N>
Dual<N> tan(const Dual<N>& a) {
  const double t = std::tan(a.value());
  return Dual<N>::chain(a, t, 1.0 + t * t);
}

template <std::size_t N>
Dual<N> asin(const Dual<N>& a) {
  return Dual<N>::chain(a, std::asin(a.value()), 1.0 / std::sqrt(1.0 - a.value() * a.value()));
}

template <std::size_t N>
Dual<N> acos(const Dual<N>& a) {
  return Dual<N>::chain(a, std::acos(a.value()), -1.0 / std::sqrt(1.0 - a.value() * a.value()));
}

template <std::size_t N>
Dual<N> atan(const Dual<N>& a) {
  return Dual<N>::chain(a, std::atan(a.value()), 1.0 / (1.0 + a.value() * a.value()));
}

template <std::size_t N>
Dual<N> sinh(const Dual<N>& a) {
  return Dual<N>::chain(a, std::sinh(a.value()), std::cosh(a.value()));
}

template <std::size_t N>
Dual<N> cosh(const Dual<N>& a) {
  return Dual<N>::chain(a, std::cosh(a.value()), std::sinh(a.value()));
}

/// The slope is 1/cosh², which stays accurate where 1 − tanh² cancels.
template <std::size_t N>
Dual<N> tanh(const Dual<N>& a) {
  const double c = std::cosh(a.value());
  return Dual<N>::chain(a, std::tanh(a.value()), 1.0 / (c * c));
}

template <std::size_t N>
Dual<N> asinh(const Dual<N>& a) {
  return Dual<N>::chain(a, std::asinh(a.value()), 1.0 / std::hypot(a.value(), 1.0));
}

template <std::size_t N>
Dual<N> acosh(const Dual<N>& a) {
  return Dual<N>::chain(a, std::acosh(a.value()), 1.0 / std::sqrt((a.value() - 1.0) * (a.value() + 1.0)));
}

template <std::size_t N>
Dual<N> atanh(const Dual<N>& a) {
  return Dual<N>::chain(a, std::atanh(a.value()), 1.0 / ((1.0 - a.value()) * (1.0 + a.value())));
}

template <std::size_t N>
Dual<N> erf(const Dual<N>& a) {
  return Dual<N>::chain(a, std::erf(a.value()), 2.0 * std::numbers::inv_sqrtpi * std::exp(-a.value() * a.value()));
}

template <std::size_t N>
Dual<N> erfc(const Dual<N>& a) {
  return Dual<N>::chain(a, std::erfc(a.value()), -2.0 * std::numbers::inv_sqrtpi * std::exp(-a.value() * a.value()));
}

template <std::size_t N>
Dual<N> Phi(const Dual<N>& a) {
  const double density = std::exp(-0.5 * a.value() * a.value()) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return Dual<N>::chain(a, Phi(a.value()), density);
}

template <std::size_t N>
Dual<N> log1p_exp(const Dual<N>& a) {
  return Dual<N>::chain(a, log1p_exp(a.value()), inv_logit(a.value()));
}

/// The slope is σ(x) σ(−x), which stays accurate where σ (1 − σ) cancels.
template <std::size_t N>
Dual<N> inv_logit(const Dual<N>& a) {
  const double value = inv_logit(a.value());
  return Dual<N>::chain(a, value, value * inv_logit(-a.value()));
}

template <std::size_t N>
Dual<N> lgamma(const Dual<N>& a) {
  return Dual<N>::chain(a, lgamma(a.value()), digamma(a.value()));
}

template <std::size_t N>
Dual<N> digamma(const Dual<N>& a) {
  return Dual<N>::chain(a, digamma(a.value()), trigamma(a.value()));
}

/// The slope at 0 is taken to be 0.
template <std::size_t N>
Dual<N> abs(const Dual<N>& a) {
  const double sign = a.value() > 0.0 ? 1.0 : a.value() < 0.0 ? -1.0 : 0.0;
  return Dual<N>::chain(a, std::abs(a.value()), sign);
}

template <std::size_t N>
Dual<N> fabs(const Dual<N>& a) {
  return abs(a);
}

template <std::size_t N>
bool isfinite(const Dual<N>& a) {
  return std::isfinite(a.value());
}

template <std::size_t N>
bool isnan(const Dual<N>& a) {
  return std::isnan(a.value());
}

}  // namespace darboux

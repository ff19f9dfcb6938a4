#include "model/tape_functions.hpp"

#include <array>

#include "darboux/model/dual.hpp"

namespace darboux {

namespace {

template <auto function>
void call_on_one(const double* x, double /*constant*/, double* value, double* slope, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const Dual<1> y = function(Dual<1>(x[l], 0));
    value[l] = y.value();
    if (slope != nullptr) slope[l] = y.derivative(0);
  }
}

void call_constant_power(const double* x, double exponent, double* value, double* slope, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const Dual<1> y = pow(Dual<1>(x[l], 0), exponent);
    value[l] = y.value();
    if (slope != nullptr) slope[l] = y.derivative(0);
  }
}

template <auto function>
void call_on_two(const double* x, const double* y, double* value, double* slope_x, double* slope_y, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const Dual<2> z = function(Dual<2>(x[l], 0), Dual<2>(y[l], 1));
    value[l] = z.value();
    if (slope_x == nullptr) continue;
    slope_x[l] = z.derivative(0);
    slope_y[l] = z.derivative(1);
  }
}

/// All functions of one number. The kernel calls only those that it does not have itself.
CalledOnOne function_of_one(Operation operation) {
  using D = Dual<1>;
  switch (operation) {
    case Operation::reciprocal: return call_on_one<[](D x) { return 1.0 / x; }>;
    case Operation::square: return call_on_one<[](D x) { return x * x; }>;
    case Operation::abs: return call_on_one<[](D x) { return abs(x); }>;
    case Operation::sqrt: return call_on_one<[](D x) { return sqrt(x); }>;
    case Operation::exp: return call_on_one<[](D x) { return exp(x); }>;
    case Operation::log: return call_on_one<[](D x) { return log(x); }>;
    case Operation::log1p: return call_on_one<[](D x) { return log1p(x); }>;
    case Operation::log1p_exp: return call_on_one<[](D x) { return log1p_exp(x); }>;
    case Operation::inv_logit: return call_on_one<[](D x) { return inv_logit(x); }>;
    case Operation::cbrt: return call_on_one<[](D x) { return cbrt(x); }>;
    case Operation::expm1: return call_on_one<[](D x) { return expm1(x); }>;
    case Operation::sin: return call_on_one<[](D x) { return sin(x); }>;
    case Operation::cos: return call_on_one<[](D x) { return cos(x); }>;
    case Operation::tan: return call_on_one<[](D x) { return tan(x); }>;
    case Operation::asin: return call_on_one<[](D x) { return asin(x); }>;
    case Operation::acos: return call_on_one<[](D x) { return acos(x); }>;
    case Operation::atan: return call_on_one<[](D x) { return atan(x); }>;
    case Operation::sinh: return call_on_one<[](D x) { return sinh(x); }>;
    case Operation::cosh: return call_on_one<[](D x) { return cosh(x); }>;
    case Operation::tanh: return call_on_one<[](D x) { return tanh(x); }>;
    case Operation::asinh: return call_on_one<[](D x) { return asinh(x); }>;
    case Operation::acosh: return call_on_one<[](D x) { return acosh(x); }>;
    case Operation::atanh: return call_on_one<[](D x) { return atanh(x); }>;
    case Operation::erf: return call_on_one<[](D x) { return erf(x); }>;
    case Operation::erfc: return call_on_one<[](D x) { return erfc(x); }>;
    case Operation::Phi: return call_on_one<[](D x) { return Phi(x); }>;
    case Operation::lgamma: return call_on_one<[](D x) { return lgamma(x); }>;
    case Operation::digamma: return call_on_one<[](D x) { return digamma(x); }>;
    case Operation::constant_power: return call_constant_power;
    default: return nullptr;
  }
}

CalledOnTwo function_of_two(Operation operation) {
  using D = Dual<2>;
  switch (operation) {
    case Operation::maximum: return call_on_two<[](D x, D y) { return max(x, y); }>;
    case Operation::minimum: return call_on_two<[](D x, D y) { return min(x, y); }>;
    case Operation::pow: return call_on_two<[](D x, D y) { return pow(x, y); }>;
    case Operation::hypot: return call_on_two<[](D x, D y) { return hypot(x, y); }>;
    case Operation::atan2: return call_on_two<[](D x, D y) { return atan2(x, y); }>;
    default: return nullptr;
  }
}

}  // namespace

TapeRun run_of(Operation operation, std::uint32_t first, std::uint32_t count, std::uint32_t first_slope) {
  return {.operation = operation,
          .first = first,
          .count = count,
          .first_slope = first_slope,
          .called_on_one = function_of_one(operation),
          .called_on_two = function_of_two(operation)};
}

double value_at(Operation operation, double x) {
  double value = 0.0;
  function_of_one(operation)(&x, 0.0, &value, nullptr, 1);
  return value;
}

double value_at(Operation operation, double x, double y) {
  double value = 0.0;
  function_of_two(operation)(&x, &y, &value, nullptr, nullptr, 1);
  return value;
}

}  // namespace darboux

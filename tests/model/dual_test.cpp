#include "darboux/model/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "darboux/model/differentiate.hpp"

namespace darboux {
namespace {

using D = Dual<2>;

struct UnaryCase {
  const char* name;
  std::function<D(D)> f;
  std::function<long double(long double)> reference;
  double at;
};

/// The slope of the reference in extended precision, with an error of order h⁴.
double slope(const std::function<long double(long double)>& f, double at) {
  const auto central = [&](long double h) { return (f(at + h) - f(at - h)) / (2 * h); };
  return static_cast<double>((4 * central(5e-4L) - central(1e-3L)) / 3);
}

TEST(Dual, FunctionsOfOneNumberHaveTheRightValueAndSlope) {
  using L = long double;
  const UnaryCase cases[] = {
      {"exp", [](D x) { return exp(x); }, [](L x) { return std::exp(x); }, 0.7},
      {"expm1", [](D x) { return expm1(x); }, [](L x) { return std::expm1(x); }, -0.3},
      {"log", [](D x) { return log(x); }, [](L x) { return std::log(x); }, 2.3},
      {"log1p", [](D x) { return log1p(x); }, [](L x) { return std::log1p(x); }, -0.4},
      {"sqrt", [](D x) { return sqrt(x); }, [](L x) { return std::sqrt(x); }, 1.7},
      {"cbrt", [](D x) { return cbrt(x); }, [](L x) { return std::cbrt(x); }, -1.7},
      {"sin", [](D x) { return sin(x); }, [](L x) { return std::sin(x); }, 0.4},
      {"cos", [](D x) { return cos(x); }, [](L x) { return std::cos(x); }, 0.4},
      {"tan", [](D x) { return tan(x); }, [](L x) { return std::tan(x); }, 0.4},
      {"asin", [](D x) { return asin(x); }, [](L x) { return std::asin(x); }, 0.4},
      {"acos", [](D x) { return acos(x); }, [](L x) { return std::acos(x); }, 0.4},
      {"atan", [](D x) { return atan(x); }, [](L x) { return std::atan(x); }, -0.9},
      {"sinh", [](D x) { return sinh(x); }, [](L x) { return std::sinh(x); }, -0.9},
      {"cosh", [](D x) { return cosh(x); }, [](L x) { return std::cosh(x); }, -0.9},
      {"tanh", [](D x) { return tanh(x); }, [](L x) { return std::tanh(x); }, -0.9},
      {"erf", [](D x) { return erf(x); }, [](L x) { return std::erf(x); }, 0.3},
      {"erfc", [](D x) { return erfc(x); }, [](L x) { return std::erfc(x); }, 0.3},
      {"asinh", [](D x) { return asinh(x); }, [](L x) { return std::asinh(x); }, -0.9},
      {"acosh", [](D x) { return acosh(x); }, [](L x) { return std::acosh(x); }, 1.9},
      {"atanh", [](D x) { return atanh(x); }, [](L x) { return std::atanh(x); }, -0.4},
      {"Phi", [](D x) { return Phi(x); }, [](L x) { return (1 + std::erf(x / std::sqrt(2.0L))) / 2; }, -0.9},
      {"log1p_exp", [](D x) { return log1p_exp(x); }, [](L x) { return std::log1p(std::exp(x)); }, 0.9},
      {"log1p_exp", [](D x) { return log1p_exp(x); }, [](L x) { return std::log1p(std::exp(x)); }, -0.9},
      {"inv_logit", [](D x) { return inv_logit(x); }, [](L x) { return 1 / (1 + std::exp(-x)); }, 0.9},
      {"inv_logit", [](D x) { return inv_logit(x); }, [](L x) { return 1 / (1 + std::exp(-x)); }, -0.9},
      {"log_inv_logit", [](D x) { return log_inv_logit(x); }, [](L x) { return -std::log1p(std::exp(-x)); }, -0.9},
      {"log_sum_exp", [](D x) { return log_sum_exp(x, 0.4); },
       [](L x) { return std::log(std::exp(x) + std::exp(0.4L)); }, 0.3},
      {"lgamma", [](D x) { return lgamma(x); }, [](L x) { return std::lgamma(x); }, 2.7},
      {"lgamma", [](D x) { return lgamma(x); }, [](L x) { return std::lgamma(x); }, -1.5},
      {"fmax, fmin", [](D x) { return fmax(x, 0.0) + fmin(2.0, x); }, [](L x) { return 2 * x; }, 0.3},
      {"abs", [](D x) { return abs(x); }, [](L x) { return std::abs(x); }, -0.3},
      {"fabs", [](D x) { return fabs(x); }, [](L x) { return std::abs(x); }, 0.3},
      {"cube", [](D x) { return pow(x, 3); }, [](L x) { return x * x * x; }, -1.2},
      {"power of 2", [](D x) { return pow(2.0, x); }, [](L x) { return std::pow(2.0L, x); }, -1.2},
      {"x to the x", [](D x) { return pow(x, x); }, [](L x) { return std::pow(x, x); }, 1.2},
      {"rational", [](D x) { return (1 - 2 * x) / (x * x + 3) - 1 / x + x / 2 - (+x); },
       [](L x) { return (1 - 2 * x) / (x * x + 3) - 1 / x + x / 2 - x; }, 1.2},
      {"hypot", [](D x) { return hypot(x, 2.0); }, [](L x) { return std::hypot(x, 2.0L); }, 1.2},
      {"atan2, y", [](D x) { return atan2(x, -2.0); }, [](L x) { return std::atan2(x, -2.0L); }, 1.2},
      {"atan2, x", [](D x) { return atan2(2.0, x); }, [](L x) { return std::atan2(2.0L, x); }, 1.2},
  };
  for (const UnaryCase& which : cases) {
    const D at(which.at, 1);
    EXPECT_NEAR(which.f(at).value(), static_cast<double>(which.reference(which.at)), 1e-15) << which.name;
    EXPECT_NEAR(which.f(at).derivative(1), slope(which.reference, which.at), 1e-11) << which.name;
    EXPECT_EQ(which.f(at).derivative(0), 0.0) << which.name;
    EXPECT_NEAR((2.0 * which.f(3.0 * at / 3.0)).derivative(1), 2.0 * slope(which.reference, which.at), 1e-11)
        << which.name;
  }
}

TEST(Dual, ArithmeticFollowsTheProductAndQuotientRules) {
  const D x(3.0, 0), y(-2.0, 1);
  const D product = x * y, ratio = x / y, sum = x + y, difference = x - y;
  EXPECT_EQ(product.value(), -6.0);
  EXPECT_EQ(product.derivative(0), -2.0);
  EXPECT_EQ(product.derivative(1), 3.0);
  EXPECT_EQ(ratio.derivative(0), -0.5);
  EXPECT_EQ(ratio.derivative(1), -0.75);
  EXPECT_EQ(sum.derivative(1), 1.0);
  EXPECT_EQ(difference.derivative(1), -1.0);
  D running = 1.0;
  running += x;
  running *= y;
  running -= 1;
  running /= x;  // ((1 + x) y − 1)/x
  EXPECT_DOUBLE_EQ(running.value(), -3.0);
  EXPECT_DOUBLE_EQ(running.derivative(0), -2.0 / 3.0 + 9.0 / 9.0);
  EXPECT_DOUBLE_EQ(running.derivative(1), 4.0 / 3.0);
}

TEST(Dual, StableFunctionsKeepTheirAccuracyFarOut) {
  EXPECT_EQ(log1p_exp(D(1000.0, 0)).value(), 1000.0);
  EXPECT_EQ(log1p_exp(D(1000.0, 0)).derivative(0), 1.0);
  EXPECT_DOUBLE_EQ(log1p_exp(D(-50.0, 0)).value(), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(log1p_exp(D(-50.0, 0)).derivative(0), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(inv_logit(D(50.0, 0)).derivative(0), std::exp(-50.0));
  EXPECT_DOUBLE_EQ(inv_logit(D(-700.0, 0)).value(), std::exp(-700.0));
  EXPECT_NEAR(Phi(D(-20.0, 0)).value() / 2.7536241186062337e-89, 1.0, 1e-13);
  EXPECT_EQ(log_inv_logit(D(-1000.0, 0)).value(), -1000.0);
  EXPECT_EQ(log_sum_exp(1000.0, 1000.0), 1000.0 + std::log(2.0));
}

TEST(Functions, DigammaAndTrigammaHaveTheirKnownValues) {
  constexpr double euler = 0.57721566490153286061, pi = std::numbers::pi;
  EXPECT_NEAR(digamma(1.0), -euler, 1e-15);
  EXPECT_NEAR(digamma(0.5), -euler - 2.0 * std::numbers::ln2, 4e-15);
  EXPECT_NEAR(digamma(10.0), 2.2517525890667211077, 2e-15);
  EXPECT_NEAR(digamma(-0.5), 0.03648997397857652056, 2e-15);
  EXPECT_NEAR(digamma(1e10), std::log(1e10), 1e-10);
  EXPECT_TRUE(std::isnan(digamma(0.0)));
  EXPECT_TRUE(std::isnan(digamma(-3.0)));
  EXPECT_NEAR(trigamma(1.0), pi * pi / 6.0, 1e-15);
  EXPECT_NEAR(trigamma(0.5), pi * pi / 2.0, 4e-15);
  EXPECT_NEAR(trigamma(-0.5), pi * pi / 2.0 + 4.0, 1e-14);
  EXPECT_NEAR(trigamma(20.0), 0.051270822935203119832, 1e-16);
  EXPECT_TRUE(std::isinf(trigamma(0.0)));
  for (const double x : {-0.3, 0.03, 0.9, 4.4, 9.99, 10.01, 33.0}) {
    EXPECT_NEAR(digamma(x + 1.0) - digamma(x), 1.0 / x, 2e-14 / std::abs(x)) << x;
    EXPECT_NEAR(trigamma(x) - trigamma(x + 1.0), 1.0 / (x * x), 2e-14 / (x * x)) << x;
  }
  EXPECT_EQ(lgamma(5.0), std::log(24.0));
}

TEST(Dual, ComparesByValue) {
  const D x(3.0, 0), y(3.0, 1);
  EXPECT_TRUE(x == y);
  EXPECT_TRUE(x < 4.0);
  EXPECT_TRUE(2 <= x);
  EXPECT_FALSE(x < D(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(max(x, 4.0).derivative(0), 0.0);
  EXPECT_EQ(max(x, 2.0).derivative(0), 1.0);
  EXPECT_EQ(min(4.0, x).derivative(0), 1.0);
  EXPECT_TRUE(isfinite(x));
  EXPECT_TRUE(isnan(log(-x)));
}

TEST(Dual, EdgeOfADomainDoesNotSpoilOtherVariables) {
  const D x(0.0, 0), y(2.0, 1);
  const D f = sqrt(x) + y * y + pow(x, 2.0) + pow(x, 0.0) + pow(y, 2.0 + 0.0 * x);
  EXPECT_EQ(f.derivative(1), 4.0 + 4.0);
  EXPECT_TRUE(std::isinf(f.derivative(0)));
  EXPECT_EQ(pow(D(-2.0, 0), D(3.0)).derivative(0), 12.0);  // no logarithm of −2
  EXPECT_EQ(pow(D(0.0), D(2.0, 1)).derivative(1), 0.0);
  EXPECT_EQ(abs(D(0.0, 0)).derivative(0), 0.0);
}

TEST(Differentiated, GradientsOfMoreVariablesThanADualCarries) {
  const auto f = [](const auto& q) {
    ScalarOf<decltype(q)> sum = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) sum += static_cast<double>(j + 1) * q[j] * q[(j + 1) % q.size()];
    return sum;
  };
  for (const std::size_t n : {1U, 7U, 8U, 9U, 16U, 17U}) {
    std::vector<double> q(n), gradient(n);
    for (std::size_t j = 0; j < n; ++j) q[j] = std::sin(static_cast<double>(j));
    Differentiated<decltype(f)> differentiated(f);
    EXPECT_EQ(differentiated(q, gradient), f(q));
    EXPECT_EQ(differentiated(q, {}), f(q));
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t before = (j + n - 1) % n;
      const double expected = static_cast<double>(j + 1) * q[(j + 1) % n] + static_cast<double>(before + 1) * q[before];
      EXPECT_NEAR(gradient[j], expected, 1e-13);
    }
  }
}

}  // namespace
}  // namespace darboux

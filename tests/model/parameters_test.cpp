#include "darboux/model/parameters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "darboux/model/dual.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::message_of;

using D = Dual<8>;

std::vector<double> random_point(std::size_t n, double scale, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  std::vector<double> y(n);
  for (double& each : y) each = scale * random.normal();
  return y;
}

/// log |det a|, by elimination with pivots.
double log_determinant(std::vector<std::vector<double>> a) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    sum += std::log(std::abs(a[k][k]));
    for (std::size_t i = k + 1; i < a.size(); ++i)
      for (std::size_t j = a.size(); j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return sum;
}

/// The entries of a parameter that determine the others, as many as it has coordinates.
std::vector<D> free_entries(const D& x, std::size_t) { return {x}; }
std::vector<D> free_entries(const std::vector<D>& x, std::size_t count) {
  return {x.begin(), x.begin() + std::ptrdiff_t(count)};
}
std::vector<D> free_entries(const Square<D>& x, std::size_t) {
  std::vector<D> out;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) out.push_back(x(i, j));
  return out;
}

/// That what constrain() adds is the log determinant of its derivatives, at points of several sizes.
template <class Parameter>
void expect_jacobian(const Parameter& parameter) {
  const std::size_t n = parameter.free_size();
  for (const double scale : {0.0, 0.3, 1.0, 3.0})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const std::vector<double> point = random_point(n, scale, seed);
      std::vector<D> y;
      for (std::size_t j = 0; j < n; ++j) y.emplace_back(point[j], j);
      D log_jacobian = 0.5;  // it is added to what is there
      const std::vector<D> x = free_entries(parameter.constrain(std::span<const D>(y), log_jacobian), n);
      std::vector<std::vector<double>> derivatives(n, std::vector<double>(n));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) derivatives[i][j] = x[i].derivative(j);
      EXPECT_NEAR(log_jacobian.value() - 0.5, log_determinant(derivatives),
                  1e-11 * (1.0 + std::abs(log_jacobian.value())))
          << parameter.name() << ", scale " << scale;
    }
}

TEST(Parameters, LogJacobiansAreThoseOfTheMaps) {
  expect_jacobian(parameter("x"));
  expect_jacobian(parameter("x", 3));
  expect_jacobian(parameter("x", positive));
  expect_jacobian(parameter("x", 3, at_least(-1.5)));
  expect_jacobian(parameter("x", 2, at_most(4.0)));
  expect_jacobian(parameter("x", between(-2.0, 7.0)));
  expect_jacobian(parameter("x", 2, simplex));
  expect_jacobian(parameter("x", 6, simplex));
  expect_jacobian(parameter("x", 1, ordered));
  expect_jacobian(parameter("x", 5, ordered));
  expect_jacobian(parameter("x", 4, positive_ordered));
  expect_jacobian(parameter("x", 2, cholesky_correlation));
  expect_jacobian(parameter("x", 4, cholesky_correlation));
}

/// A parameter of every kind.
auto of_every_kind() {
  return Parameters(parameter("mu"), parameter("tau", positive), parameter("low", at_least(2.0)),
                    parameter("high", at_most(-1.0)), parameter("rho", between(-1.0, 3.0)), parameter("theta", 2),
                    parameter("sigma", 2, positive), parameter("p", 3, simplex), parameter("c", 3, ordered),
                    parameter("e", 2, positive_ordered), parameter("L", 3, cholesky_correlation));
}

TEST(Parameters, NamesAreThoseOfStan) {
  const auto parameters = of_every_kind();
  const std::vector<std::string> expected{"mu",       "tau",      "low",    "high",   "rho",    "theta[1]", "theta[2]",
                                          "sigma[1]", "sigma[2]", "p[1]",   "p[2]",   "p[3]",   "c[1]",     "c[2]",
                                          "c[3]",     "e[1]",     "e[2]",   "L[1,1]", "L[2,1]", "L[3,1]",   "L[1,2]",
                                          "L[2,2]",   "L[3,2]",   "L[1,3]", "L[2,3]", "L[3,3]"};
  EXPECT_EQ(parameters.names(), expected);
  EXPECT_EQ(parameters.dim(), 5 + 2 + 2 + 2 + 3 + 2 + 3);
}

TEST(Parameters, KeepTheirConstraintsFarOut) {
  const auto parameters = of_every_kind();
  for (const double scale : {0.0, 1.0, 10.0, 100.0}) {
    std::vector<double> x(26);
    parameters.constrain(random_point(19, scale, 7), x);
    EXPECT_GE(x[1], 0.0);
    EXPECT_GE(x[2], 2.0);
    EXPECT_LE(x[3], -1.0);
    EXPECT_GE(x[4], -1.0);
    EXPECT_LE(x[4], 3.0);
    EXPECT_NEAR(x[9] + x[10] + x[11], 1.0, 1e-15);
    for (std::size_t k = 9; k < 12; ++k) EXPECT_GT(x[k], 0.0);
    EXPECT_LE(x[12], x[13]);
    EXPECT_LE(x[13], x[14]);
    EXPECT_LE(0.0, x[15]);
    EXPECT_LE(x[15], x[16]);
    const auto L = [&](std::size_t i, std::size_t j) { return x[17 + i + 3 * j]; };
    EXPECT_EQ(L(0, 0), 1.0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(L(i, 0) * L(i, 0) + L(i, 1) * L(i, 1) + L(i, 2) * L(i, 2), 1.0, 1e-14);
      EXPECT_GT(L(i, i), 0.0);
      for (std::size_t j = i + 1; j < 3; ++j) EXPECT_EQ(L(i, j), 0.0);
    }
  }
}

TEST(Parameters, OriginIsTheMiddle) {
  std::vector<double> x(26);
  of_every_kind().constrain(std::vector<double>(19, 0.0), x);
  EXPECT_EQ(x[1], 1.0);
  EXPECT_EQ(x[2], 3.0);
  EXPECT_EQ(x[3], -2.0);
  EXPECT_EQ(x[4], 1.0);
  for (std::size_t k = 9; k < 12; ++k) EXPECT_NEAR(x[k], 1.0 / 3.0, 1e-15);
  EXPECT_EQ(x[14], 2.0);
  EXPECT_EQ(x[16], 2.0);
  for (const std::size_t diagonal : {17U, 21U, 25U}) EXPECT_EQ(x[diagonal], 1.0);
}

TEST(Parameters, WayBackLeadsToTheSamePoint) {
  const auto parameters = of_every_kind();
  for (const double scale : {0.0, 0.3, 1.0, 3.0}) {
    const std::vector<double> q = random_point(19, scale, 5);
    std::vector<double> x(26), back(19);
    parameters.constrain(q, x);
    parameters.unconstrain(x, back);
    for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(back[j], q[j], 1e-11 * (1.0 + std::exp(std::abs(q[j]))));
  }
}

/// Uses every argument, each in a way of its own.
const auto density = [](const auto& mu, const auto& tau, const auto& low, const auto& high, const auto& rho,
                        const auto& theta, const auto& sigma, const auto& p, const auto& c, const auto& e,
                        const auto& L) {
  using std::log, std::sin;
  auto sum = -0.5 * mu * mu - tau - low * low + high - rho * rho;
  for (std::size_t k = 0; k < 2; ++k) sum -= (theta[k] - mu) * (theta[k] - mu) * tau + sigma[k] * (1.0 + e[k]);
  for (std::size_t k = 0; k < 3; ++k) sum += log(p[k]) * static_cast<double>(k + 1) - c[k] * c[k];
  return sum + sin(L(1, 0)) + L(2, 1) * L(2, 0) + log(L(1, 1)) - L(2, 2);
};

TEST(Parameters, ModelAddsTheLogJacobian) {
  const auto parameters = of_every_kind();
  const auto model = differentiate(parameters, density);
  const std::vector<double> q = random_point(19, 0.7, 3);
  double log_jacobian = 0.0;
  std::span<const double> rest = q;
  const auto take = [&](std::size_t count) {
    const auto out = rest.first(count);
    rest = rest.subspan(count);
    return out;
  };
  const double mu = parameter("mu").constrain(take(1), log_jacobian), tau = std::exp(take(1)[0]),
               low = 2.0 + std::exp(take(1)[0]), high = -1.0 - std::exp(take(1)[0]);
  log_jacobian += q[1] + q[2] + q[3];
  const double rho = parameter("rho", between(-1.0, 3.0)).constrain(take(1), log_jacobian);
  const auto theta = parameter("theta", 2).constrain(take(2), log_jacobian);
  const auto sigma = parameter("sigma", 2, positive).constrain(take(2), log_jacobian);
  const auto p = parameter("p", 3, simplex).constrain(take(2), log_jacobian);
  const auto c = parameter("c", 3, ordered).constrain(take(3), log_jacobian);
  const auto e = parameter("e", 2, positive_ordered).constrain(take(2), log_jacobian);
  const auto L = parameter("L", 3, cholesky_correlation).constrain(take(3), log_jacobian);
  EXPECT_NEAR(testing::log_density_at(model, q),
              density(mu, tau, low, high, rho, theta, sigma, p, c, e, L) + log_jacobian, 1e-12);
}

TEST(Parameters, GradientIsThatOfDualNumbersAndOfDifferences) {
  const auto parameters = of_every_kind();
  const auto model = differentiate(parameters, density);
  const auto f = [&](const auto& q) { return parameters.log_density(density, q); };
  for (const double scale : {0.0, 0.5, 2.0, 6.0}) {
    const std::vector<double> q = random_point(19, scale, 4), gradient = testing::gradient_at(model, q);
    std::vector<double> expected(19);
    Differentiated<decltype(f)>{f}(q, expected);
    double size = 1.0;
    for (const double each : expected) size = std::max(size, std::abs(each));
    for (std::size_t j = 0; j < q.size(); ++j) {
      EXPECT_NEAR(gradient[j], expected[j], 1e-12 * (1.0 + std::abs(expected[j]))) << j << ", scale " << scale;
      const auto slope = [&](double h) {
        std::vector<double> left = q, right = q;
        left[j] -= h;
        right[j] += h;
        return (testing::log_density_at(model, right) - testing::log_density_at(model, left)) / (right[j] - left[j]);
      };
      const double extrapolated = (4.0 * slope(5e-4) - slope(1e-3)) / 3.0;
      const double rounding = 1e-15 * std::abs(testing::log_density_at(model, q)) / 1e-3;
      EXPECT_NEAR(gradient[j], extrapolated, 1e-7 * size + 10.0 * rounding) << j << ", scale " << scale;
    }
  }
}

TEST(Parameters, FarOutNeitherValueNorGradientIsLost) {
  const auto model =
      differentiate(Parameters(parameter("p", 3, simplex), parameter("L", 2, cholesky_correlation),
                               parameter("rho", between(0.0, 1.0))),
                    [](const auto& p, const auto& L, const auto& rho) { return 0.0 * (p[0] + L(1, 0) + rho); });
  for (const double far : {-300.0, -40.0, 40.0, 300.0}) {
    const std::vector<double> q{far, 0.5, far, far}, gradient = testing::gradient_at(model, q);
    EXPECT_TRUE(std::isfinite(testing::log_density_at(model, q))) << far;
    const double away = far > 0.0 ? -1.0 : 1.0;
    EXPECT_NEAR(gradient[0], far > 0.0 ? -2.0 : 1.0, 1e-12) << far;  // log z (1 − z), and the stick for the second
    EXPECT_NEAR(gradient[2], 2.0 * away, 1e-12) << far;
    EXPECT_NEAR(gradient[3], away, 1e-12) << far;
  }
}

TEST(Parameters, ModelReportsThem) {
  const auto model = differentiate(of_every_kind(), density);
  EXPECT_EQ(model.dim(), 19);
  EXPECT_EQ(model.natural_size(), 26);
  EXPECT_EQ(model.names(), of_every_kind().names());
  const std::vector<double> q = random_point(19, 0.7, 3);
  std::vector<double> x(26), expected(26), back(19);
  model.constrain(q, {}, x);
  of_every_kind().constrain(q, expected);
  EXPECT_EQ(x, expected);
  model.unconstrain(x, back);
  for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(back[j], q[j], 1e-12);
}

std::string refusal(const Coordinates& coordinates, const std::vector<double>& natural) {
  std::vector<double> q(static_cast<std::size_t>(coordinates.dim()));
  return message_of<InputError>([&] { coordinates.unconstrain(natural, q); });
}

TEST(Parameters, ValuesOutsideAreRefusedByName) {
  EXPECT_EQ(refusal(Parameters(parameter("mu")), {INFINITY}), "mu = inf: must be finite");
  EXPECT_EQ(refusal(Parameters(parameter("tau", positive)), {0.0}), "tau = 0: must be above 0 and finite");
  EXPECT_EQ(refusal(Parameters(parameter("s", 2, at_least(1.0))), {2.0, 0.5}),
            "s[2] = 0.5: must be above 1 and finite");
  EXPECT_EQ(refusal(Parameters(parameter("x", at_most(1.0))), {1.0}), "x = 1: must be below 1 and finite");
  EXPECT_EQ(refusal(Parameters(parameter("x", between(0.0, 1.0))), {1.0}), "x = 1: must be between 0 and 1");
  EXPECT_EQ(refusal(Parameters(parameter("p", 2, simplex)), {-0.5, 1.5}), "p[1] = -0.5: must be positive");
  EXPECT_EQ(refusal(Parameters(parameter("p", 2, simplex)), {0.5, 0.25}), "the sum of p = 0.75: must be 1");
  EXPECT_EQ(refusal(Parameters(parameter("c", 2, ordered)), {1.0, 1.0}), "c[2] = 1: must be above 1 and finite");
  EXPECT_EQ(refusal(Parameters(parameter("c", 2, positive_ordered)), {-1.0, 1.0}),
            "c[1] = -1: must be above 0 and finite");
  const Parameters L(parameter("L", 2, cholesky_correlation));
  EXPECT_EQ(refusal(L, {1.0, 0.5, 0.0, 0.5}), "the sum of squares of row 2 of L = 0.5: must be 1");
  EXPECT_EQ(refusal(L, {1.0, 0.6, 0.0, -0.8}), "L[2,2] = -0.8: must be positive");
  EXPECT_EQ(refusal(L, {1.0, 0.6, 0.1, 0.8}), "L[1,2] = 0.1: must be 0, above the diagonal");
}

TEST(Parameters, BadDeclarationsAreRefused) {
  EXPECT_EQ(message_of<InputError>([] { Parameters(parameter("a"), parameter("b"), parameter("a", 2)); }),
            "parameter a: is there twice, give one of them another name");
  EXPECT_EQ(message_of<InputError>([] { (void)parameter(""); }), "name: must not be empty");
  EXPECT_EQ(message_of<InputError>([] { (void)parameter("theta", 0); }), "size of theta = 0: must be at least 1");
  EXPECT_EQ(message_of<InputError>([] { (void)between(1.0, 1.0); }), "high = 1: must be above low = 1");
  EXPECT_EQ(message_of<InputError>([] {
              (void)differentiate(Parameters(parameter("a")), [](const auto& a) { return -a * a; }, {.names = {"b"}});
            }),
            "names: must be left out, for the coordinates have names of their own");
}

}  // namespace
}  // namespace darboux

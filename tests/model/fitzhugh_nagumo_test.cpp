#include "model/fitzhugh_nagumo.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "model/optimise.hpp"
#include "model/start.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::as_batch;
using testing::evaluate;
using testing::log_density_at;
using testing::message_of;
using Point = std::vector<double>;

/// The log density from steps of 0.05/substeps in extended precision.
double reference(const FitzHughNagumoData& data, const Point& q, int substeps) {
  using Real = long double;
  const Real a = q[0], b = q[1], c = q[2], h = 0.05L / substeps;
  Real V = -1, R = 1, sum = -(a * a + b * b + c * c);
  const auto V_slope = [&](Real v, Real r) { return c * (v - v * v * v / 3 + r); };
  const auto R_slope = [&](Real v, Real r) { return -(v - a + b * r) / c; };
  for (std::size_t i = 0; i < data.times.size(); ++i) {
    for (int k = 0; i > 0 && k < substeps; ++k) {
      const Real v1 = V_slope(V, R), r1 = R_slope(V, R);
      const Real v2 = V_slope(V + h / 2 * v1, R + h / 2 * r1), r2 = R_slope(V + h / 2 * v1, R + h / 2 * r1);
      const Real v3 = V_slope(V + h / 2 * v2, R + h / 2 * r2), r3 = R_slope(V + h / 2 * v2, R + h / 2 * r2);
      const Real v4 = V_slope(V + h * v3, R + h * r3), r4 = R_slope(V + h * v3, R + h * r3);
      V += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
      R += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
    }
    sum -= (V - data.V[i]) * (V - data.V[i]) + (R - data.R[i]) * (R - data.R[i]);
  }
  return static_cast<double>(sum);
}

/// The posterior of the simulated data, its mode, and the Gaussian there.
struct Posterior {
  FitzHughNagumo model;
  Summit mode = best_climb(model, draw_starts(model, {.chains = 64, .method = StartMethod::prior}));
  Matrix covariance = inverse(negative_hessian(model, mode.q).value()).value();
  Matrix factor = cholesky(covariance).value();

  /// mode + size L z/‖z‖, or mode + L z where size is 0.
  [[nodiscard]] Point around(RandomStream& random, double size) const {
    Point z(3), q = mode.q;
    random.fill_normal(z);
    const double scale = size == 0.0 ? 1.0 : size / std::hypot(z[0], z[1], z[2]);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j) q[i] += scale * factor(static_cast<Index>(i), static_cast<Index>(j)) * z[j];
    return q;
  }
};

TEST(FitzHughNagumo, StepsAreShortEnoughForThePosterior) {
  const Posterior posterior;
  const FitzHughNagumoData& data = posterior.model.data();
  EXPECT_NEAR(reference(data, posterior.mode.q, 50), reference(data, posterior.mode.q, 200), 1e-8);
  RandomStream random({.seed = 5});
  for (int i = 0; i < 60; ++i)
    for (const double size : {0.0, 6.0}) {
      const Point q = posterior.around(random, size);
      const double exact = reference(data, q, 50);
      testing::on_every_cpu([&](CpuKind kind) {
        EXPECT_NEAR(log_density_at(posterior.model, q), exact, 1e-3)
            << q[0] << " " << q[1] << " " << q[2] << " " << name(kind);
      });
    }
}

TEST(FitzHughNagumo, PosteriorLiesWhereTheDataPutIt) {
  const Posterior posterior;
  ASSERT_TRUE(posterior.mode.converged);
  EXPECT_NEAR(posterior.mode.q[0], 0.20, 0.01);
  EXPECT_NEAR(posterior.mode.q[1], 0.20, 0.05);
  EXPECT_NEAR(posterior.mode.q[2], 2.98, 0.02);
  EXPECT_NEAR(std::sqrt(posterior.covariance(0, 0)), 0.023, 0.002);
  EXPECT_NEAR(std::sqrt(posterior.covariance(1, 1)), 0.126, 0.015);
  EXPECT_NEAR(std::sqrt(posterior.covariance(2, 2)), 0.057, 0.005);
}

TEST(FitzHughNagumo, SimulatedDataAreTheSolutionPlusNoise) {
  const FitzHughNagumoData data = simulated_fitzhugh_nagumo(4);
  const FitzHughNagumoData exact = solve_fitzhugh_nagumo({.a = 0.2, .b = 0.2, .c = 3.0}, data.times, 1e-3);
  ASSERT_EQ(data.times.size(), 200U);
  EXPECT_EQ(data.times.front(), 0.0);
  EXPECT_NEAR(data.times.back(), 9.95, 1e-12);
  EXPECT_EQ(exact.V[0], -1.0);
  EXPECT_EQ(exact.R[0], 1.0);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < 200; ++i)
    for (const double noise : {data.V[i] - exact.V[i], data.R[i] - exact.R[i]}) {
      sum += noise / 400.0;
      squares += noise * noise / 400.0;
    }
  EXPECT_NEAR(sum, 0.0, 4.0 * 0.1 / 20.0);
  EXPECT_NEAR(squares, 0.01, 4.0 * 0.01 * std::sqrt(2.0 / 400.0));
  EXPECT_EQ(simulated_fitzhugh_nagumo(4).V, data.V);
  EXPECT_NE(simulated_fitzhugh_nagumo(5).V, data.V);
}

TEST(FitzHughNagumo, SolutionConvergesWithOrderFour) {
  const std::vector<double> times{0.4, 2.0, 9.0};
  const auto exact = solve_fitzhugh_nagumo({}, times, 1e-4);
  const auto error = [&](double step) {
    const auto got = solve_fitzhugh_nagumo({}, times, step);
    double worst = 0.0;
    for (std::size_t i = 0; i < times.size(); ++i)
      worst = std::max({worst, std::abs(got.V[i] - exact.V[i]), std::abs(got.R[i] - exact.R[i])});
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 4.0, 0.3);
}

TEST(FitzHughNagumo, RefusesPointsWhereTheSolutionBlowsUp) {
  const FitzHughNagumo model;
  const double inf = std::numeric_limits<double>::infinity();
  OwnedBatch q(3, 8);
  const double c[8] = {3.0, -1.0, 0.0, 1e-300, 1e3, inf, std::numeric_limits<double>::quiet_NaN(), 2.9};
  for (Index l = 0; l < 8; ++l) {
    q(0, l) = 0.2;
    q(1, l) = c[l] == -1.0 ? 5.0 : 0.2;  // Ṙ = 5R and more
    q(2, l) = c[l];
  }
  testing::on_every_cpu([&](CpuKind kind) {
    const auto both = evaluate(model, q), value = evaluate(model, q, {.gradient = false});
    for (std::size_t l = 0; l < 8; ++l) {
      const bool good = l == 0 || l == 7;
      EXPECT_EQ(both.status[l], good ? Status::ok : Status::model_error) << c[l] << " " << name(kind);
      EXPECT_EQ(std::isfinite(both.log_density[l]), good);
      EXPECT_EQ(value.status[l], both.status[l]);
      EXPECT_EQ(std::isnan(both.gradient(0, static_cast<Index>(l))), !good);
    }
  });
}

TEST(FitzHughNagumo, RefusesSolutionsThatAreFiniteButMeanNothing) {
  // Ṙ ≈ −112 R: steps of 0.025 are just too long for that, so that R grows by 2 % in each.
  const Point q{0.2, 1.12e-3, 1e-5};
  const FitzHughNagumo model;
  const auto solution =
      solve_fitzhugh_nagumo({.a = q[0], .b = q[1], .c = q[2]}, model.data().times, FitzHughNagumo::longest_step);
  EXPECT_GT(std::abs(solution.R.back()), 1e6);
  EXPECT_LT(std::abs(solution.R.back()) + std::abs(solution.V.back()), 1e9);
  testing::on_every_cpu([&](CpuKind kind) {
    EXPECT_EQ(evaluate(model, as_batch(q)).status[0], Status::model_error) << name(kind);
    EXPECT_EQ(evaluate(model, as_batch(q), {.gradient = false}).status[0], Status::model_error) << name(kind);
  });
}

TEST(FitzHughNagumo, NamesTraitsPrior) {
  const FitzHughNagumo model;
  EXPECT_EQ(model.names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(model.traits().start, StartMethod::mode);
  EXPECT_FALSE(model.traits().log_concave);
  double squares = 0.0;
  for (std::uint64_t k = 0; k < 2000; ++k) {
    Point q(3);
    ASSERT_TRUE(model.draw_prior({.seed = 2, .purpose = Purpose::start, .chain = k}, q));
    for (const double x : q) squares += x * x / 6000.0;
  }
  EXPECT_NEAR(squares, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / 6000.0));
}

TEST(FitzHughNagumo, ReadsATable) {
  const FitzHughNagumoData data = fitzhugh_nagumo_data(parse_csv("R,t,V\n1,0.5,-1\n2,1,-2\n", "a.csv"));
  EXPECT_EQ(data.times, (Point{0.5, 1.0}));
  EXPECT_EQ(data.V, (Point{-1.0, -2.0}));
  EXPECT_EQ(data.R, (Point{1.0, 2.0}));
  const auto refusal = [](std::string_view text) {
    return message_of<InputError>([&] { (void)fitzhugh_nagumo_data(parse_csv(text, "a.csv")); });
  };
  EXPECT_EQ(refusal("t,V\n0,1\n"), "a.csv has no column R: FitzHugh-Nagumo data must have the columns t, V and R");
  EXPECT_EQ(refusal("t,V,R\n0,1,2\n1,,2\n"), "a.csv:3, column V is missing: must be a finite number");
  EXPECT_EQ(refusal("t,V,R\n0,inf,2\n"), "a.csv:2, column V is inf: must be a finite number");
  EXPECT_EQ(refusal("t,V,R\n0,x,2\n"), "a.csv:2, column V is \"x\": must be a number");
  EXPECT_EQ(refusal("t,V,R\n0,1,2\n0,1,2\n"), "a.csv:3, column t is 0: must be above the row before, 0");
  EXPECT_EQ(refusal("t,V,R\n-1,1,2\n"), "a.csv:2, column t is -1: must be at least 0");
}

TEST(FitzHughNagumo, RefusesBadData) {
  const auto refusal = [](FitzHughNagumoData data) { return message_of<InputError>([&] { FitzHughNagumo{data}; }); };
  EXPECT_EQ(refusal({}), "number of times = 0: must be at least 1");
  EXPECT_EQ(refusal({{1.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}}), "times[2] = 1: must be later than the one before it, 1");
  EXPECT_EQ(refusal({{-1.0}, {0.0}, {0.0}}), "times[1] = -1: must be 0 or later");
  EXPECT_EQ(refusal({{1.0}, {}, {0.0}}), "V has 0 entries: must have 1");
  EXPECT_EQ(refusal({{1.0}, {0.0}, {0.0, 1.0}}), "R has 2 entries: must have 1");
  EXPECT_EQ(refusal({{1.0}, {0.0}, {INFINITY}}), "R[1] = inf: must be finite");
  EXPECT_EQ(refusal({{1e9}, {0.0}, {0.0}}),
            "times[1] = 1000000000: so late that it takes more than 10000000 steps of 0.025 to get there");
}

}  // namespace
}  // namespace darboux

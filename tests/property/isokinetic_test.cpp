#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "linalg/dense.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/integrator_cases.hpp"

/// Microcanonical motion: what Isokinetic claims, each against something written another way.
namespace darboux::testing {
namespace {

using ::testing::HasSubstr;

/// Where a trajectory ended, and its work K.
struct End {
  State state;
  double work = 0.0;
  Status status = Status::ok;
  std::int64_t gradients = 0;
};

IntegratorOptions options_of(int stages, double step_size) {
  IntegratorOptions options;
  options.step_size = step_size;
  options.stages = stages;
  options.motion = MotionKind::microcanonical;
  return options;
}

std::vector<End> move(const Model& model, const IntegratorOptions& options, const std::vector<State>& states,
                      std::vector<double> directions, int steps,
                      GradientPrecision precision = GradientPrecision::full) {
  Integrator integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(model.dim()), options);
  PhaseBlock z(model.dim(), std::ssize(states));
  for (std::size_t l = 0; l < states.size(); ++l) set_lane(z, static_cast<Index>(l), states[l]);
  for (double& d : directions) d *= options.step_size;
  Potential u(model, std::ssize(states), precision);
  integrator.run(z, u, directions, steps);
  std::vector<End> ends;
  for (std::size_t l = 0; l < states.size(); ++l)
    ends.push_back({.state = get_lane(z, static_cast<Index>(l), states[l].size()),
                    .work = z.work[l],
                    .status = z.status[l],
                    .gradients = u.gradient_evaluations()[l]});
  return ends;
}
End move(const Model& model, const IntegratorOptions& options, const State& state, double direction, int steps) {
  return move(model, options, std::vector<State>{state}, std::vector{direction}, steps).front();
}

double length(std::span<const double> x) {
  double squares = 0.0;
  for (const double each : x) squares += each * each;
  return std::sqrt(squares);
}
std::span<const double> momentum(const State& state) { return std::span(state).last(state.size() / 2); }

/// q normal, p uniform on the sphere of radius √d.
State random_point(Index n, RandomStream& random, double scale = 0.7) {
  State state = random_state(2 * n, random, scale);
  const double factor = std::sqrt(static_cast<double>(n)) / length(momentum(state));
  for (std::size_t i = state.size() / 2; i < state.size(); ++i) state[i] *= factor;
  return state;
}

/// The equations of motion, q̇ = p, ṗ = −d/(d − 1) (I − p pᵀ/d) g, K̇ = −p·g, by the classical Runge-Kutta method in small steps.
End exact_flow(const Model& model, const State& start, double time) {
  const auto n = static_cast<std::size_t>(model.dim());
  const double d = static_cast<double>(n);
  using Vector = std::vector<double>;
  const auto rate = [&](const Vector& x) {
    OwnedBatch q(model.dim(), 1), g(model.dim(), 1);
    for (std::size_t j = 0; j < n; ++j) q(static_cast<Index>(j), 0) = x[j];
    Potential u(model, 1);
    std::vector<Status> status(1, Status::ok);
    const std::vector<double> one(1, 1.0);
    u.gradient(q, one, status, g);
    double pg = 0.0;
    for (std::size_t j = 0; j < n; ++j) pg += x[n + j] * g(static_cast<Index>(j), 0);
    Vector v(2 * n + 1);
    for (std::size_t j = 0; j < n; ++j) {
      v[j] = x[n + j];
      v[n + j] = -d / (d - 1.0) * (g(static_cast<Index>(j), 0) - x[n + j] * pg / d);
    }
    v[2 * n] = -pg;
    return v;
  };
  const auto plus = [](Vector x, double t, const Vector& v) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * v[i];
    return x;
  };
  Vector x(start.begin(), start.end());
  x.push_back(0.0);
  constexpr int steps = 2000;
  const double h = time / steps;
  for (int i = 0; i < steps; ++i) {
    const Vector a = rate(x), b = rate(plus(x, h / 2, a)), c = rate(plus(x, h / 2, b)), e = rate(plus(x, h, c));
    x = plus(plus(plus(plus(x, h / 6, a), h / 3, b), h / 3, c), h / 6, e);
  }
  return {.state = State(x.begin(), x.end() - 1), .work = x.back()};
}

FunctionModel slope_model(std::vector<double> slope) {
  const auto n = std::ssize(slope);
  return FunctionModel(n, [slope = std::move(slope)](std::span<const double> q, std::span<double> gradient) {
    double u = 0.0;
    for (std::size_t j = 0; j < slope.size(); ++j) u += slope[j] * q[j];
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = -slope[j];
    return -u;
  });
}

TEST(Isokinetic, BackwardUndoesForwardAndKeepsTheSpeed) {
  EXPECT_TRUE(rc::check("Φ(−h) Φ(h) is the identity, works cancel, |p| = √d", [] {
    const Index n = *rc::gen::inRange<Index>(2, 21);
    const int stages = *rc::gen::inRange(1, 4);
    RandomStream random({.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000)});
    const FunctionModel model = rippled_model(n);
    const IntegratorOptions options = options_of(stages, 0.1 + 0.9 * random.uniform());
    const double direction = random.uniform() < 0.5 ? -1.0 : 1.0;
    const State start = random_point(n, random, 1.5);
    const End there = move(model, options, start, direction, 4),
              back = move(model, options, there.state, -direction, 4);
    RC_ASSERT(there.status == Status::ok);
    RC_ASSERT(distance(start, there.state) > 1e-2);
    RC_ASSERT(distance(start, back.state) < 1e-9);
    RC_ASSERT(std::abs(there.work + back.work) < 1e-9);
    const double speed = std::sqrt(static_cast<double>(n));
    RC_ASSERT(std::abs(length(momentum(there.state)) - speed) < 1e-12 * speed);
    RC_ASSERT(there.gradients == 4 * stages + 1);
  }));
}

/// A thousand steps: what rounding does to a length must not grow.
TEST(Isokinetic, KeepsTheSpeedOverLongTrajectories) {
  RandomStream random({.seed = 3});
  const End end = move(rippled_model(5), options_of(1, 0.5), random_point(5, random), 1.0, 1000);
  EXPECT_NEAR(length(momentum(end.state)), std::sqrt(5.0), 1e-13);
}

TEST(Isokinetic, FollowsTheFlowOfAConstantGradient) {
  for (const int stages : {1, 2, 3}) {
    RandomStream random({.seed = 7});
    const FunctionModel model = slope_model({1.3, -0.4, 2.2});
    const State start = random_point(3, random);
    for (const double direction : {1.0, -1.0}) {
      const End end = move(model, options_of(stages, 0.25), start, direction, 4);
      const End exact = exact_flow(model, start, direction);
      for (std::size_t j = 3; j < 6; ++j) EXPECT_NEAR(end.state[j], exact.state[j], 1e-10) << stages;
      EXPECT_NEAR(end.work, exact.work, 1e-10) << stages;
    }
  }
}

TEST(Isokinetic, IsOfSecondOrder) {
  for (const Index n : {2, 5}) {
    const FunctionModel model = rippled_model(n);
    RandomStream random({.seed = 11});
    const State start = random_point(n, random);
    const End exact = exact_flow(model, start, 2.0);
    for (const int stages : {1, 2, 3}) {
      std::vector<double> place, work;
      for (const int steps : {40, 80}) {
        const End end = move(model, options_of(stages, 2.0 / steps), start, 1.0, steps);
        place.push_back(distance(end.state, exact.state));
        work.push_back(std::abs(end.work - exact.work));
      }
      EXPECT_NEAR(std::log2(place[0] / place[1]), 2.0, 0.1) << n << ' ' << stages;
      EXPECT_NEAR(std::log2(work[0] / work[1]), 2.0, 0.25) << n << ' ' << stages;
    }
  }
}

/// An orthonormal basis of what is orthogonal to p, by Gram and Schmidt.
std::vector<std::vector<double>> tangents(std::span<const double> p) {
  std::vector<std::vector<double>> basis{std::vector(p.begin(), p.end())};
  for (double& x : basis[0]) x /= length(p);
  for (std::size_t j = 0; j < p.size() && basis.size() < p.size(); ++j) {
    std::vector<double> v(p.size(), 0.0);
    v[j] = 1.0;
    for (const auto& b : basis) {
      double product = 0.0;
      for (std::size_t i = 0; i < v.size(); ++i) product += v[i] * b[i];
      for (std::size_t i = 0; i < v.size(); ++i) v[i] -= product * b[i];
    }
    const double size = length(v);
    if (size < 0.3) continue;
    for (double& x : v) x /= size;
    basis.push_back(v);
  }
  basis.erase(basis.begin());
  return basis;
}

/// log |det| of the map on R^d × sphere, by central differences along great circles.
double log_volume(const Model& model, const IntegratorOptions& options, const State& at, int steps) {
  constexpr double h = 1e-4;
  const std::size_t n = at.size() / 2;
  const State end = move(model, options, at, 1.0, steps).state;
  const auto before = tangents(momentum(at)), after = tangents(momentum(end));
  EXPECT_EQ(before.size(), n - 1);
  EXPECT_EQ(after.size(), n - 1);
  const double speed = length(momentum(at));
  const std::size_t size = 2 * n - 1;
  Matrix jacobian(static_cast<Index>(size), static_cast<Index>(size));
  for (std::size_t column = 0; column < size; ++column) {
    const auto moved = [&](double by) {
      State state = at;
      if (column < n) {
        state[column] += by;
      } else {
        const auto& v = before[column - n];
        for (std::size_t i = 0; i < n; ++i)
          state[n + i] = std::cos(by / speed) * at[n + i] + std::sin(by / speed) * speed * v[i];
      }
      return move(model, options, state, 1.0, steps).state;
    };
    const State up = moved(h), down = moved(-h);
    for (std::size_t row = 0; row < size; ++row) {
      double change = row < n ? up[row] - down[row] : 0.0;
      for (std::size_t i = 0; row >= n && i < n; ++i) change += after[row - n][i] * (up[n + i] - down[n + i]);
      jacobian(static_cast<Index>(row), static_cast<Index>(column)) = change / (2.0 * h);
    }
  }
  return log_abs_determinant(jacobian);
}

/// Whether the field is a gradient or not: so gradients may be in single precision.
TEST(Isokinetic, TheWorkIsMinusTheLogarithmOfTheGrowthOfVolume) {
  for (const Index n : {2, 3, 6}) {
    const FunctionModel ripples = rippled_model(n);
    const FunctionModel swirl(n, [](std::span<const double> q, std::span<double> gradient) {
      for (std::size_t i = 0; i < gradient.size(); ++i)
        gradient[i] = -q[i] - 0.8 * std::sin(q[(i + 1) % q.size()]) + 0.5 * q[(i + 2) % q.size()] * q[i];
      return 0.0;
    });
    for (const int stages : {1, 2, 3}) {
      for (const Model* model : {static_cast<const Model*>(&ripples), static_cast<const Model*>(&swirl)}) {
        RandomStream random({.seed = static_cast<std::uint64_t>(n)});
        const State start = random_point(n, random);
        const IntegratorOptions options = options_of(stages, 0.5);
        const double work = move(*model, options, start, 1.0, 2).work;
        EXPECT_GT(std::abs(work), 0.05);
        EXPECT_NEAR(log_volume(*model, options, start, 2), -work, 1e-6) << n << ' ' << stages;
      }
    }
  }
}

TEST(Isokinetic, FliesStraightWhereThereIsNoGradient) {
  const FunctionModel flat = slope_model({0.0, 0.0});
  const End end = move(flat, options_of(1, 0.5), {1.0, 2.0, 1.0, 1.0}, -1.0, 4);
  EXPECT_LT(distance(end.state, {-1.0, 0.0, 1.0, 1.0}), 1e-14);
  EXPECT_EQ(end.work, 0.0);
}

/// Kicks far beyond what sinh and cosh can hold: the momentum is turned downhill, and (d − 1) log Z = (d − 1)(δ + log (1 + e·u)/2).
TEST(Isokinetic, TakesGradientsOfAnySize) {
  const std::vector<double> slope{3e8, -4e8};
  const FunctionModel steep = slope_model(slope);
  for (const double direction : {1.0, -1.0}) {
    const End end = move(steep, options_of(1, 0.5), {0.0, 0.0, 1.0, 1.0}, direction, 1);
    EXPECT_EQ(end.status, Status::ok);
    const double root = std::sqrt(2.0);
    EXPECT_NEAR(end.state[2], -direction * 0.6 * root, 1e-12);
    EXPECT_NEAR(end.state[3], direction * 0.8 * root, 1e-12);
    const double delta = 0.5 * root * 5e8, cosine = direction * (0.8 - 0.6) / root;
    EXPECT_NEAR(end.work, delta + std::log(0.5 * (1.0 + cosine)), 1e-6);
  }
  const End endless = move(slope_model({1e200, 0.0}), options_of(1, 0.5), {0.0, 0.0, 1.0, 1.0}, 1.0, 1);
  EXPECT_NE(endless.status, Status::ok);
}

/// To the last bit, on every kind of processor; lanes with step 0 stay.
TEST(Isokinetic, LanesDoNotDependOnTheirNeighbours) {
  on_every_cpu([](CpuKind) {
    const FunctionModel model = rippled_model(7);
    RandomStream random({.seed = 5});
    std::vector<State> states;
    std::vector<double> directions;
    for (int l = 0; l < 23; ++l) {
      states.push_back(random_point(7, random));
      directions.push_back(l % 5 == 0 ? 0.0 : l % 2 == 0 ? 1.0 : -1.0);
    }
    const auto together = move(model, options_of(2, 0.4), states, directions, 3);
    for (std::size_t l = 0; l < states.size(); ++l) {
      const End alone = move(model, options_of(2, 0.4), states[l], directions[l], 3);
      EXPECT_EQ(together[l].state, alone.state) << l;
      EXPECT_EQ(together[l].work, alone.work) << l;
      if (directions[l] != 0.0) continue;
      EXPECT_EQ(together[l].state, states[l]);
    }
  });
}

TEST(Isokinetic, RefusesWhatItIsNotFor) {
  const auto message = [](IntegratorKind kind, const PoissonStructure& structure, int order) {
    IntegratorOptions options = options_of(1, 0.1);
    options.order = order;
    return message_of<InputError>([&] { (void)Integrator(kind, structure, options); });
  };
  const PoissonStructure canonical = PoissonStructure::canonical(2);
  EXPECT_THAT(message(IntegratorKind::leapfrog, PoissonStructure::canonical(1), 2), HasSubstr("1 dimension"));
  EXPECT_THAT(message(IntegratorKind::leapfrog, canonical, 4), HasSubstr("order = 4: must be 2"));
  EXPECT_THAT(message(IntegratorKind::midpoint, canonical, 2), HasSubstr("the integrator is midpoint"));
  for (const Shape shape : {Shape::magnetic_position, Shape::canonical_any_A})
    EXPECT_THAT(message(IntegratorKind::leapfrog, random_structure(2, shape, 1), 2), HasSubstr("canonical one"));
}

}  // namespace
}  // namespace darboux::testing

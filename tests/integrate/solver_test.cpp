#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <darboux/core/error.hpp>
#include <darboux/structure/recipes.hpp>

#include "model/gaussian.hpp"
#include "model/skewed.hpp"
#include "support/integrator_cases.hpp"
#include "support/synthetic_logistic.hpp"

namespace darboux::testing {
namespace {

PoissonStructure momentum_structure(const Matrix& e) {
  return PoissonStructure::from_blocks(e, Matrix::identity(e.rows()), Matrix(e.rows(), e.rows()));
}

Variant implicit(IntegratorKind kind, double step_size, SolverMethod method = SolverMethod::metric_newton) {
  Variant v{.label = std::string(name(kind)), .kind = kind, .options = {}};
  v.options.step_size = step_size;
  v.options.solver.method = method;
  return v;
}

std::vector<State> normal_states(std::size_t count, Index size, std::uint64_t seed, double scale = 1.0) {
  RandomStream random({.seed = seed});
  std::vector<State> states;
  for (std::size_t i = 0; i < count; ++i) states.push_back(random_state(size, random, scale));
  return states;
}

class Solver : public ::testing::TestWithParam<IntegratorKind> {};
INSTANTIATE_TEST_SUITE_P(Implicit, Solver, ::testing::Values(IntegratorKind::midpoint, IntegratorKind::split_midpoint),
                         [](const auto& test) {
                           return test.param == IntegratorKind::midpoint ? "midpoint" : "split_midpoint";
                         });

TEST_P(Solver, BothMethodsFindTheSameRoot) {
  const PoissonStructure structure = random_structure(5, Shape::general, 7);
  const FunctionModel model = rippled_model(5);
  const auto states = normal_states(8, 10, 1);
  TrajectoryMap newton(implicit(GetParam(), 0.2), structure, model);
  TrajectoryMap fixed_point(implicit(GetParam(), 0.2, SolverMethod::fixed_point), structure, model);
  Variant guided = implicit(GetParam(), 0.2);  // the guess of the Hessian changes the way there, not the root
  guided.options.solver.precision = Matrix::diagonal(std::vector<double>{0.5, 1.0, 1.5, 2.0, 2.5});
  TrajectoryMap with_precision(guided, structure, model);
  const auto a = newton(states, {1.0}, 3);
  const auto b = fixed_point(states, {1.0}, 3);
  const auto c = with_precision(states, {1.0}, 3);
  for (std::size_t l = 0; l < states.size(); ++l) {
    EXPECT_LT(distance(a[l], b[l]), 1e-8);
    EXPECT_LT(distance(c[l], b[l]), 1e-8);
  }
}

/// The defining equation of the midpoint rule, checked with the answer in hand.
TEST(MidpointRule, SatisfiesItsEquation) {
  const PoissonStructure structure = random_structure(4, Shape::general, 3);
  const FunctionModel model = rippled_model(4);
  const double dt = 0.3;
  TrajectoryMap map(implicit(IntegratorKind::midpoint, dt), structure, model);
  const State start = normal_states(1, 8, 5).front();
  const State end = map(start, 1.0, 1);
  PhaseBlock mid(4, 1);
  State middle(8);
  for (std::size_t i = 0; i < 8; ++i) middle[i] = 0.5 * (start[i] + end[i]);
  set_lane(mid, 0, middle);
  Potential u(model, 1);
  u.refresh_gradient(mid, std::vector<double>{dt}, false);
  OwnedBatch dq(4, 1), dp(4, 1);
  structure.apply(mid.gradient, mid.p, {dq, dp});
  for (Index j = 0; j < 4; ++j) {
    const auto i = static_cast<std::size_t>(j);
    EXPECT_NEAR(end[i], start[i] + dt * dq(j, 0), 1e-9);
    EXPECT_NEAR(end[i + 4], start[i + 4] + dt * dp(j, 0), 1e-9);
  }
}

TEST_P(Solver, UnconvergedSolvesSaySo) {
  // ‖(ε/2) E ∇²U‖ is far above 1: the fixed point cannot converge, and one iteration is too few for Newton.
  const PoissonStructure structure = momentum_structure(Matrix{{0, 30}, {-30, 0}});
  const FunctionModel model = rippled_model(2);
  TrajectoryMap fixed_point(implicit(GetParam(), 0.5, SolverMethod::fixed_point), structure, model);
  fixed_point(normal_states(5, 4, 2), {1.0}, 1);
  EXPECT_EQ(fixed_point.status, std::vector<Status>(5, Status::not_converged));

  Variant hasty = implicit(GetParam(), 0.5);
  hasty.options.solver.max_iterations = 1;
  TrajectoryMap newton(hasty, structure, model);
  newton(normal_states(5, 4, 2), {1.0}, 1);
  EXPECT_EQ(newton.status, std::vector<Status>(5, Status::not_converged));
  EXPECT_EQ(newton.solver_iterations, std::vector<std::int64_t>(5, 1));
}

/// A coarse step on a skewed target: some lanes solve forward and cannot be solved back. Without the reverse check they pass
/// as ok; with it they are `not_reversible`, and no lane that does return is accused.
TEST_P(Solver, ForwardConvergesWhereTheReverseDoesNot) {
  const PoissonStructure structure = momentum_structure(Matrix{{0, 2}, {-2, 0}});
  const Skewed model(2);
  Variant unchecked = implicit(GetParam(), 0.6);
  unchecked.check_reverse = false;
  const auto starts = normal_states(2000, 4, 6, 1.3);
  TrajectoryMap forward(unchecked, structure, model);
  const auto ends = forward(starts, {1.0}, 1);
  const auto forward_status = forward.status;
  const auto back = forward(ends, {-1.0}, 1);
  const auto back_status = forward.status;
  TrajectoryMap checked(implicit(GetParam(), 0.6), structure, model);
  checked(starts, {1.0}, 1);

  int reverse_fails = 0, returns_elsewhere = 0;
  for (std::size_t l = 0; l < starts.size(); ++l) {
    if (forward_status[l] != Status::ok) {
      EXPECT_EQ(checked.status[l], forward_status[l]);
      continue;
    }
    const bool reverse_converges = back_status[l] == Status::ok;
    const bool returns = reverse_converges && distance(starts[l], back[l]) < 1e-5;
    if (!reverse_converges) ++reverse_fails;
    if (reverse_converges && !returns) ++returns_elsewhere;
    EXPECT_EQ(checked.status[l], returns ? Status::ok : Status::not_reversible) << l;
  }
  EXPECT_GT(reverse_fails, 0);
  RecordProperty("forward_ok_reverse_not", reverse_fails);
  RecordProperty("returns_elsewhere", returns_elsewhere);
}

/// Flows that fail to return in every way there is, one per lane.
TEST(ReverseCheck, AccusesExactlyTheLanesThatDoNotReturn) {
  PhaseBlock z(1, 6);
  const std::vector<double> dt{0.1, 0.1, 0.1, 0.1, 0.1, 0.0};
  const auto flow = [&](Batch q, Batch p, LaneSteps h, std::span<Status> status) {
    const bool backward = h[0] < 0.0;
    for (std::size_t l = 0; l < h.size(); ++l) {
      q(0, static_cast<Index>(l)) += h[l];
      p(0, static_cast<Index>(l)) -= h[l];
    }
    if (backward) {
      q(0, 1) += 1e-4;                    // returns to another position
      p(0, 2) += 1e-4;                    // returns with another momentum
      q(0, 3) = NAN;                      // returns nowhere
      status[4] = Status::not_converged;  // cannot be solved back
    }
  };
  ReverseCheck check(SolverOptions{});
  check.apply(z, dt, flow);
  using enum Status;
  EXPECT_EQ(z.status, (LaneVector<Status>{ok, not_reversible, not_reversible, not_reversible, not_reversible, ok}));
  EXPECT_DOUBLE_EQ(z.q(0, 1), 0.1);  // the state is that of the forward flow

  PhaseBlock unchecked(1, 6);
  unchecked.check_reverse = false;
  check.apply(unchecked, dt, flow);
  EXPECT_EQ(unchecked.status, LaneVector<Status>(6, ok));
}

/// Evaluations per step on whitened logistic posteriors (1000 rows, 21 coefficients), ε = 0.4, ‖E‖ = 3.
TEST_P(Solver, MetricNewtonNeedsFewEvaluations) {
  for (const Classes classes : {Classes::separated, Classes::blurred}) {
    const SyntheticLogistic logistic = synthetic_logistic(1000, 20, classes);
    const Index n = logistic.whitened->dim();
    ASSERT_EQ(n, 21);
    const PoissonStructure structure =
        make_structure(Recipe::magnetic_momentum, n, {.size = SpectralStrength{3.0}, .seed = 1, .A = {}});
    const auto states = normal_states(16, 2 * n, 8);
    constexpr int steps = 10;
    const auto evaluations_per_step = [&](SolverMethod method) {
      Variant v = implicit(GetParam(), 0.4, method);
      v.options.solver.tolerance = 1e-8;
      v.check_reverse = false;
      v.options.solver.max_iterations = 1000;
      TrajectoryMap map(v, structure, *logistic.whitened);
      map(states, {1.0}, steps);
      EXPECT_EQ(map.status, std::vector<Status>(states.size(), Status::ok));
      std::vector<double> per_step;
      for (const auto count : map.gradient_evaluations) per_step.push_back(static_cast<double>(count) / steps);
      return per_step;
    };
    const auto newton = evaluations_per_step(SolverMethod::metric_newton);
    const auto fixed_point = evaluations_per_step(SolverMethod::fixed_point);
    EXPECT_LE(*std::max_element(newton.begin(), newton.end()), 8.0);
    EXPECT_GT(*std::min_element(fixed_point.begin(), fixed_point.end()), 25.0);
  }
}

/// With H₀ the true precision of a Gaussian, Newton is exact: one iteration to arrive, one to notice.
TEST_P(Solver, TheRightPrecisionMakesNewtonExactOnAGaussian) {
  const Index n = 6;
  const PoissonStructure structure = random_structure(n, Shape::general, 21);
  Matrix precision = Matrix::identity(n);
  for (Index i = 0; i < n; ++i) precision(i, i) = std::pow(10.0, static_cast<double>(i - 2));
  const Gaussian model = Gaussian::from_precision(State(6, 0.0), precision);
  Variant v = implicit(GetParam(), 0.1);
  v.check_reverse = false;
  v.options.solver.precision = precision;
  TrajectoryMap map(v, structure, model);
  map(normal_states(4, 2 * n, 3, 0.1), {1.0}, 1);
  for (const auto iterations : map.solver_iterations) EXPECT_LE(iterations, 2);
}

TEST(SolverOptions, BadOnesAreRefusedByName) {
  const PoissonStructure structure = momentum_structure(Matrix{{0, 1}, {-1, 0}});
  const auto message = [&](auto change) -> std::string {
    Variant v = implicit(IntegratorKind::split_midpoint, 0.1);
    change(v.options);
    try {
      const Integrator integrator(v.kind, structure, v.options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using O = IntegratorOptions;
  EXPECT_EQ(message([](O&) {}), "accepted");
  EXPECT_THAT(message([](O& o) { o.solver.tolerance = -1; }), ::testing::HasSubstr("tolerance = -1"));
  EXPECT_THAT(message([](O& o) { o.solver.tolerance = NAN; }), ::testing::HasSubstr("tolerance = nan"));
  EXPECT_THAT(message([](O& o) { o.solver.max_iterations = 0; }), ::testing::HasSubstr("max_iterations = 0"));
  EXPECT_THAT(message([](O& o) { o.solver.reverse_threshold = o.solver.tolerance; }),
              ::testing::HasSubstr("at least 100 times the tolerance"));
  EXPECT_THAT(message([](O& o) { o.solver.precision = Matrix(3, 3); }), ::testing::HasSubstr("3 × 3: must be 2 × 2"));
  EXPECT_THAT(message([](O& o) { o.solver.precision = Matrix{{1, 0}, {0, -1}}; }),
              ::testing::HasSubstr("positive definite"));
}

}  // namespace
}  // namespace darboux::testing

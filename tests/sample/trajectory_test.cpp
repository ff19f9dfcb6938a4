#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <numbers>
#include <vector>

#include "model/gaussian.hpp"
#include "sample/nuts.hpp"
#include "sample/trajectory_rule.hpp"
#include "support/instrumented_model.hpp"
#include "support/integrator_cases.hpp"

namespace darboux::testing {
namespace {

/// Jumps as the exact flow of a standard Gaussian in n dimensions makes them: the mean is forgotten by 1 − cos t and the
/// distance from it by 1 − cos² t, at one gradient per step.
JumpSums gaussian_jumps(double duration, double step_size) {
  constexpr double n = 10.0, count = 400.0;
  const double radius = std::sqrt(n - 0.5);  // E‖q‖ ≈ √(n − ½), Var ‖q‖ ≈ ½
  return {.duration = duration,
          .linear = count * 2.0 * n * (1.0 - std::cos(duration)),
          .radial = count * 2.0 * 0.5 * std::pow(std::sin(duration), 2),
          .norm = count * radius,
          .norm_squared = count * n,
          .gradients = count * duration / step_size,
          .count = count};
}

/// Without jitter, min(tan²(t/2), sin² t/(1 + cos² t))/t is largest at t = π/2, where both are 1.
TEST(TrajectorySearch, AQuarterTurnIsBestForAGaussian) {
  TrajectorySearch search;
  for (double t = 0.3; t < 4.0; t *= 1.05) search.observe(gaussian_jumps(t, 0.1));
  EXPECT_NEAR(search.best({.shortest = 1.0, .longest = 1.0}, 3.0), std::numbers::pi / 2.0, 0.12);
  const double jittered = search.best({}, 3.0);
  EXPECT_GT(jittered, 1.1);
  EXPECT_LT(jittered, 1.7);
}

/// Where 1 − ρ = t²/(1 + t²), effective draws per draw, t²/(2 + t²), grow for ever; per gradient they are best at t = √2.
TEST(TrajectorySearch, LongerIsNotBetterWhereItCostsMore) {
  TrajectorySearch search;
  for (double t = 0.3; t < 8.0; t *= 1.05) {
    JumpSums jumps = gaussian_jumps(t, 0.1);
    const double forgotten = t * t / (1.0 + t * t);
    jumps.linear = 2.0 * jumps.norm_squared * forgotten;
    jumps.radial = jumps.count * forgotten;
    search.observe(jumps);
  }
  EXPECT_NEAR(search.best({.shortest = 1.0, .longest = 1.0}, 5.0), std::numbers::sqrt2, 0.15);
}

TEST(TrajectorySearch, StaysWhereNothingIsClearlyBetter) {
  TrajectorySearch search;
  EXPECT_EQ(search.best({}, 1.5), 1.5);
  search.observe({.duration = 3.0, .count = 5.0});  // too few to tell
  EXPECT_EQ(search.best({}, 1.5), 1.5);
  search.forget();
  for (double t = 0.3; t < 4.0; t *= 1.05) search.observe(gaussian_jumps(t, 0.1));
  EXPECT_EQ(search.best({}, 1.4), 1.4);
}

/// What those rely on who plan a run.
TEST(TrajectoryRule, EveryKindClaimsWhatItIs) {
  struct Claim {
    TrajectoryKind kind;
    bool takes_length, takes_depth, needs_warmup, goes_both_ways, needs_values, chains_part;
  };
  const std::vector<Claim> claims{{TrajectoryKind::jittered, true, false, false, false, false, false},
                                  {TrajectoryKind::chees, false, false, true, false, false, false},
                                  {TrajectoryKind::nuts, false, true, false, true, true, true}};
  EXPECT_EQ(claims.size(), all_values<TrajectoryKind>().size());
  for (const Claim& claim : claims) {
    const TrajectoryTraits traits = traits_of(claim.kind);
    EXPECT_EQ(traits.kind, claim.kind);
    EXPECT_EQ(traits.takes_length, claim.takes_length) << name(claim.kind);
    EXPECT_EQ(traits.takes_depth, claim.takes_depth) << name(claim.kind);
    EXPECT_EQ(traits.needs_warmup, claim.needs_warmup) << name(claim.kind);
    EXPECT_EQ(traits.goes_both_ways, claim.goes_both_ways) << name(claim.kind);
    EXPECT_EQ(traits.needs_values, claim.needs_values) << name(claim.kind);
    EXPECT_EQ(traits.chains_part, claim.chains_part) << name(claim.kind);
  }
}

TEST(Kernel, JumpsCountAsFarAsTheyAreAccepted) {
  constexpr Index n = 3;
  const Gaussian model = Gaussian::standard(n);
  Kernel kernel(Integrator(IntegratorKind::leapfrog, PoissonStructure::canonical(n),
                           {.step_size = 1.3, .solver = {}, .copies = {}}),
                {});
  ChainBlock block(n, 5, 1, 0);
  Potential u(model, 5);
  for (Index l = 0; l < 5; ++l)
    for (Index j = 0; j < n; ++j) block.z.q(j, l) = 0.3 * static_cast<double>(j + l) - 0.5;
  Kernel::draw_direction_and_momentum(block);
  Kernel::evaluate(block, u);
  std::vector<Transition> out(5);
  const PhaseBlock before = block.z;
  kernel.transition(block, u, 0, 2, out);
  double norm = 0.0, squares = 0.0, distance_of_accepted = 0.0, weight = 0.0;
  for (Index l = 0; l < 5; ++l) {
    double here = 0.0, moved = 0.0;
    for (Index j = 0; j < n; ++j) {
      here += before.q(j, l) * before.q(j, l);
      moved += std::pow(block.z.q(j, l) - before.q(j, l), 2);
    }
    norm += std::sqrt(here);
    squares += here;
    const auto lane = static_cast<std::size_t>(l);
    if (out[lane].accepted) distance_of_accepted += out[lane].acceptance_probability * moved;
    weight += out[lane].acceptance_probability;
  }
  JumpSums jumps;
  for (const JumpSums& jump : kernel.jumps()) {
    EXPECT_EQ(jump.duration, 2.6);
    jumps += jump;
  }
  EXPECT_EQ(jumps.count, 5.0);
  EXPECT_EQ(jumps.gradients, 15.0);
  EXPECT_DOUBLE_EQ(jumps.norm, norm);
  EXPECT_DOUBLE_EQ(jumps.norm_squared, squares);
  ASSERT_LT(weight, 4.9);  // some proposals are likely to be rejected
  for (const Transition& t : out) ASSERT_TRUE(t.accepted) << "choose another seed: all are needed";
  EXPECT_NEAR(jumps.linear, distance_of_accepted, 1e-12 * jumps.linear);
}

const Stopped never = [] { return false; };

struct Forest {
  Forest(IntegratorKind kind, const PoissonStructure& structure, double step_size, int max_depth = 10)
      : model(std::make_shared<Gaussian>(Gaussian::standard(structure.dim()))),
        nuts(Integrator(kind, structure, {.step_size = step_size, .solver = {}, .copies = {}}), structure, {},
             max_depth),
        block(structure.dim(), 5, 3, 0),
        u(model, 5) {
    for (Index l = 0; l < 5; ++l) {
      RandomStream random({.seed = 3, .purpose = Purpose::start, .chain = block.chain_of(l)});
      for (Index j = 0; j < block.z.dim(); ++j) block.z.q(j, l) = random.normal();
    }
    Kernel::draw_direction_and_momentum(block);
    Kernel::evaluate(block, u);
  }
  std::vector<Transition> run(int count) {
    std::vector<Transition> seen;
    nuts.run(
        block, u, {.first = 0, .count = count}, [&](Index, const Transition& t, const JumpSums&) { seen.push_back(t); },
        never);
    return seen;
  }

  InstrumentedModel model;
  Nuts nuts;
  ChainBlock block;
  Potential u;
};

/// On a Gaussian the motion has the period 2π. A tree ends once it spans about half of that; because trees double, and the
/// half that is given up counts, it takes between a fifth of a turn and a whole one.
TEST(Nuts, TreesEndWhereTheMotionTurnsBack) {
  Forest forest(IntegratorKind::leapfrog, PoissonStructure::canonical(10), 0.05);
  for (const Transition& t : forest.run(50)) {
    EXPECT_GT(t.steps * 0.05, 0.4 * std::numbers::pi);
    EXPECT_LT(t.steps * 0.05, 2.0 * std::numbers::pi);
    EXPECT_EQ(t.status, Status::ok);
    EXPECT_GT(t.acceptance_probability, 0.99);
    EXPECT_LE(t.steps, 1 << (t.tree_depth + 1));
  }
}

/// E = s J turns every plane of positions by itself, and a Gaussian's gradient is q: q̇ = s J q + p. Where s is large, q runs in
/// circles at the rate s, which only the whole velocity shows.
TEST(Nuts, TheVelocityIsThatOfThePositions) {
  const Matrix turn = plane_rotations(2, {{0, 1}}, 8.0);
  const auto structure = PoissonStructure::from_blocks(turn, Matrix::identity(2), Matrix(2, 2));
  Forest forest(IntegratorKind::split_midpoint, structure, 0.02);
  double time = 0.0;
  const auto seen = forest.run(40);
  for (const Transition& t : seen) time += t.steps * 0.02 / static_cast<double>(seen.size());
  EXPECT_LT(time, 2.0 * std::numbers::pi / 8.0);  // within a turn; without E it would be several
}

TEST(Nuts, EveryChainMakesEveryIterationOnce) {
  Forest forest(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.4);
  std::vector<int> made(5, 0);
  const auto count = [&](Index lane, const Transition&, const JumpSums&) { ++made[at(lane)]; };
  forest.nuts.run(forest.block, forest.u, {.first = 7, .count = 30}, count, never);
  EXPECT_EQ(made, std::vector<int>(5, 30));
}

/// What a chain does depends neither on its block nor on how its iterations are divided into runs.
TEST(Nuts, AChainDoesNotDependOnOthers) {
  Forest all(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.4);
  Forest parts(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.4);
  (void)all.run(20);
  const auto ignore = [](Index, const Transition&, const JumpSums&) {};
  for (int i = 0; i < 20; ++i) parts.nuts.run(parts.block, parts.u, {.first = i, .count = 1}, ignore, never);
  Forest other(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.4);
  for (Index j = 0; j < 3; ++j) other.block.z.q(j, 4) += 1.0;
  Kernel::evaluate(other.block, other.u);
  (void)other.run(20);
  for (Index l = 0; l < 5; ++l)
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(all.block.z.q(j, l), parts.block.z.q(j, l));
      EXPECT_EQ(all.block.z.q(j, l) == other.block.z.q(j, l), l != 4);
    }
}

/// One gradient per step and one at the beginning; values come with them.
TEST(Nuts, SpendsOneGradientPerStep) {
  Forest forest(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.4);
  forest.model.reset();
  std::int64_t steps = 0, gradients = 0;
  for (const Transition& t : forest.run(20)) {
    steps += t.steps;
    gradients += t.gradients;
  }
  EXPECT_EQ(gradients, steps + 5);
  std::int64_t evaluated = 0;
  for (Index l = 0; l < 5; ++l) {
    evaluated += forest.model.gradients(l);
    EXPECT_EQ(forest.model.values_only(l), 0);
  }
  EXPECT_EQ(evaluated, gradients);
}

TEST(Nuts, AFailedStepEndsTheTreeAndKeepsTheChain) {
  for (const auto kind : {Fault::Kind::nan_gradient, Fault::Kind::infinite_value, Fault::Kind::model_error}) {
    Forest forest(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 0.1);
    forest.model.reset();
    forest.model.inject({.kind = kind, .lane = 2, .call = 9});
    int failed = 0;
    for (const Transition& t : forest.run(3)) {
      if (t.status == Status::ok) continue;
      ++failed;
      EXPECT_EQ(t.status, kind == Fault::Kind::model_error ? Status::model_error : Status::diverged);
    }
    EXPECT_EQ(failed, 1);
    for (Index l = 0; l < 5; ++l)
      for (Index j = 0; j < 3; ++j) EXPECT_TRUE(std::isfinite(forest.block.z.q(j, l)));
  }
}

TEST(Nuts, StopsAtItsLargestDepth) {
  Forest forest(IntegratorKind::leapfrog, PoissonStructure::canonical(3), 1e-3, 3);
  for (const Transition& t : forest.run(4)) {
    EXPECT_EQ(t.tree_depth, 3);
    EXPECT_EQ(t.steps, 7);
  }
}

TEST(Nuts, RefusesCopiesOfPhaseSpace) {
  const auto structure = make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.5}, .seed = 1, .A = {}});
  EXPECT_THROW(Forest(IntegratorKind::doubled, structure, 0.1), InputError);
}

}  // namespace
}  // namespace darboux::testing

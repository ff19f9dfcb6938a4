#include "sample/sample_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>
#include <memory>
#include <span>
#include <string>

#include "model/gaussian.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
using Asked = SampleOptions;

std::shared_ptr<const Model> gaussian(Index dim) { return std::make_shared<const Gaussian>(Gaussian::standard(dim)); }

/// A Gaussian that does not say that it is log-concave.
std::shared_ptr<const Model> unknown_density() {
  return std::make_shared<const FunctionModel>(1, [](std::span<const double> q, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
}

SamplerSettings decided(const Asked& asked, Index dim = 3) { return plan_sampling(gaussian(dim), asked).settings; }

TEST(SamplePlan, PreconditionsAsTheDimensionAllows) {
  EXPECT_EQ(decided({}, 200).metric, Metric::dense);
  EXPECT_EQ(decided({}, 201).metric, Metric::low_rank);
  EXPECT_EQ(decided({.metric = Metric::diagonal}, 201).metric, Metric::diagonal);
}

TEST(SamplePlan, BendsCoordinatesWhereThatIsKnownToHelp) {
  EXPECT_EQ(decided({}).map, std::nullopt) << "warm-up decides";
  EXPECT_EQ(decided({.map = MarginalMap::none}).map, MarginalMap::none);
  EXPECT_EQ(decided({.map = MarginalMap::sinh_arcsinh}).map, MarginalMap::sinh_arcsinh);
  EXPECT_EQ(decided({.metric = Metric::identity}).map, MarginalMap::none);
  EXPECT_EQ(decided({.warmup = 0, .step_size = 0.1}).map, MarginalMap::none);
  EXPECT_EQ(decided({.tuning = Tuning()}).map, MarginalMap::none) << "the tuning says";
  const PoissonStructure magnetic =
      make_structure(Recipe::magnetic_position, 3, {.size = SpectralStrength{0.5}, .A = {}});
  EXPECT_EQ(decided({.structure = magnetic}).map, MarginalMap::none);
  EXPECT_EQ(decided({.structure = magnetic, .map = MarginalMap::sinh_arcsinh}).map, MarginalMap::sinh_arcsinh);
  EXPECT_EQ(decided({.integrator = IntegratorKind::midpoint}).map, MarginalMap::none);
}

TEST(SamplePlan, LooksForALengthWhereNoneIsKnown) {
  EXPECT_EQ(decided({}, 200).trajectory.kind(), TrajectoryKind::jittered);
  EXPECT_EQ(decided({}, 201).trajectory.kind(), TrajectoryKind::chees);
  EXPECT_EQ(decided({.metric = Metric::diagonal}).trajectory.kind(), TrajectoryKind::chees);
  EXPECT_EQ(decided({.metric = Metric::dense}, 201).trajectory.kind(), TrajectoryKind::jittered);
  EXPECT_EQ(decided({.trajectory = TrajectoryKind::nuts}).trajectory.kind(), TrajectoryKind::nuts);
  EXPECT_EQ(decided({.warmup = 0, .step_size = 0.1}, 201).trajectory.kind(), TrajectoryKind::jittered);
}

TEST(SamplePlan, ALengthThatIsGivenIsMeant) {
  for (const Index dim : {Index{3}, Index{201}}) {
    const SamplerSettings by_steps = decided({.steps = 7}, dim);
    EXPECT_EQ(by_steps.trajectory.kind(), TrajectoryKind::jittered);
    EXPECT_EQ(by_steps.trajectory.length().mean_steps(0.3), 7.0);
    const SamplerSettings by_time = decided({.trajectory_time = 3.0}, dim);
    EXPECT_EQ(by_time.trajectory.kind(), TrajectoryKind::jittered);
    EXPECT_DOUBLE_EQ(by_time.trajectory.length().mean_steps(0.3), 10.0);
  }
  const SamplePlan plan = plan_sampling(
      gaussian(3), {.chains = 2, .warmup = 0, .draws = 20, .seed = 1, .threads = 1, .step_size = 0.1, .steps = 7});
  int draws = 0;
  CallbackSink sink([&](const Draw& draw) {
    ++draws;
    EXPECT_EQ(draw.transition.steps, 7);
  });
  (void)Sampler(plan.model, plan.settings).run(plan.starts, sink);
  EXPECT_EQ(draws, 40);
}

TEST(SamplePlan, TakesTheCheapestExactIntegrator) {
  const auto chosen = [](Recipe recipe) { return decided({.structure = make_structure(recipe, 3)}).integrator; };
  EXPECT_EQ(decided({}).integrator, IntegratorKind::leapfrog);
  EXPECT_EQ(chosen(Recipe::canonical), IntegratorKind::leapfrog);
  EXPECT_EQ(chosen(Recipe::magnetic_position), IntegratorKind::magnetic_leapfrog);
  EXPECT_EQ(chosen(Recipe::magnetic_momentum), IntegratorKind::split_midpoint);
  EXPECT_EQ(chosen(Recipe::coupled), IntegratorKind::split_midpoint);
  EXPECT_EQ(decided({.integrator = IntegratorKind::midpoint}).integrator, IntegratorKind::midpoint);
}

TEST(SamplePlan, AimsAtTheAcceptanceThatSuits) {
  EXPECT_EQ(decided({}).target_acceptance, 0.8);
  EXPECT_EQ(plan_sampling(unknown_density(), {}).settings.target_acceptance, 0.9);
  EXPECT_EQ(decided({.integrator = IntegratorKind::doubled}).target_acceptance, 0.7);
  EXPECT_EQ(plan_sampling(unknown_density(), {.integrator = IntegratorKind::doubled}).settings.target_acceptance, 0.7);
  EXPECT_EQ(decided({.target_acceptance = 0.65}).target_acceptance, 0.65);
}

TEST(SamplePlan, SeedsAreKeptOrNew) {
  const SamplePlan given = plan_sampling(gaussian(3), {.seed = 5});
  EXPECT_EQ(given.settings.seed, 5U);
  EXPECT_EQ(given.asked.seed, 5U);
  const SamplePlan one = plan_sampling(gaussian(3), {}), other = plan_sampling(gaussian(3), {});
  EXPECT_EQ(one.asked.seed, one.settings.seed);
  EXPECT_NE(one.settings.seed, other.settings.seed);
}

TEST(SamplePlan, GoesOnForAHundredTimesTheDrawsUnlessToldOtherwise) {
  EXPECT_EQ(decided({.draws = 50}).draws, 50);
  EXPECT_EQ(decided({.draws = 50, .target_ess = 400.0}).draws, 5000);
  EXPECT_EQ(decided({.draws = 50, .target_ess = 400.0, .max_draws = 70}).draws, 70);
}

/// Why a plan with these options is refused.
std::string refusal(const Asked& asked) {
  try {
    (void)plan_sampling(gaussian(3), asked);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(SamplePlan, RefusesStoppingRulesWithoutMeaning) {
  EXPECT_THAT(refusal({.max_draws = 5000}), HasSubstr("max-draws is for target-ess, which is not given"));
  EXPECT_THAT(refusal({.draws = 100, .target_ess = 400.0, .max_draws = 50}),
              HasSubstr("max-draws = 50: must be at least draws = 100"));
  EXPECT_THAT(refusal({.thin = 0}), HasSubstr("thin = 0: must be at least 1"));
}

TEST(SamplePlan, RefusesTrajectoriesThatContradictThemselves) {
  using enum TrajectoryKind;
  EXPECT_THAT(refusal({.warmup = 0, .step_size = 0.1, .trajectory = chees}),
              HasSubstr("trajectory = chees: needs warm-up"));
  EXPECT_THAT(refusal({.trajectory = jittered, .max_depth = 5}),
              HasSubstr("max-depth is for nuts, but trajectory = jittered"));
  EXPECT_THAT(refusal({.trajectory = nuts, .steps = 5}),
              HasSubstr("steps is for trajectories of a given length, but trajectory = nuts"));
  EXPECT_THAT(refusal({.steps = 5, .trajectory_time = 1.0}), HasSubstr("give one of them"));
  EXPECT_THAT(refusal({.trajectory = nuts, .direction = DirectionMode::random}),
              HasSubstr("direction = random: nuts goes both ways"));
  EXPECT_THAT(refusal({.integrator = IntegratorKind::midpoint, .reverse_check = 0.5, .trajectory = nuts}),
              HasSubstr("reverse-check = 0.5: must be 1 for nuts"));
  EXPECT_THAT(refusal({.momentum_kept = 1.0}), HasSubstr("momentum-kept = 1: the momentum would never change"));
  EXPECT_EQ(refusal({.momentum_kept = 0.9}), "accepted");
}

TEST(SamplePlan, RefusesSettingsOfOtherIntegrators) {
  EXPECT_THAT(refusal({.angle = 0.5}), HasSubstr("angle is for explicit and doubled, but the integrator is leapfrog"));
  EXPECT_THAT(refusal({.tolerance = 1e-8}), HasSubstr("tolerance is for midpoint and split-midpoint"));
  EXPECT_THAT(refusal({.reverse_check = 0.5}), HasSubstr("reverse-check is for midpoint and split-midpoint"));
  EXPECT_THAT(refusal({.integrator = IntegratorKind::doubled, .binding = 1.0}), HasSubstr("binding is for explicit"));
  EXPECT_THAT(refusal({.integrator = IntegratorKind::explicit_copies, .copy_spread = 0.1}),
              HasSubstr("copy-spread is for doubled, but the integrator is explicit"));
  EXPECT_EQ(refusal({.integrator = IntegratorKind::doubled, .angle = 0.5, .copy_spread = 0.1}), "accepted");
  EXPECT_THAT(refusal({.gradient_precision = GradientPrecision::mixed}),
              HasSubstr("gradient-precision = mixed: this model computes its gradients in full precision only"));
}

TEST(SamplePlan, ATuningLeavesABurnInAndHasRandomNumbersOfItsOwn) {
  EXPECT_EQ(decided({.tuning = Tuning()}).warmup, 100);
  EXPECT_EQ(decided({.warmup = 7, .tuning = Tuning()}).warmup, 7);
  EXPECT_EQ(refusal({.save_warmup = true, .tuning = Tuning()}), "accepted");
  EXPECT_THAT(refusal({.warmup = 0, .save_warmup = true, .tuning = Tuning()}), HasSubstr("save-warmup is given"));
  EXPECT_EQ(decided({.seed = 5}).seed, 5U);
  const std::uint64_t apart = decided({.seed = 5, .tuning = Tuning()}).seed;
  EXPECT_NE(apart, 5U);
  EXPECT_EQ(decided({.seed = 5, .tuning = Tuning()}).seed, apart) << "the same again";
  EXPECT_NE(decided({.seed = 6, .tuning = Tuning()}).seed, apart);
  Tuning other;
  other.step_size = 0.2;
  EXPECT_NE(decided({.seed = 5, .tuning = other}).seed, apart);
}

TEST(SamplePlan, RefusesToWarmUpWithoutWarmUp) {
  EXPECT_THAT(refusal({.warmup = 0}), HasSubstr("warmup = 0 leaves the step size open"));
  EXPECT_EQ(refusal({.warmup = 0, .step_size = 0.1}), "accepted");
  EXPECT_THAT(refusal({.warmup = 0, .metric = Metric::dense, .step_size = 0.1}),
              HasSubstr("metric is given, but warmup = 0"));
  EXPECT_THAT(refusal({.warmup = 0, .step_size = 0.1, .target_acceptance = 0.8}),
              HasSubstr("target-acceptance is given, but warmup = 0"));
  EXPECT_THAT(refusal({.step_size = 0.1, .tuning = Tuning()}), HasSubstr("step-size is given, but tuning decides it"));
  EXPECT_THAT(refusal({.warmup = 0, .map = MarginalMap::sinh_arcsinh, .step_size = 0.1}),
              HasSubstr("map is given, but warmup = 0"));
  EXPECT_THAT(refusal({.map = MarginalMap::none, .tuning = Tuning()}),
              HasSubstr("map is given, but tuning decides it"));
  EXPECT_EQ(refusal({.warmup = 0, .map = MarginalMap::none, .step_size = 0.1}), "accepted");
  EXPECT_THAT(refusal({.metric = Metric::identity, .map = MarginalMap::sinh_arcsinh}),
              HasSubstr("map = sinh-arcsinh bends coordinates that a preconditioner made, but metric = identity"));
  EXPECT_THAT(refusal({.tuning = Tuning{.center = {}, .factor = {}, .shapes = std::vector<MarginalShape>(99)}}),
              HasSubstr("tuning: has shapes of 99 coordinates"));
}

}  // namespace
}  // namespace darboux::testing

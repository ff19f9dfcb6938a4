#include <gtest/gtest.h>

#include <darboux/structure/recipes.hpp>

#include "model/gaussian.hpp"
#include "sample/result_in_words.hpp"
#include "sample/sampler.hpp"
#include "support/synthetic_logistic.hpp"

/// What precision of gradients a run chooses where it may.
namespace darboux::testing {
namespace {

SampleResult short_run(const std::shared_ptr<const Model>& model, SamplerSettings options, const OwnedBatch& starts) {
  options.chains = starts.lanes();
  options.warmup = 0;
  options.draws = 1;
  options.seed = 1;
  CallbackSink nowhere([](const Draw&) {});
  return Sampler(model, options).run(starts, nowhere);
}

GradientPrecision chosen(const std::shared_ptr<const Model>& model, const SamplerSettings& options,
                         const OwnedBatch& starts) {
  return short_run(model, options, starts).gradient_precision;
}

OwnedBatch origins(const Model& model, Index chains = 4) { return {model.dim(), chains}; }

GradientPrecision chosen_for(IntegratorKind integrator, Recipe recipe, TrajectoryKind rule = TrajectoryKind::jittered) {
  const auto model = synthetic_logistic(100, 4).whitened;
  SamplerSettings options;
  options.integrator = integrator;
  options.structure = make_structure(recipe, model->dim());
  options.trajectory = TrajectoryRule::of(rule, {}, 10);
  return chosen(model, options, origins(*model));
}

TEST(GradientPrecision, IsTheLowestThatLeavesDrawsExact) {
  EXPECT_EQ(chosen_for(IntegratorKind::leapfrog, Recipe::canonical), GradientPrecision::single);
  EXPECT_EQ(chosen_for(IntegratorKind::magnetic_leapfrog, Recipe::magnetic_position), GradientPrecision::single);
  EXPECT_EQ(chosen_for(IntegratorKind::doubled, Recipe::coupled), GradientPrecision::single);
  EXPECT_EQ(chosen_for(IntegratorKind::split_midpoint, Recipe::magnetic_position), GradientPrecision::single);
  EXPECT_EQ(chosen_for(IntegratorKind::midpoint, Recipe::canonical), GradientPrecision::mixed);
  EXPECT_EQ(chosen_for(IntegratorKind::split_midpoint, Recipe::coupled), GradientPrecision::mixed);
  EXPECT_EQ(chosen_for(IntegratorKind::explicit_copies, Recipe::coupled), GradientPrecision::full);
  EXPECT_EQ(chosen_for(IntegratorKind::leapfrog, Recipe::canonical, TrajectoryKind::nuts), GradientPrecision::full);
  EXPECT_EQ(chosen_for(IntegratorKind::midpoint, Recipe::canonical, TrajectoryKind::nuts), GradientPrecision::mixed);
}

TEST(GradientPrecision, IsFullForModelsThatKnowNoOther) {
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(3));
  EXPECT_EQ(chosen(model, {}, origins(*model)), GradientPrecision::full);
}

TEST(GradientPrecision, IsWhatIsAskedFor) {
  const auto model = synthetic_logistic(100, 4).whitened;
  SamplerSettings options;
  options.gradient_precision = GradientPrecision::full;
  EXPECT_EQ(chosen(model, options, origins(*model)), GradientPrecision::full);
}

/// Every row has the predictor β₁ + β₂. Where β₁ = −β₂ = 10⁶, single precision knows it to 0.06 only; near 0 it does well.
TEST(GradientPrecision, IsFullAsSoonAsOneChainIsWhereSingleIsTooRough) {
  std::vector<double> y(8, 0.0);
  y[0] = y[1] = 1.0;
  const auto model = std::make_shared<const LogisticRegression>(
      Matrix(8, 2, 1.0), y, LogisticOptions{.intercept = false, .prior_scale = 1e6, .names = {}});
  OwnedBatch starts = origins(*model, 40);  // several blocks
  EXPECT_EQ(chosen(model, {}, starts), GradientPrecision::single);
  starts(0, 3) = 1e6 + 0.1;
  starts(1, 3) = -1e6;
  const SampleResult rough = short_run(model, {}, starts);
  EXPECT_EQ(rough.gradient_precision, GradientPrecision::full);
  EXPECT_EQ(gradients_in_words(rough), "in double precision: single would be too rough where the chains were");
  SamplerSettings asked;
  asked.gradient_precision = GradientPrecision::full;
  EXPECT_EQ(gradients_in_words(short_run(model, asked, starts)), "in double precision");
}

}  // namespace
}  // namespace darboux::testing

#include "sample/longest_step.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/gaussian.hpp"
#include "sample/sample_plan.hpp"
#include "sample/sampler.hpp"
#include "support/expect.hpp"

/// How long the steps of warm-up may get.
namespace darboux::testing {
namespace {

class Nobody final : public DrawSink {
 public:
  void draw(const Draw&) override {}
};

std::shared_ptr<const Model> gaussian_of_scale(Index dim, double scale) {
  return std::make_shared<Gaussian>(
      Gaussian::from_scales(std::vector<double>(at(dim), 0.0), std::vector<double>(at(dim), scale)));
}

SampleResult result_of(const std::shared_ptr<const Model>& model, SampleOptions options) {
  options.threads = 1;
  options.draws = 10;
  const SamplePlan plan = plan_sampling(model, options);
  Nobody nobody;
  return Sampler(plan.model, plan.settings).run(plan.starts, nobody, {});
}

/// Their acceptance falls only where they are not stable any more. A search for an acceptance would end there, and what it meets
/// beyond would look like a density that narrows.
TEST(LongestStep, IsAQuarterTurnWhereAcceptanceSetsNoBound) {
  const auto model = gaussian_of_scale(10, 0.25);  // turns with 4
  constexpr auto identity = Metric::identity;
  const std::vector<SampleOptions> cases{{.order = 4},
                                         {.order = 4, .trajectory_time = 10.0},
                                         {.stages = 3, .trajectory = TrajectoryKind::jittered, .trajectory_time = 10.0},
                                         {.order = 4, .metric = identity},
                                         {.stages = 2, .metric = identity, .trajectory = TrajectoryKind::nuts},
                                         {.stages = 3, .metric = identity},
                                         {.stages = 3, .metric = identity, .trajectory_time = 10.0},
                                         {.integrator = IntegratorKind::midpoint, .metric = identity}};
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      SampleOptions options = cases[i];
      options.seed = seed;
      const SampleResult result = result_of(model, options);
      const double turn = result.tuning.step_size * (options.metric == identity ? 4.0 : 1.0);
      EXPECT_LE(turn, 1.5 * 1.02) << i;
      EXPECT_GT(turn, 0.5) << i;
      EXPECT_EQ(result.hopeless, 0.0) << i << ' ' << seed;
    }
}

/// Steps of one stage are found by their acceptance.
TEST(LongestStep, IsLeftToAcceptanceWhereThatBoundsIt) {
  SamplerSettings settings;
  EXPECT_TRUE(std::isinf(LongestStep(settings).in({.has_scales = true})));
  EXPECT_TRUE(std::isinf(LongestStep(settings).in({.time = 10.0, .has_scales = true}))) << "which warm-up found";
  EXPECT_EQ(LongestStep(settings).in({.time = 1.2, .has_scales = true, .has_walls = true}), 1.2 / 3.0);
  EXPECT_EQ(LongestStep(settings).in({.stages = 2, .time = 1.2, .has_scales = true}), 1.2);
  EXPECT_TRUE(std::isinf(LongestStep(settings).in({.stages = 2})));
  SamplerSettings given = settings;
  given.keeps_time = true;
  EXPECT_EQ(LongestStep(given).in({.time = 0.1, .has_scales = true}), 0.1) << "the whole of a given time";
  EXPECT_TRUE(std::isinf(LongestStep(given).in({.time = 0.1}))) << "which means nothing yet";
  settings.integrator = IntegratorKind::midpoint;
  EXPECT_EQ(LongestStep(settings).in({.time = 10.0, .has_scales = true}), 10.0);
  settings.metric = Metric::identity;
  EXPECT_TRUE(std::isinf(LongestStep(settings).in({.has_scales = true}))) << "nobody has looked yet";
}

/// What looking takes is a part of warm-up.
TEST(LongestStep, CountsTheGradientsOfLooking) {
  const auto model = gaussian_of_scale(2, 1.0);
  SamplerSettings settings;
  settings.metric = Metric::identity;
  settings.first.stages = 2;
  LongestStep longest(settings);
  ASSERT_TRUE(longest.depends_on_turns({.stages = 2, .has_scales = true}));
  EXPECT_FALSE(longest.depends_on_turns({.has_scales = true}));
  const OwnedBatch points(2, 3);
  longest.look_for_turns(*model, points.view(), 0.1);
  EXPECT_NEAR(longest.in({.stages = 2, .has_scales = true}), 1.5, 1e-6);
  EXPECT_EQ(longest.gradients(), 2 * 12 * 3);
}

}  // namespace
}  // namespace darboux::testing

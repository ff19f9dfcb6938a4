#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "model/skewed.hpp"
#include "sample/sample_plan.hpp"
#include "sample/sampler.hpp"

namespace darboux::testing {
namespace {

/// log π(q) = Σ q_i − e^{q_i} of the model's own coordinates, in whatever coordinates chains move; energies beside it.
TEST(ToldLogDensity, IsTheModelsWhereCoordinatesAreBent) {
  for (const MotionKind motion : all_values<MotionKind>()) {
    const SamplePlan plan =
        plan_sampling(std::make_shared<Skewed>(3),
                      {.draws = 50, .seed = 1, .threads = 1, .motion = motion, .map = MarginalMap::sinh_arcsinh});
    std::mutex mutex;
    int draws = 0;
    CallbackSink sink([&](const Draw& draw) {
      const std::scoped_lock lock(mutex);
      double expected = 0.0;
      for (const double q : draw.values) expected += q - std::exp(q);
      EXPECT_NEAR(draw.transition.log_density, expected, 1e-9 * (1.0 + std::abs(expected)));
      if (motion == MotionKind::microcanonical && draw.phase == Phase::sampling)
        EXPECT_NEAR(draw.transition.energy, -expected, 1e-9 * (1.0 + std::abs(expected)));
      else
        EXPECT_GT(draw.transition.energy, -expected - 1e-9);
      ++draws;
    });
    const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, sink);
    ASSERT_FALSE(result.tuning.shapes.empty());
    EXPECT_GT(draws, 200);
  }
}

}  // namespace
}  // namespace darboux::testing

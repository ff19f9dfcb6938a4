#include <gtest/gtest.h>

#include "model/gaussian.hpp"
#include "sample/sampler.hpp"
#include "support/count_allocations.hpp"

namespace darboux::testing {
namespace {

long allocations_of(TrajectoryKind trajectory, int draws) {
  constexpr Index chains = 8;  // one block, whose rounds are of one iteration
  SampleOptions options;
  options.chains = chains;
  options.warmup = 0;
  options.draws = draws;
  options.trajectory = trajectory;
  options.integrator_options.step_size = 0.5;
  const auto model = std::make_shared<Gaussian>(Gaussian::standard(3));
  const OwnedBatch starts(3, chains);
  const long before = allocations;
  Sampler(model, options).run(starts, {.on_draw = [](const Draw&) {}, .on_frozen = {}});
  return allocations - before;
}

/// All that is ever allocated are larger pieces of memory, as rounds get longer.
TEST(Allocation, DrawsMakeNone) {
  for (const TrajectoryKind trajectory : {TrajectoryKind::jittered, TrajectoryKind::nuts})
    EXPECT_LT(allocations_of(trajectory, 2000) - allocations_of(trajectory, 1000), 500) << name(trajectory);
}

}  // namespace
}  // namespace darboux::testing

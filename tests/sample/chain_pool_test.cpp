#include "sample/chain_pool.hpp"

#include <gtest/gtest.h>

#include <darboux/sample/draw_sink.hpp>

#include "model/skewed.hpp"
#include "support/recorded_run.hpp"

namespace darboux::testing {
namespace {

/// Chains that come to bent coordinates from straight ones move as those that began there.
TEST(ChainPool, ShapesAloneChangeCoordinates) {
  SamplerSettings settings;
  settings.chains = 4;
  settings.trajectory = TrajectoryRule::of(TrajectoryKind::jittered, {.steps = 5}, 6);
  const auto model = std::make_shared<const Skewed>(2);
  CallbackSink sink([](const Draw&) {});
  Tuning straight{.step_size = 0.4, .steps = 5.0, .center = {-0.5, -0.5}, .factor = StructuredMatrix::identity(2)};
  Tuning bent = straight;
  bent.shapes = {{}, {.place = 0.2, .scale = 0.9, .skew = -0.6, .tail = 1.2}};
  ChainPool moved(model, settings, spread_starts(2, 4), sink), there(model, settings, spread_starts(2, 4), sink);
  moved.set(straight);
  moved.set(bent);
  there.set(bent);
  const auto a = moved.advance(0, 3).positions, b = there.advance(0, 3).positions;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

}  // namespace
}  // namespace darboux::testing

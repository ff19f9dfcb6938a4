#include "integrate/potential.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/gaussian.hpp"
#include "support/instrumented_model.hpp"

namespace darboux::testing {
namespace {

/// U = q²/2. A value that came with a gradient serves until q moves on, and no longer.
TEST(Potential, AValueIsCurrentOnlyWhereItWasComputed) {
  const InstrumentedModel model(std::make_shared<Gaussian>(Gaussian::standard(1)));
  Potential u(model, 1);
  PhaseBlock z(1, 1);
  const std::vector<double> moves{0.1};
  z.q(0, 0) = 1.0;
  u.refresh_gradient(z, moves, true);
  u.ensure_value(z, moves);
  EXPECT_EQ(z.potential[0], 0.5);
  EXPECT_EQ(model.values_only(0), 0);

  z.q(0, 0) = 2.0;
  u.refresh_gradient(z, moves, false);
  u.ensure_value(z, moves);
  EXPECT_EQ(z.potential[0], 2.0);
  EXPECT_EQ(model.values_only(0), 1);

  z.q(0, 0) = 3.0;
  z.forget_gradient(moves);
  u.ensure_value(z, moves);
  EXPECT_EQ(z.potential[0], 4.5);
}

}  // namespace
}  // namespace darboux::testing

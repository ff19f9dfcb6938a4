#include "model/bent_coordinates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

struct Point {
  double x, slope, bend, log_slope;
};

/// What is computed of one coordinate at y.
Point at_point(const MarginalShape& shape, double y) {
  const BentCoordinates bent({shape}, 1);
  BentCoordinates::Derivatives derivatives;
  Point out{};
  bent.to_straight({&y, 1, 1, 1}, {&out.x, 1, 1, 1}, derivatives, true, true);
  double zero = 0.0, one = 1.0;  // gradients of x, of which the changed ones tell slope and bend
  bent.change_gradient(derivatives, {&zero, 1, 1, 1});
  bent.change_gradient(derivatives, {&one, 1, 1, 1});
  out.bend = zero;
  out.slope = one - zero;
  out.log_slope = derivatives.sum_log_slopes[0];
  return out;
}

double uniform(double least, double most) { return least + (most - least) * *rc::gen::inRange(0, 1'000'001) * 1e-6; }
MarginalShape any_shape() {
  MarginalShape shape{.place = uniform(-3, 3), .scale = std::exp(uniform(-2, 2)), .tail = std::exp(uniform(-0.7, 0.7))};
  shape.skew = uniform(-2, 2) * shape.tail;
  return shape;
}

RC_GTEST_PROP(BentCoordinatesProperty, there_and_back_again, ()) {
  const MarginalShape shape = any_shape();
  const double y = std::sinh(uniform(-4, 4));
  const double x = at_point(shape, y).x,
               exact = shape.place + shape.scale * std::sinh((std::asinh(y) + shape.skew) / shape.tail);
  RC_ASSERT(std::abs(x - exact) <= 1e-13 * (std::abs(x) + std::abs(shape.place) + shape.scale));
  // What x is rounded by, the way back makes larger by dy/dx.
  const double error = 1e-14 * (std::abs(x) + std::abs(shape.place) + shape.scale) / at_point(shape, y).slope;
  RC_ASSERT(std::abs(bent_from_straight(shape, x) - y) <= 1e-13 * (1.0 + std::abs(y)) + error);
}

RC_GTEST_PROP(BentCoordinatesProperty, derivatives_are_those_of_the_map, ()) {
  const MarginalShape shape = any_shape();
  const double y = uniform(-6, 6), h = 1e-5;
  const Point here = at_point(shape, y), up = at_point(shape, y + h), down = at_point(shape, y - h);
  const double slope = (up.x - down.x) / (2.0 * h), bend = (up.log_slope - down.log_slope) / (2.0 * h);
  RC_ASSERT(here.slope > 0.0);
  RC_ASSERT(std::abs(here.slope - slope) <= 1e-7 * (slope + std::abs(here.x)));
  RC_ASSERT(std::abs(here.log_slope - std::log(here.slope)) <= 1e-13 * (1.0 + std::abs(here.log_slope)));
  RC_ASSERT(std::abs(here.bend - bend) <= 1e-7 * (1.0 + std::abs(bend)));
}

TEST(BentCoordinates, TheStraightOneIsTheIdentity) {
  EXPECT_TRUE(BentCoordinates({{}, {}}, 2).empty());
  for (const double y : {-30.0, -0.3, 0.0, 1e-9, 2.0}) {  // as one that is bent by next to nothing has it
    const Point point = at_point({.scale = std::nextafter(1.0, 2.0)}, y);
    EXPECT_NEAR(point.x, y, 1e-14 * std::abs(y) + 1e-15);
    EXPECT_NEAR(point.log_slope, 0.0, 1e-15 * (1.0 + 4.0 * std::abs(y)));
  }
}

TEST(BentCoordinates, StayFiniteFarOut) {
  for (const double y : {-1e9, 1e9}) {
    const Point point = at_point({.place = 0.0, .scale = 1.0, .skew = 1.0, .tail = 0.5}, y);
    EXPECT_NEAR(point.log_slope, std::log(point.slope), 1e-12);
    EXPECT_NEAR(point.bend * y, 1.0, 1e-6);  // |x| ∝ y², so that log x' = log|y| + …
  }
}

TEST(BentCoordinates, LanesDoNotDependOnEachOther) {
  const BentCoordinates bent({{}, {0.1, 0.8, 0.5, 0.7}}, 2);
  on_every_cpu([&](CpuKind) {
    for (const Index lanes : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17}) {
      OwnedBatch y(2, lanes), x(2, lanes), gradient(2, lanes);
      for (Index l = 0; l < lanes; ++l) {
        y(0, l) = 0.1 * static_cast<double>(l);
        y(1, l) = std::sin(static_cast<double>(l)) * 3.0;
        gradient(1, l) = 1.0;
      }
      BentCoordinates::Derivatives together;
      bent.to_straight(y, x, together, true, true);
      bent.change_gradient(together, gradient);
      for (Index l = 0; l < lanes; ++l) {
        OwnedBatch one(2, 1), alone(2, 1), g(2, 1);
        one(0, 0) = y(0, l);
        one(1, 0) = y(1, l);
        g(1, 0) = 1.0;
        BentCoordinates::Derivatives derivatives;
        bent.to_straight(one, alone, derivatives, true, true);
        bent.change_gradient(derivatives, g);
        EXPECT_EQ(alone(0, 0), x(0, l));
        EXPECT_EQ(alone(1, 0), x(1, l)) << l << " of " << lanes;
        EXPECT_EQ(g(1, 0), gradient(1, l)) << l << " of " << lanes;
        EXPECT_EQ(derivatives.sum_log_slopes[0], together.sum_log_slopes[at(l)]) << l << " of " << lanes;
      }
    }
  });
}

TEST(BentCoordinates, RefusesWhatIsNoChangeOfVariables) {
  const auto refusal = [](const MarginalShape& shape) {
    return message_of<InputError>([&] { (void)BentCoordinates({{}, shape}, 2); });
  };
  EXPECT_EQ(refusal({.scale = 0.0}), "scale of shapes[2] = 0: must be positive and finite");
  EXPECT_TRUE(mentions(refusal({.tail = -1.0}), {"tail of shapes[2] = -1"}));
  EXPECT_TRUE(mentions(refusal({.skew = NAN}), {"skew of shapes[2] = nan"}));
  EXPECT_TRUE(mentions(refusal({.place = INFINITY}), {"place of shapes[2] = inf"}));
  EXPECT_EQ(message_of<InputError>([] { (void)BentCoordinates({{}}, 2); }), "shapes has 1 entries: must have 2");
}

}  // namespace
}  // namespace darboux::testing

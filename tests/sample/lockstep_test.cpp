#include "sample/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace darboux::testing {
namespace {

using Spread = TrajectoryLengths::Spread;

int steps_of(const TrajectoryLengths& lengths, int iteration) { return lengths.at(iteration).steps; }

TEST(TrajectoryLengths, AreTheMeanWhereTheyAreNotSpread) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(steps_of(TrajectoryLengths{.mean = 7.0, .spread = Spread::none, .seed = 3}, i), 7);
    EXPECT_EQ(steps_of(TrajectoryLengths{.mean = 12.6, .spread = Spread::none, .seed = 3}, i), 13);
    EXPECT_EQ(steps_of(TrajectoryLengths{.mean = 0.2, .spread = Spread::none, .seed = 3}, i),
              1);  // no trajectory without a step
  }
}

TEST(TrajectoryLengths, OfSamplingFillHalfToOneAndAHalfOfTheMean) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const TrajectoryLengths steps{.mean = 1000.0, .spread = Spread::sampling, .seed = seed};
    int least = steps_of(steps, 0), most = least;
    double sum = 0.0;
    for (int i = 0; i < 1000; ++i) {
      least = std::min(least, steps_of(steps, i));
      most = std::max(most, steps_of(steps, i));
      sum += steps_of(steps, i);
    }
    EXPECT_GE(least, 500);
    EXPECT_LT(least, 510);
    EXPECT_LE(most, 1500);
    EXPECT_GT(most, 1490);
    EXPECT_NEAR(sum / 1000.0, 1000.0, 2.0);  // random numbers would miss it by 9
  }
}

/// Of so many steps that rounding does not matter. Places in the range move on by the golden ratio, wherever they begin.
TEST(TrajectoryLengths, MoveOnByTheGoldenRatio) {
  constexpr double mean = 1e6, golden_ratio = std::numbers::phi - 1.0;
  const TrajectoryLengths steps{.mean = mean, .spread = Spread::sampling, .seed = 5};
  const auto place = [&](int i) { return steps_of(steps, i) / mean - 0.5; };
  for (int i = 0; i < 200; ++i)
    EXPECT_NEAR(std::remainder(place(i + 1) - place(i) - golden_ratio, 1.0), 0.0, 2e-6) << i;
  EXPECT_NE(steps_of(steps, 0), steps_of(TrajectoryLengths{.mean = mean, .spread = Spread::sampling, .seed = 6}, 0));
}

/// Evenly in the logarithm, over a factor of seven.
TEST(TrajectoryLengths, OfWarmUpAreWide) {
  constexpr double mean = 1e6;
  const TrajectoryLengths wide{.mean = mean, .spread = Spread::wide, .seed = 5};
  const TrajectoryLengths sampling{.mean = mean, .spread = Spread::sampling, .seed = 5};
  int least = steps_of(wide, 0), most = least;
  for (int i = 0; i < 1000; ++i) {
    least = std::min(least, steps_of(wide, i));
    most = std::max(most, steps_of(wide, i));
    EXPECT_NEAR(std::log(steps_of(wide, i) / (0.3 * mean)) / std::log(7.0), steps_of(sampling, i) / mean - 0.5, 1e-5)
        << i;
  }
  EXPECT_GE(least, 300'000);
  EXPECT_LT(least, 303'000);
  EXPECT_LE(most, 2'100'000);
  EXPECT_GT(most, 2'080'000);
}

/// The same places, in step sizes, and as many steps as the mean.
TEST(TrajectoryLengths, OfFewStepsVaryInStepSize) {
  const TrajectoryLengths few{
      .mean = 2.0, .spread = Spread::step_sizes, .seed = 5, .step_size = 1.5, .step_spread = 0.2};
  const TrajectoryLengths many{.mean = 1e6, .spread = Spread::sampling, .seed = 5, .step_size = 1.5};
  for (int i = 0; i < 200; ++i) {
    const auto [steps, step_size] = few.at(i);
    EXPECT_EQ(steps, 2);
    const double place = many.at(i).steps / 1e6 - 0.5;
    EXPECT_NEAR(step_size, 1.5 * (0.8 + 0.4 * place), 1e-5) << i;
    EXPECT_EQ(many.at(i).step_size, 1.5);
  }
}

}  // namespace
}  // namespace darboux::testing

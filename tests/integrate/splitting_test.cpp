#include "integrate/splitting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <numeric>

#include "support/expect.hpp"

namespace darboux::testing {
namespace {

TEST(Splitting, IsAPalindromeOfFractionsThatAddUpToOne) {
  for (const int stages : {1, 2, 3}) {
    const auto& [outer, inner] = Splitting::of(stages);
    ASSERT_EQ(outer.size(), inner.size() + 1);
    for (const auto* fractions : {&outer, &inner}) {
      EXPECT_NEAR(std::accumulate(fractions->begin(), fractions->end(), 0.0), 1.0, 1e-15);
      for (std::size_t i = 0; i < fractions->size(); ++i)
        EXPECT_EQ((*fractions)[i], (*fractions)[fractions->size() - 1 - i]);
    }
  }
  for (const int stages : {-1, 0, 4}) EXPECT_THROW((void)Splitting::of(stages), InputError);
}

/// ρ = h⁴ (2b²(½ − b)h² + 4b² − 6b + 1)² / (8 (2 − b h²)(2 − (½ − b)h²)(1 − b(½ − b)h²)) for two stages, h⁴/(32 (1 − h²/4)) for one.
TEST(Splitting, EnergyErrorOfAnOscillatorIsTheClosedForm) {
  for (double h = 0.05; h < 2.6; h += 0.05) {
    const double h2 = h * h, h4 = h2 * h2;
    if (h < 2.0) {
      EXPECT_NEAR(oscillator_step(Splitting::of(1), h).distortion, h4 / (32.0 * (1.0 - h2 / 4.0)), 1e-11 / (2.0 - h));
    }
    const double b = Splitting::of(2).outer[0], c = 0.5 - b;
    const double top = 2.0 * b * b * c * h2 + 4.0 * b * b - 6.0 * b + 1.0;
    const double closed = h4 * top * top / (8.0 * (2.0 - b * h2) * (2.0 - c * h2) * (1.0 - b * c * h2));
    EXPECT_NEAR(oscillator_step(Splitting::of(2), h).distortion, closed, 1e-9 * (1.0 + closed)) << h;
  }
}

/// Nearby fractions do worse over steps of up to one radian a stage.
TEST(Splitting, FractionsAreTheBest) {
  const auto largest_error = [](const Splitting& splitting) {
    double most = 0.0;
    for (int i = 1; i <= 2000; ++i)
      most = std::max(most, oscillator_step(splitting, splitting.stages() * i / 2000.0).distortion);
    return most;
  };
  const Splitting& two = Splitting::of(2);
  EXPECT_LT(largest_error(two), 4.1e-4);
  for (const double off : {-0.002, 0.002}) {
    Splitting other = two;
    other.outer = {two.outer[0] + off, two.outer[1] - 2.0 * off, two.outer[2] + off};
    EXPECT_GT(largest_error(other), 1.3 * largest_error(two));
  }
  const Splitting& three = Splitting::of(3);
  EXPECT_LT(largest_error(three), 7.5e-5);
  for (const double off : {-0.002, 0.002}) {
    Splitting outer = three, inner = three;
    outer.outer = {three.outer[0] + off, three.outer[1] - off, three.outer[2] - off, three.outer[3] + off};
    inner.inner = {three.inner[0] + off, three.inner[1] - 2.0 * off, three.inner[2] + off};
    EXPECT_GT(largest_error(outer), 1.3 * largest_error(three));
    EXPECT_GT(largest_error(inner), 1.3 * largest_error(three));
  }
}

TEST(Splitting, TurnsByAboutTheStep) {
  for (const int stages : {1, 2, 3}) {
    const double h = 0.1;
    EXPECT_NEAR(oscillator_step(Splitting::of(stages), h).angle, h, 1e-4);
  }
  EXPECT_NEAR(oscillator_step(Splitting::of(1), 1.0).angle, std::acos(0.5), 1e-14);
}

TEST(Splitting, IsStableUpToItsLimit) {
  EXPECT_NEAR(stability_limit(1), 2.0, 1e-8);
  EXPECT_NEAR(stability_limit(2), 2.634, 1e-3);
  EXPECT_NEAR(stability_limit(3), 4.662, 1e-3);
  for (const int stages : {1, 2, 3}) {
    const double limit = stability_limit(stages);
    for (double h = 0.01; h < limit; h += 0.01)
      EXPECT_TRUE(std::isfinite(oscillator_step(Splitting::of(stages), h).angle)) << h;
    EXPECT_TRUE(std::isnan(oscillator_step(Splitting::of(stages), 1.001 * limit).angle));
    EXPECT_TRUE(std::isinf(oscillator_step(Splitting::of(stages), 1.001 * limit).distortion));
  }
}

}  // namespace
}  // namespace darboux::testing

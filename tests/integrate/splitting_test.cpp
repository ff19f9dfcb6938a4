#include "integrate/splitting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <darboux/core/error.hpp>
#include <numeric>

#include "integrate/integrator.hpp"
#include "model/gaussian.hpp"
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

/// With k = b³ − 5b²/4 + b/2 − 1/16 and 6ab − 2a − b + ½ = 0, as the fractions of three stages have it,
///
///     ρ = h⁴ (−3b⁴ + 8b³ − 19b²/4 + b + b²h²k − 1/16)² / (2 (3b − bh²(b − ¼) − 1)(1 − 3b − bh²(b − ½)²)(−9b² + 6b − h²k − 1)).
TEST(Splitting, EnergyErrorOfThreeStagesIsTheClosedForm) {
  const Splitting& splitting = Splitting::of(3);
  const double a = splitting.inner[0], b = splitting.outer[0], b2 = b * b, b3 = b2 * b;
  EXPECT_NEAR(6.0 * a * b - 2.0 * a - b + 0.5, 0.0, 1e-13);
  const double k = b3 - 1.25 * b2 + 0.5 * b - 0.0625;
  for (double h = 0.05; h < 4.6; h += 0.05) {
    const double h2 = h * h;
    const double top = h2 * (-3.0 * b2 * b2 + 8.0 * b3 - 4.75 * b2 + b + b2 * h2 * k - 0.0625);
    const double below = 2.0 * (3.0 * b - b * h2 * (b - 0.25) - 1.0) *
                         (1.0 - 3.0 * b - b * h2 * (b - 0.5) * (b - 0.5)) * (-9.0 * b2 + 6.0 * b - h2 * k - 1.0);
    const double closed = top * top / below;
    EXPECT_NEAR(oscillator_step(splitting, h).distortion, closed, 1e-9 * (1.0 + closed)) << h;
  }
}

/// What a leapfrog makes of (1, 0) and of (0, 1), in this order: the columns of its matrix.
struct Columns {
  std::array<double, 2> q, p;
};
Columns leapfrog_on_the_oscillator(int stages, int order, double step_size, int steps) {
  const Gaussian oscillator = Gaussian::from_scales({0.0}, {1.0});
  const PoissonStructure structure = PoissonStructure::canonical(1);
  Integrator leapfrog(IntegratorKind::leapfrog, structure,
                      {.step_size = step_size, .order = order, .stages = stages, .solver = {}, .copies = {}});
  PhaseBlock z(1, 2);
  z.q(0, 0) = z.p(0, 1) = 1.0;
  Potential u(oscillator, 2);
  leapfrog.run(z, u, std::vector<double>(2, step_size), steps);
  return {.q = {z.q(0, 0), z.q(0, 1)}, .p = {z.p(0, 0), z.p(0, 1)}};
}

/// The oscillator that stages are chosen by is what the integrator does: L steps turn by LΘ, and E ΔH = ρ sin²(LΘ) in equilibrium.
TEST(Splitting, IsWhatTheLeapfrogDoes) {
  for (const int stages : {1, 2, 3})
    for (double h = 0.3; h < 0.95 * stability_limit(stages); h += 0.3)
      for (const int steps : {1, 2, 7}) {
        const auto [angle, distortion] = oscillator_step(Splitting::of(stages), h);
        const auto [q, p] = leapfrog_on_the_oscillator(stages, 2, h, steps);
        EXPECT_NEAR(q[0], std::cos(steps * angle), 1e-11) << stages << ' ' << h;
        EXPECT_NEAR(p[1], std::cos(steps * angle), 1e-11) << stages << ' ' << h;
        const double energy = 0.5 * (q[0] * q[0] + q[1] * q[1] + p[0] * p[0] + p[1] * p[1]) - 1.0;
        const double sine = std::sin(steps * angle);
        EXPECT_NEAR(energy, distortion * sine * sine, 1e-9 * (1.0 + distortion)) << stages << ' ' << h;
      }
}

/// At the limit a step makes half a turn, or with three stages of order 2 a whole one.
TEST(Splitting, LimitsAreThoseOfTheLeapfrog) {
  for (const int order : {2, 4})
    for (const int stages : {1, 2, 3})
      EXPECT_NEAR(leapfrog_on_the_oscillator(stages, order, stability_limit(stages, order), 1).q[0],
                  order == 2 && stages == 3 ? 1.0 : -1.0, 1e-7)
          << order << ' ' << stages;
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

/// Of order 4: the first end, also where stable steps follow soon.
TEST(Splitting, IsStableUpToItsLimitOfOrderFour) {
  EXPECT_NEAR(stability_limit(1, 4), 2.7210, 1e-3);
  EXPECT_NEAR(stability_limit(2, 4), 3.1263, 1e-3);
  EXPECT_NEAR(stability_limit(3, 4), 3.1419, 1e-3);
}

TEST(Splitting, CompositionCancelsErrorsOfThirdOrder) {
  EXPECT_THAT(composition(2), ::testing::ElementsAre(1.0));
  double sum = 0.0, cubes = 0.0;
  for (const double fraction : composition(4)) sum += fraction, cubes += fraction * fraction * fraction;
  EXPECT_NEAR(sum, 1.0, 1e-15);
  EXPECT_NEAR(cubes, 0.0, 1e-15);
}

}  // namespace
}  // namespace darboux::testing

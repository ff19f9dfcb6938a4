#include "sample/step_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <numbers>

#include "core/archive.hpp"

namespace darboux::testing {
namespace {

constexpr TargetGuess round{.dim = 10, .frequency_spread = 0.0, .slowest_frequency = 1.0};

StepPlan turning_by(double angle, double kept = 0.0, double spread = 0.0) {
  return {.stages = 2, .steps = 1, .step_size = angle, .momentum_kept = kept, .step_spread = spread};
}

/// Without refreshment kept, ρ = cos θ for means and cos² θ for squares; with rejections, a of that and 1 − a of 1.
TEST(EffectiveShare, IsTheClosedFormOfFullRefreshment) {
  EXPECT_NEAR(effective_share(turning_by(std::numbers::pi / 2.0), 1.0, round), 1.0, 1e-12);
  for (const double angle : {0.3, 0.8, 1.2, 1.9, 2.5})
    for (const double a : {1.0, 0.8, 0.5}) {
      const double c = std::cos(angle), mean = 1.0 - a + a * c, square = 1.0 - a + a * c * c;
      const double expected = std::min({1.0, (1.0 - mean) / (1.0 + mean), (1.0 - square) / (1.0 + square)});
      EXPECT_NEAR(effective_share(turning_by(angle), a, round), expected, 1e-12) << angle << ' ' << a;
    }
}

/// A million transitions of the linear chain itself, with rejections that turn the velocity round.
TEST(EffectiveShare, IsWhatTheChainShows) {
  for (const auto& [angle, kept, a] : {std::tuple{1.1, 0.4, 0.85}, {0.6, 0.7, 0.95}, {1.5, 0.2, 0.7}}) {
    RandomStream random({.seed = 4});
    double q = random.normal(), v = random.normal();
    constexpr int draws = 1'000'000, lags = 200;
    std::vector<double> first, second;
    for (int i = 0; i < draws; ++i) {
      v = kept * v + std::sqrt(1.0 - kept * kept) * random.normal();
      const double theta = angle * (1.0 + 0.2 * (2.0 * random.uniform() - 1.0));
      if (random.uniform() < a) {
        const double turned = std::cos(theta) * q + std::sin(theta) * v;
        v = std::cos(theta) * v - std::sin(theta) * q;
        q = turned;
      } else {
        v = -v;
      }
      first.push_back(q);
      second.push_back((q * q - 1.0) / std::sqrt(2.0));
    }
    const auto time = [&](const std::vector<double>& x) {
      double sum = 1.0;
      for (int lag = 1; lag < lags; ++lag) {
        double product = 0.0;
        for (std::size_t i = 0; i + static_cast<std::size_t>(lag) < x.size(); ++i)
          product += x[i] * x[i + static_cast<std::size_t>(lag)];
        sum += 2.0 * product / draws;
      }
      return sum;
    };
    const double expected = 1.0 / std::max({time(first), time(second), 1.0});
    EXPECT_NEAR(effective_share(turning_by(angle, kept, 0.2), a, round), expected, 0.04) << angle;
  }
}

/// A direction of half the frequency is forgotten as slowly as one of frequency 1 with half the time.
TEST(EffectiveShare, CountsTheSlowestDirection) {
  const TargetGuess slow{.dim = 10, .frequency_spread = 0.0, .slowest_frequency = 0.5};
  EXPECT_NEAR(effective_share(turning_by(1.0), 0.9, slow), effective_share(turning_by(0.5), 0.9, round), 1e-12);
  const TargetGuess spread{.dim = 10, .frequency_spread = 0.2, .slowest_frequency = 1.0};
  EXPECT_LT(effective_share(turning_by(1.5), 0.9, spread), effective_share(turning_by(1.5), 0.9, round));
  EXPECT_GT(effective_share(turning_by(1.0, 0.4), 0.9, spread), effective_share(turning_by(1.0), 0.9, spread));
}

/// Leapfrog over L steps: ρ sin²(LΘ) each dimension, with ρ = h⁴/(32 (1 − h²/4)) and cos Θ = 1 − h²/2.
TEST(GaussianEnergyError, IsTheClosedFormOfLeapfrog) {
  const double h = 0.7;
  const StepPlan plan{.stages = 1, .steps = 3, .step_size = h, .step_spread = 0.0};
  const double s = std::sin(3.0 * std::acos(1.0 - h * h / 2.0));
  EXPECT_NEAR(gaussian_energy_error(plan, round), 10.0 * std::pow(h, 4) / (32.0 * (1.0 - h * h / 4.0)) * s * s, 1e-12);
  EXPECT_TRUE(std::isinf(gaussian_energy_error({.stages = 1, .steps = 1, .step_size = 1.9}, round)));
  for (const double a : {0.1, 0.5, 0.8, 0.99})
    EXPECT_NEAR(acceptance_of_energy_error(energy_error_of_acceptance(a)), a, 1e-12);
  EXPECT_NEAR(acceptance_of_energy_error(0.0), 1.0, 1e-15);
}

double gaussian_acceptance(const StepPlan& plan, const TargetGuess& target) {
  return acceptance_of_energy_error(gaussian_energy_error(plan, target));
}

/// One step of two stages for a round target; nothing more has to be tried.
TEST(StepChoice, TakesAQuarterTurnInOneStepWhereThatIsAccepted) {
  StepChoice choice({.target = round});
  const auto plan = choice.next();
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->stages, 2);
  EXPECT_EQ(plan->steps, 1);
  EXPECT_NEAR(plan->step_size, 1.5, 0.1);
  EXPECT_FALSE(choice.best().has_value());
  choice.observe(*plan, gaussian_acceptance(*plan, round));
  EXPECT_EQ(choice.best(), plan);
  EXPECT_FALSE(choice.next().has_value());
}

/// What is tried is never worse than what came before could promise, and with every disappointment steps get finer.
TEST(StepChoice, ComesDownWhereProposalsAreRefused) {
  StepChoice choice({.target = round, .least_acceptance = 0.8});
  double finest = 10.0;
  int tries = 0;
  for (; auto plan = choice.next(); ++tries) {
    ASSERT_LT(tries, 20);
    finest = std::min(finest, plan->step_size / plan->stages);
    // As if the target were far from a Gaussian.
    choice.observe(*plan, acceptance_of_energy_error(3.0 * std::pow(plan->step_size / plan->stages, 4.0)));
  }
  EXPECT_LT(finest, 0.6);
  ASSERT_TRUE(choice.best().has_value());
  EXPECT_LT(choice.best()->step_size / choice.best()->stages, 0.5);
  EXPECT_GT(choice.best_worth(), 0.0);
}

TEST(StepChoice, OfNothingThatReachesItsAcceptanceIsNone) {
  StepChoice choice({.target = round, .least_acceptance = 0.8});
  for (int i = 0; i < 200; ++i)
    if (const auto plan = choice.next()) choice.observe(*plan, 0.5);
  EXPECT_FALSE(choice.best().has_value());
  EXPECT_EQ(choice.best_worth(), 0.0);
}

/// Whatever its acceptance; and the next is not much finer for it.
TEST(StepChoice, DoesNotTakeAPlanThatGotStuck) {
  StepChoice choice({.target = round, .least_acceptance = 0.8});
  const StepPlan stuck = choice.next().value();
  choice.observe(stuck, 0.95, true);
  EXPECT_FALSE(choice.best().has_value());
  const StepPlan after = choice.next().value();
  EXPECT_FALSE(after == stuck);
  EXPECT_GT(after.step_size / after.stages, 0.3);
}

TEST(StepChoice, KeepsToWhatIsGiven) {
  for (const int stages : {1, 2, 3}) {
    StepChoice choice({.target = round, .stages = stages, .momentum_kept = 0.25, .whole_time = true});
    int tries = 0;
    for (; const auto plan = choice.next(); ++tries) {
      EXPECT_EQ(plan->stages, stages);
      EXPECT_EQ(plan->momentum_kept, 0.25);
      EXPECT_NEAR(plan->steps * plan->step_size, 1.5, 0.15);
      choice.observe(*plan, 0.8 - 0.01 * tries);
    }
    EXPECT_GT(tries, 0);
  }
}

/// Where a single step cannot make a quarter turn, keeping some of the momentum carries on.
TEST(StepChoice, KeepsMomentumInManyDimensions) {
  const TargetGuess large{.dim = 100, .frequency_spread = 0.23, .slowest_frequency = 1.0};
  StepChoice choice({.target = large, .least_acceptance = 0.9, .stages = 2});
  const auto plan = choice.next();
  ASSERT_TRUE(plan.has_value());
  EXPECT_LT(plan->step_size * plan->steps, 1.3);
  EXPECT_GE(plan->momentum_kept, 0.2);
}

TEST(StepChoice, GoesOnFromBytes) {
  StepChoice choice({.target = round, .least_acceptance = 0.8});
  choice.observe(*choice.next(), 0.7);
  StepChoice other;
  read_bytes(bytes_of(choice), other);
  EXPECT_EQ(other.next(), choice.next());
  ASSERT_TRUE(choice.next().has_value());
  choice.observe(*choice.next(), 0.85);
  other.observe(*other.next(), 0.85);
  EXPECT_EQ(other.best(), choice.best());
}

}  // namespace
}  // namespace darboux::testing

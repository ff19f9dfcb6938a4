#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/model/registry.hpp>
#include <darboux/run/sample.hpp>
#include <optional>

#include "sample/result_in_words.hpp"
#include "support/expect.hpp"

/// What `darboux models` says that an example shows, by runs with default settings.
namespace darboux {
namespace {

struct Shown {
  Index divergences = 0;
  bool energy_is_slow = false;  ///< a warning says so
  double ess = INFINITY;        ///< the smallest
  double rhat = 0.0;            ///< the largest
  double gradients_per_effective_draw = 0.0;
};

Shown shown_by(const Draws& draws) {
  Shown shown;
  for (Index c = 0; c < draws.chains(); ++c)
    shown.divergences += std::ranges::count(draws.transitions(c), Status::diverged, &Transition::status);
  const DrawsSummary summary = draws.summary();
  for (const std::string& warning : summary.warnings)
    shown.energy_is_slow = shown.energy_is_slow || warning.find("E-BFMI") != std::string::npos;
  for (const NamedSummary& row : summary.rows) {
    shown.ess = std::fmin(shown.ess, row.values.ess_bulk);
    shown.rhat = std::fmax(shown.rhat, row.values.rhat);
  }
  shown.gradients_per_effective_draw = static_cast<double>(draws.result().sampling_gradients) / shown.ess;
  return shown;
}

Draws drawn(std::string_view model, std::uint64_t seed, SampleOptions options = {},
            std::optional<Index> dimension = {}) {
  options.seed = seed;
  ModelOptions of_model;
  of_model.dimension = dimension;
  return sample(make_model(model, of_model), options);
}

constexpr std::uint64_t seeds = 3;

/// A place too narrow for the steps that suit the rest, and the same distribution without one.
TEST(WhatModelsShow, CentredFormsDivergeAndOthersHardlyDo) {
  for (const std::string name : {"funnel", "eight-schools"}) {
    Index centred = 0, other = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const Shown hard = shown_by(drawn(name + "-centred", seed)), easy = shown_by(drawn(name, seed));
      centred += hard.divergences;
      other += easy.divergences;
      EXPECT_TRUE(hard.energy_is_slow) << name << seed;
      EXPECT_FALSE(easy.energy_is_slow) << name << seed;
      EXPECT_LT(3.0 * hard.ess, easy.ess) << name << seed;
    }
    EXPECT_GT(centred, 0) << name;
    EXPECT_LT(other, centred) << name;
    if (name == "funnel") {
      EXPECT_EQ(other, 0) << "to the sampler it is a standard normal";
    }
  }
}

TEST(WhatModelsShow, ShorterStepsAreNoRemedyForTheNeck) {
  const Shown other_form = shown_by(drawn("eight-schools", 1));
  for (const double acceptance : {0.8, 0.95, 0.99}) {
    const Shown shown = shown_by(drawn("eight-schools-centred", 1, {.target_acceptance = acceptance}));
    EXPECT_TRUE(shown.energy_is_slow) << acceptance;
    EXPECT_GT(shown.gradients_per_effective_draw, 5.0 * other_form.gradients_per_effective_draw) << acceptance;
  }
}

TEST(WhatModelsShow, ADrawCostsMoreInMoreDimensions) {
  const auto cost = [](Index dimension) {
    return shown_by(drawn("gaussian", 1, {}, dimension)).gradients_per_effective_draw;
  };
  EXPECT_LT(cost(2), cost(200));
}

/// Each chain goes to both modes, or R̂ says that they disagree.
TEST(WhatModelsShow, TwoModesAreVisitedByAllChainsOrRHatTells) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Draws draws = drawn("mixture", seed);
    const ChainDraws first = draws[draws.names().front()];
    const bool all_go = std::ranges::all_of(first, [](std::span<const double> chain) {
      const auto positive = std::ranges::count_if(chain, [](double x) { return x > 0.0; });
      return positive > 0 && positive < std::ssize(chain);
    });
    EXPECT_TRUE(all_go || shown_by(draws).rhat > 1.01) << seed;
  }
}

/// Of q1 and q2 nothing is left for a linear preconditioner: they are uncorrelated, and yet one follows from the square of the other.
TEST(WhatModelsShow, ACurvedRidgeIsNotStraightenedLinearly) {
  const Draws draws = drawn("banana", 1);
  const ChainDraws first = draws[draws.names()[0]], second = draws[draws.names()[1]];
  const auto correlation = [&](double power) {
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t c = 0; c < first.chains(); ++c)
      for (std::size_t i = 0; i < first.length(); ++i) {
        const double a = std::pow(first[c][i], power), b = second[c][i];
        n += 1, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
      }
    return (xy / n - x / n * y / n) / std::sqrt((xx / n - x / n * x / n) * (yy / n - y / n * y / n));
  };
  EXPECT_LT(std::abs(correlation(1.0)), 0.3);
  EXPECT_GT(std::abs(correlation(2.0)), 0.5);
}

TEST(WhatModelsShow, TailsAreHeavy) {
  const auto farthest = [](const Draws& draws) {
    double most = 0.0;
    for (const std::string& name : draws.names()) {
      const ChainDraws all = draws[name];
      double square = 0.0, largest = 0.0;
      for (const auto chain : all)
        for (const double x : chain) {
          square += x * x / static_cast<double>(all.size());
          largest = std::max(largest, std::abs(x));
        }
      most = std::max(most, largest / std::sqrt(square));
    }
    return most;
  };
  EXPECT_GT(farthest(drawn("student-t", 1)), 5.0) << "standard deviations, 6 draws of 10,000";
  EXPECT_LT(farthest(drawn("gaussian", 1, {}, 2)), 5.0) << "of which 1 of a million is";
}

TEST(WhatModelsShow, WarmUpBendsCoordinatesOfSkewedTargets) {
  EXPECT_EQ(bent_coordinates(drawn("skewed", 1).result().tuning), 2);
  EXPECT_EQ(bent_coordinates(drawn("gaussian", 1, {}, 2).result().tuning), 0);
}

}  // namespace
}  // namespace darboux

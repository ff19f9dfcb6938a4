#include "sample/sampler_settings.hpp"

#include <gtest/gtest.h>

#include <darboux/structure/recipes.hpp>

namespace darboux::testing {
namespace {

bool is_approximate_with(IntegratorKind integrator, Recipe recipe, double reverse_check_rate) {
  SamplerSettings settings;
  settings.integrator = integrator;
  settings.structure = make_structure(recipe, 2, {.size = SpectralStrength{0.5}, .seed = 1, .A = {}});
  settings.kernel.reverse_check_rate = reverse_check_rate;
  return is_approximate(settings);
}

TEST(SamplerSettings, AreApproximateWhereSolvesGoUnchecked) {
  for (const Recipe with_e : {Recipe::magnetic_momentum, Recipe::coupled}) {
    EXPECT_TRUE(is_approximate_with(IntegratorKind::split_midpoint, with_e, 0.5));
    EXPECT_TRUE(is_approximate_with(IntegratorKind::split_midpoint, with_e, 0.0));
    EXPECT_FALSE(is_approximate_with(IntegratorKind::split_midpoint, with_e, 1.0));
  }
  EXPECT_TRUE(is_approximate_with(IntegratorKind::midpoint, Recipe::canonical, 0.99));
  EXPECT_FALSE(is_approximate_with(IntegratorKind::midpoint, Recipe::canonical, 1.0));
}

TEST(SamplerSettings, AreExactWhereNothingIsSolved) {
  for (const double rate : {0.0, 0.5, 1.0}) {
    EXPECT_FALSE(is_approximate_with(IntegratorKind::leapfrog, Recipe::canonical, rate));
    EXPECT_FALSE(is_approximate_with(IntegratorKind::magnetic_leapfrog, Recipe::magnetic_position, rate));
    EXPECT_FALSE(is_approximate_with(IntegratorKind::split_midpoint, Recipe::canonical, rate));
    EXPECT_FALSE(is_approximate_with(IntegratorKind::split_midpoint, Recipe::magnetic_position, rate));
    EXPECT_FALSE(is_approximate_with(IntegratorKind::doubled, Recipe::coupled, rate));
  }
  SamplerSettings without_structure;
  without_structure.integrator = IntegratorKind::split_midpoint;
  without_structure.kernel.reverse_check_rate = 0.5;
  EXPECT_FALSE(is_approximate(without_structure));
}

TEST(SamplerSettings, AreAlwaysApproximateWithTheExplicitIntegrator) {
  for (const Recipe recipe : all_values<Recipe>())
    EXPECT_TRUE(is_approximate_with(IntegratorKind::explicit_copies, recipe, 1.0)) << name(recipe);
}

}  // namespace
}  // namespace darboux::testing

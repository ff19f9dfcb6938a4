#include "model/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/model/function_model.hpp>
#include <limits>

#include "model_cases.hpp"
#include "support/model_evaluation.hpp"

namespace darboux::testing {
namespace {

/// log π = Σ sin(j + 1) q_j − ¼ q_j⁴, with one component of the gradient off by a factor.
FunctionModel quartic(double factor, Index wrong) {
  return FunctionModel(3, [=](std::span<const double> q, std::span<double> gradient) {
    double log_density = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      const double slope = std::sin(static_cast<double>(j) + 1.0);
      log_density += slope * q[j] - 0.25 * std::pow(q[j], 4);
      if (gradient.empty()) continue;
      gradient[j] = slope - std::pow(q[j], 3);
      if (static_cast<Index>(j) == wrong) gradient[j] *= factor;
    }
    return log_density;
  });
}

TEST(GradientCheck, passes_a_right_gradient_and_says_what_it_compared) {
  const GradientCheck check = check_gradient(quartic(1.0, 0), normal_points(3, 5, 2.0, 1));
  EXPECT_TRUE(check.passed());
  EXPECT_EQ(check.components, 15);
  EXPECT_EQ(check.refused, 0);
  EXPECT_LE(check.worst.excess, 1.0);
}

TEST(GradientCheck, finds_a_component_that_is_off_by_a_millionth) {
  const GradientCheck check = check_gradient(quartic(1.0 + 1e-6, 1), normal_points(3, 5, 2.0, 1));
  EXPECT_FALSE(check.passed());
  ASSERT_FALSE(check.wrong.empty());
  for (const GradientComponent& c : check.wrong) EXPECT_EQ(c.coordinate, 1);
  EXPECT_EQ(check.wrong.front().excess, check.worst.excess);
  EXPECT_NEAR(check.worst.gradient / check.worst.differences, 1.0 + 1e-6, 2e-7);
}

TEST(GradientCheck, a_gradient_that_is_no_number_is_wrong) {
  const GradientCheck check =
      check_gradient(quartic(std::numeric_limits<double>::quiet_NaN(), 2), normal_points(3, 2, 1.0, 1));
  EXPECT_EQ(check.wrong.size(), 2U);
  EXPECT_TRUE(std::isinf(check.worst.excess));
}

TEST(GradientCheck, nothing_compared_is_nothing_passed) {
  const FunctionModel refuses(1, [](std::span<const double>, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] = 0.0;
    return -std::numeric_limits<double>::infinity();
  });
  const GradientCheck check = check_gradient(refuses, normal_points(1, 4, 1.0, 1));
  EXPECT_EQ(check.refused, 4);
  EXPECT_FALSE(check.passed());
}

}  // namespace
}  // namespace darboux::testing

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <numeric>

#include "linalg/dense.hpp"
#include "sample/running_covariance.hpp"
#include "sample/step_size_search.hpp"
#include "sample/warm_up.hpp"

namespace darboux::testing {
namespace {

/// Acceptance that falls with the step size, observed with noise: the search must end where it equals the target.
TEST(StepSizeSearch, FindsTheStepSizeOfTheTarget) {
  for (const double first : {1e-3, 0.1, 10.0}) {
    for (const double scale : {0.05, 1.0, 3.0}) {
      StepSizeSearch search(first, 0.8);
      RandomStream random({.seed = 1});
      for (int i = 0; i < 2000; ++i)
        search.observe(std::exp(-std::pow(search.current() / scale, 2.0)) + 0.05 * random.normal());
      const double truth = scale * std::sqrt(-std::log(0.8));
      EXPECT_NEAR(search.result() / truth, 1.0, 0.05) << first << ' ' << scale;
    }
  }
}

TEST(StepSizeSearch, CountsWhatIsNotFiniteAsRejection) {
  StepSizeSearch search(1.0, 0.8);
  for (int i = 0; i < 20; ++i) search.observe(NAN);
  EXPECT_LT(search.current(), 0.1);
  EXPECT_GT(search.current(), 0.0);
}

TEST(RunningCovariance, EqualsTheTwoPassFormula) {
  constexpr Index n = 3;
  constexpr int points = 50;
  RandomStream random({.seed = 2});
  Matrix x(points, n);
  random.fill_normal({x.data(), static_cast<std::size_t>(points * n)});
  for (Index i = 0; i < points; ++i) x(i, 1) += 2.0 * x(i, 0) + 100.0;
  RunningCovariance dense(n, RunningCovariance::Shape::dense), diagonal(n, RunningCovariance::Shape::diagonal);
  std::vector<double> mean(n, 0.0);
  for (Index i = 0; i < points; ++i) {
    dense.add({x.data() + i * n, n});
    diagonal.add({x.data() + i * n, n});
    for (Index j = 0; j < n; ++j) mean[static_cast<std::size_t>(j)] += x(i, j) / points;
  }
  Matrix expected(n, n);
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) {
      for (Index i = 0; i < points; ++i)
        expected(a, b) += (x(i, a) - mean[static_cast<std::size_t>(a)]) * (x(i, b) - mean[static_cast<std::size_t>(b)]);
      expected(a, b) *= 50.0 / 55.0 / 49.0;
    }
    expected(a, a) += 1e-3 * 5.0 / 55.0;
  }
  EXPECT_LT(max_abs(dense.regularised() - expected), 1e-12);
  for (Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    EXPECT_NEAR(dense.mean()[k], mean[k], 1e-12);
    EXPECT_NEAR(diagonal.regularised_diagonal()[k], expected(j, j), 1e-12);
    EXPECT_NEAR(dense.regularised_diagonal()[k], expected(j, j), 1e-12);
  }
}

TEST(WarmUpPlan, SpendsEveryIterationInGrowingWindows) {
  for (const int iterations : {0, 1, 5, 20, 100, 150, 333, 1000, 10000}) {
    const WarmUpPlan plan = plan_warm_up(iterations);
    EXPECT_EQ(plan.first + plan.last + std::accumulate(plan.windows.begin(), plan.windows.end(), 0), iterations);
    for (std::size_t i = 1; i < plan.windows.size(); ++i) EXPECT_GE(plan.windows[i], plan.windows[i - 1]);
    for (const int window : plan.windows) EXPECT_GT(window, 0);
  }
}

}  // namespace
}  // namespace darboux::testing

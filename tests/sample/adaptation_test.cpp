#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <numeric>

#include "linalg/dense.hpp"
#include "sample/running_covariance.hpp"
#include "sample/step_size_search.hpp"
#include "sample/warm_up_plan.hpp"

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
    expected(a, a) *= 1.0 + 1e-3 * 5.0 / 55.0;
  }
  EXPECT_LT(max_abs(dense.shrunk(std::nullopt) - expected), 1e-12);
  for (Index j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    EXPECT_NEAR(dense.mean()[k], mean[k], 1e-12);
    EXPECT_NEAR(diagonal.shrunk_diagonal()[k], expected(j, j), 1e-12);
    EXPECT_NEAR(dense.shrunk_diagonal()[k], expected(j, j), 1e-12);
  }
}

/// The metric does not care about units: in other coordinates q' = M q it is M Σ Mᵀ, whatever M is.
TEST(RunningCovariance, TransformsAsCovariancesDo) {
  constexpr Index n = 3;
  RandomStream random({.seed = 7});
  Matrix m(n, n), known(n, n);
  random.fill_normal({m.data(), 9});
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) m(i, j) *= std::pow(1e6, static_cast<double>(i - 1));
    known(i, i) = 1.0 + static_cast<double>(i);
  }
  RunningCovariance here(n, RunningCovariance::Shape::dense), there(n, RunningCovariance::Shape::dense);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x(n), y(n, 0.0);
    random.fill_normal(x);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) y[at(i)] += m(i, j) * x[at(j)];
    here.add(x);
    there.add(y);
  }
  const Matrix expected = m * here.shrunk(known) * m.transposed();
  const Matrix found = there.shrunk(m * known * m.transposed());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      EXPECT_NEAR(found(i, j), expected(i, j), 1e-12 * std::sqrt(expected(i, i) * expected(j, j)));
}

TEST(RunningCovariance, WithoutSpreadThereIsStillAScale) {
  RunningCovariance still(2, RunningCovariance::Shape::dense);
  for (int k = 0; k < 3; ++k) still.add(std::vector{1.0, static_cast<double>(k)});
  EXPECT_GT(still.shrunk_diagonal()[0], 0.0);
  EXPECT_GT(still.shrunk(std::nullopt)(0, 0), 0.0);
}

TEST(WarmUpPlan, SpendsEveryIterationInGrowingWindows) {
  for (const int iterations : {0, 1, 5, 20, 100, 150, 333, 1000, 10000}) {
    for (const bool gradients_tell : {false, true}) {
      const WarmUpPlan plan = plan_warm_up(iterations, gradients_tell);
      EXPECT_EQ(plan.first + plan.last + std::accumulate(plan.windows.begin(), plan.windows.end(), 0), iterations);
      for (std::size_t i = 1; i < plan.windows.size(); ++i) EXPECT_GE(plan.windows[i], plan.windows[i - 1]);
      for (const int window : plan.windows) EXPECT_GT(window, 0);
    }
  }
}

TEST(WarmUpPlan, BeginsToLearnEarlyWhereGradientsTell) {
  const WarmUpPlan plan = plan_warm_up(500, true), otherwise = plan_warm_up(500);
  EXPECT_EQ(plan.first, 20);
  EXPECT_EQ(plan.windows, (std::vector{10, 20, 25, 50, 100, 225}));
  EXPECT_EQ(otherwise.first, 50);
  EXPECT_EQ(otherwise.windows, (std::vector{25, 50, 100, 225}));
  EXPECT_EQ(plan_warm_up(390, true).windows, plan_warm_up(390).windows) << "too short a stretch to divide";
}

}  // namespace
}  // namespace darboux::testing

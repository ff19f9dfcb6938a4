#include "sample/low_rank_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <numeric>

#include "linalg/dense.hpp"
#include "support/random_structures.hpp"

namespace darboux::testing {
namespace {

/// A Gaussian with the covariance L Lᵀ: q = L ξ has the gradient ∇U = L⁻ᵀ ξ. `tail` multiplies both with random lengths, and
/// gradients of heavy tails with their inverse.
struct Source {
  LowRankMatrix factor;
  double tail = 0.0;

  [[nodiscard]] LowRankEstimate estimate(int count, std::uint64_t seed = 1) const {
    const Index n = factor.dim();
    LowRankEstimate estimate(n);
    RandomStream random({.seed = seed, .purpose = Purpose::data});
    const LowRankMatrix dual = factor.inverse().transposed();
    OwnedBatch xi(n, 1), q(n, 1), gradient(n, 1);
    for (int i = 0; i < count; ++i) {
      for (Index j = 0; j < n; ++j) xi(j, 0) = random.normal();
      const double stretch = std::exp(tail * random.normal());
      factor.multiply(xi, q);
      dual.multiply(xi, gradient);
      std::vector<double> x, g;
      for (Index j = 0; j < n; ++j) {
        x.push_back(5.0 + stretch * q(j, 0));
        g.push_back(gradient(j, 0) / stretch);
      }
      estimate.add(x, g);
    }
    return estimate;
  }
};

LowRankMatrix planted(Index n, const std::vector<double>& stretches, double spread_of_scales) {
  LowRankMatrix::Parts parts = random_low_rank(n, std::ssize(stretches), 3).parts();
  parts.stretches = stretches;
  parts.before.assign(parts.before.size(), 1.0);
  RandomStream random({.seed = 4, .purpose = Purpose::data});
  for (double& scale : parts.after) scale = std::pow(spread_of_scales, random.uniform() - 0.5);
  return LowRankMatrix(parts);
}

/// The largest ratio of variances in the coordinates that an estimate makes of a Gaussian with the factor L: of L̂⁻¹ L Lᵀ L̂⁻ᵀ.
double condition(const LowRankMatrix& estimate, const LowRankMatrix& truth) {
  const std::vector<double> lengths = singular_values(estimate.inverse().matrix() * truth.matrix());
  return std::pow(lengths.front() / lengths.back(), 2);
}

TEST(LowRankEstimate, FindsPlantedDirectionsFromFarFewerDrawsThanDimensions) {
  const Source source{.factor = planted(300, {30.0, 5.0, 3.0, 0.2, 0.02}, 1e4)};
  const LowRankMatrix alone({.after = source.factor.parts().after,
                             .directions = Matrix(0, 300),
                             .stretches = {},
                             .before = source.factor.parts().before});
  EXPECT_GT(condition(alone, source.factor), 1e6);
  const LowRankMatrix found = source.estimate(100).factor();
  EXPECT_EQ(found.rank(), 5);
  // What is left is shrinkage, as by five points more: (30/0.02)² to the power 5/(N + 5).
  EXPECT_NEAR(condition(found, source.factor), std::pow(1500.0, 10.0 / 105.0), 0.02);
  EXPECT_NEAR(condition(source.estimate(1000).factor(), source.factor), std::pow(1500.0, 10.0 / 1005.0), 0.02);
}

TEST(LowRankEstimate, FindsNothingWhereThereIsNothing) {
  for (const int count : {100, 1000}) {
    const Source source{.factor = planted(300, {}, 100.0)};
    const LowRankMatrix found = source.estimate(count).factor();
    EXPECT_EQ(found.rank(), 0);
    EXPECT_LT(condition(found, source.factor), 1.0001);
  }
}

/// Directions that stand out by less than noise could are left to the diagonal: least_ratio for many points, more for few.
TEST(LowRankEstimate, LeavesSmallDifferencesAlone) {
  const Source small{.factor = planted(20, {1.15, 1.0 / 1.15}, 1.0)};
  EXPECT_EQ(small.estimate(1000).factor().rank(), 0);
  const Source clear{.factor = planted(20, {1.4, 1.0 / 1.4}, 1.0)};  // 1.96 as a ratio of variances
  EXPECT_EQ(clear.estimate(1000).factor().rank(), 2);
  EXPECT_EQ(clear.estimate(15).factor().rank(), 0);  // 1 + √(20/15) = 2.2
}

/// A few points far out in heavy tails are no directions.
TEST(LowRankEstimate, IsNotLedAstrayByOutliers) {
  const Source source{.factor = planted(200, {10.0, 0.1}, 10.0), .tail = 0.35};  // as of Student's t with five degrees
  const LowRankMatrix found = source.estimate(400).factor();
  EXPECT_LE(found.rank(), 12);
  EXPECT_LT(condition(found, source.factor), 4.0);
}

/// Points that are all on one side, as early in warm-up, do no harm: gradients tell the rest.
TEST(LowRankEstimate, NeedsNoStationaryDraws) {
  const LowRankMatrix truth = planted(50, {20.0, 0.1}, 100.0);
  const LowRankMatrix precision_factor = truth.inverse().transposed();
  LowRankEstimate estimate(50);
  RandomStream random({.seed = 8, .purpose = Purpose::data});
  OwnedBatch q(50, 1), inner(50, 1), gradient(50, 1);
  for (int i = 0; i < 200; ++i) {
    for (Index j = 0; j < 50; ++j) q(j, 0) = truth.parts().after[static_cast<std::size_t>(j)] * random.uniform();
    truth.inverse().multiply(q, inner);
    precision_factor.multiply(inner, gradient);  // Σ⁻¹ q
    std::vector<double> x, g;
    for (Index j = 0; j < 50; ++j) {
      x.push_back(q(j, 0));
      g.push_back(gradient(j, 0));
    }
    estimate.add(x, g);
  }
  EXPECT_LT(condition(estimate.factor(), truth), 2.0);  // of 40,000
}

/// A random walk has a thousand times as much variance along its longest direction as the diagonal tells, and more directions that are
/// off than there is room for. Draws that have crossed a tenth of the longest ones, as early in warm-up, have gradients there that
/// are next to nothing, and show it all the same.
TEST(LowRankEstimate, KnowsDirectionsThatWereNotCrossed) {
  constexpr Index n = 300;
  Matrix precision(n, n);
  for (Index i = 0; i < n; ++i) {
    precision(i, i) = i + 1 < n ? 2.0 : 1.0;
    if (i > 0) precision(i, i - 1) = precision(i - 1, i) = -1.0;
  }
  const SymmetricEigen axes = symmetric_eigen(precision);
  LowRankEstimate estimate(n);
  RandomStream random({.seed = 5, .purpose = Purpose::data});
  for (int k = 0; k < 800; ++k) {
    std::vector<double> q(n, 0.0), gradient(n, 0.0);
    for (Index a = 0; a < n; ++a) {
      const double variance = 1.0 / axes.values[at(a)];
      const double along = (variance > 1000.0 ? 0.1 : 1.0) * std::sqrt(variance) * random.normal();
      for (Index i = 0; i < n; ++i) {
        q[at(i)] += along * axes.vectors(i, a);
        gradient[at(i)] += along / variance * axes.vectors(i, a);
      }
    }
    estimate.add(q, gradient);
  }
  const Matrix factor = estimate.factor().matrix();
  const SymmetricEigen found = symmetric_eigen(factor.transposed() * precision * factor);
  EXPECT_LE(estimate.factor().rank(), LowRankEstimate::most_directions);
  EXPECT_LT(1.0 / found.values.front(), 30.0) << "variance in the coordinates that it makes, 54 without their images";
  EXPECT_GT(1.0 / found.values.back(), 0.1);
}

/// The first coordinate is ½ N(0, 1) + ½ N(0, 10²): gradients, large where it is narrow, say that it is narrower than the draws
/// show by a factor of five in variance.
TEST(LowRankEstimate, IsAsWideAsTheDrawsWhereTheTargetIsNotGaussian) {
  constexpr Index n = 50;
  LowRankEstimate estimate(n);
  RandomStream random({.seed = 3});
  std::vector<double> q(n), gradient(n);
  double squares = 0.0;
  for (int k = 0; k < 1000; ++k) {
    random.fill_normal(q);
    gradient = q;  // of U, for a standard normal
    q[0] *= random.uniform() < 0.5 ? 1.0 : 10.0;
    const double narrow = std::exp(-0.5 * q[0] * q[0]), wide = 0.1 * std::exp(-0.005 * q[0] * q[0]);
    gradient[0] = q[0] * (narrow + 0.01 * wide) / (narrow + wide);
    squares += q[0] * q[0] / 1000.0;
    estimate.add(q, gradient);
  }
  const std::vector<double> variances = estimate.factor().variances();
  EXPECT_NEAR(variances[0] / squares, 1.0, 0.3);
  for (Index j = 1; j < n; ++j) EXPECT_NEAR(variances[at(j)], 1.0, 1e-6);
}

TEST(LowRankEstimate, IsTheSameEveryTime) {
  const Source source{.factor = planted(100, {10.0, 0.1}, 10.0)};
  EXPECT_EQ(source.estimate(200).factor(), source.estimate(200).factor());
}

TEST(LowRankEstimate, KeepsSoManyPointsAndSamplesThemFairly) {
  const Index capacity = LowRankEstimate::capacity(1);
  EXPECT_EQ(capacity, 1000);
  EXPECT_EQ(LowRankEstimate::capacity(100'000), 100);
  LowRankEstimate estimate(1);
  const int count = 10'000;
  for (int i = 0; i < count; ++i) {
    const double x = i;
    estimate.add({&x, 1}, {&x, 1});
  }
  EXPECT_EQ(estimate.count(), capacity);
  // A uniform sample of 1000 from 0 … 9999 has a mean with standard error 2887/√1000 = 91.
  EXPECT_NEAR(estimate.mean()[0], 4999.5, 4.0 * 91.0);
}

TEST(LowRankEstimate, FewOrEqualPointsAreNoTrouble) {
  for (const int count : {0, 1, 3}) {
    LowRankEstimate estimate(4);
    const std::vector<double> x{1, 2, 3, 4};
    for (int i = 0; i < count; ++i) estimate.add(x, x);
    const LowRankMatrix found = estimate.factor();
    EXPECT_EQ(found.rank(), 0);
    EXPECT_EQ(found.parts().after, std::vector<double>(4, 1.0));
  }
}

}  // namespace
}  // namespace darboux::testing

#include "darboux/linalg/low_rank.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::message_of;
using testing::random_low_rank;

/// diag(a) (I + Vᵀ diag(s − 1) V) diag(b), term by term.
Matrix written_out(const LowRankMatrix::Parts& p) {
  std::vector<double> excess = p.stretches;
  for (double& s : excess) s -= 1.0;
  const Matrix inner =
      Matrix::identity(p.directions.cols()) + p.directions.transposed() * Matrix::diagonal(excess) * p.directions;
  return Matrix::diagonal(p.after) * inner * Matrix::diagonal(p.before);
}

class LowRank : public ::testing::TestWithParam<std::pair<Index, Index>> {
 protected:
  LowRankMatrix m = random_low_rank(GetParam().first, GetParam().second, 7);
  Matrix dense = written_out(m.parts());
};
INSTANTIATE_TEST_SUITE_P(Sizes, LowRank,
                         ::testing::Values(std::pair{1, 1}, std::pair{5, 0}, std::pair{5, 2}, std::pair{6, 6},
                                           std::pair{40, 7}));

TEST_P(LowRank, HasTheEntriesOfItsFormula) { EXPECT_LT(max_abs(m.matrix() - dense), 1e-14 * max_abs(dense)); }

TEST_P(LowRank, TransposesNegatesAndInverts) {
  EXPECT_LT(max_abs(m.transposed().matrix() - dense.transposed()), 1e-14 * max_abs(dense));
  EXPECT_LT(max_abs(m.negated().matrix() + dense), 1e-14 * max_abs(dense));
  EXPECT_LT(max_abs(m.inverse().matrix() * dense - Matrix::identity(m.dim())), 1e-12);
  EXPECT_LT(max_abs(dense * m.inverse().matrix() - Matrix::identity(m.dim())), 1e-12);
}

TEST_P(LowRank, MultipliesEveryLaneOfABatch) {
  testing::on_every_cpu([&](CpuKind) {
    for (const Index lanes : {1, 3, 16}) {
      RandomStream random({.seed = 2, .purpose = Purpose::data});
      OwnedBatch x(m.dim(), lanes), product(m.dim(), lanes), sum(m.dim(), lanes);
      for (Index j = 0; j < m.dim(); ++j)
        for (Index lane = 0; lane < lanes; ++lane) x(j, lane) = random.normal();
      for (Index j = 0; j < m.dim(); ++j)
        for (Index lane = 0; lane < lanes; ++lane) sum(j, lane) = 100.0;
      m.multiply(x, product);
      m.add_product(x, sum);
      for (Index i = 0; i < m.dim(); ++i) {
        for (Index lane = 0; lane < lanes; ++lane) {
          double expected = 0.0;
          for (Index j = 0; j < m.dim(); ++j) expected += dense(i, j) * x(j, lane);
          EXPECT_NEAR(product(i, lane), expected, 1e-12);
          EXPECT_NEAR(sum(i, lane), 100.0 + expected, 1e-12);
        }
      }
    }
  });
}

TEST_P(LowRank, KnowsVariancesWithoutScalesBefore) {
  LowRankMatrix::Parts parts = m.parts();
  parts.before.assign(parts.before.size(), 1.0);
  const Matrix l = written_out(parts);
  const Matrix covariance = l * l.transposed();
  const std::vector<double> variances = LowRankMatrix(parts).variances();
  for (Index i = 0; i < m.dim(); ++i)
    EXPECT_NEAR(variances[static_cast<std::size_t>(i)], covariance(i, i), 1e-12 * covariance(i, i));
}

TEST(LowRankParts, AreChecked) {
  const LowRankMatrix::Parts good{.after = {1, 2}, .directions = {{0.6, 0.8}}, .stretches = {3}, .before = {1, 1}};
  EXPECT_EQ(LowRankMatrix(good).rank(), 1);
  const auto refusal = [&](const auto& edit) {
    LowRankMatrix::Parts parts = good;
    edit(parts);
    return message_of<InputError>([&] { LowRankMatrix m(parts); });
  };
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.before = {1}; }), {"2 and 1 scales"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.stretches = {1, 2}; }), {"2 stretches"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.directions = Matrix(1, 3); }), {"1 × 3 directions"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.directions = {{0.6, 0.7}}; }), {"0.85", "orthonormal"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) {
                                  p.directions = {{0.6, 0.8}, {1, 0}};
                                  p.stretches = {1, 2};
                                }),
                                {"directions 2 and 1", "0.6"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.after = {1, std::numeric_limits<double>::infinity()}; }),
                                {"scales", "finite"}));
  EXPECT_TRUE(testing::mentions(refusal([](auto& p) { p.stretches = {std::numeric_limits<double>::quiet_NaN()}; }),
                                {"stretches", "finite"}));
}

}  // namespace
}  // namespace darboux

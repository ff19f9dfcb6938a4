#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <darboux/linalg/structured_matrix.hpp>

#include "linalg/dense.hpp"
#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using Kind = StructuredMatrix::Kind;

TEST(StructuredMatrix, takes_the_tightest_tag) {
  EXPECT_EQ(StructuredMatrix::from(Matrix(3, 3)).kind(), Kind::zero);
  EXPECT_EQ(StructuredMatrix::from(Matrix::identity(3)).kind(), Kind::identity);
  EXPECT_EQ(StructuredMatrix::from(Matrix::diagonal({1, 0, 1})).kind(), Kind::diagonal);
  EXPECT_EQ(StructuredMatrix::from(Matrix{{1, 1}, {0, 1}}).kind(), Kind::dense);
  EXPECT_EQ(StructuredMatrix::from(Matrix{{1, 0}, {1e-300, 1}}).kind(), Kind::dense);
  EXPECT_EQ(StructuredMatrix::diagonal({1, 1}), StructuredMatrix::identity(2));
  EXPECT_EQ(StructuredMatrix::diagonal({0, -0.0}), StructuredMatrix::zero(2));
  EXPECT_NE(StructuredMatrix::zero(2), StructuredMatrix::zero(3));
}

TEST(StructuredMatrix, refuses_an_oblong_matrix) {
  const auto message = testing::message_of<StructureError>([] { (void)StructuredMatrix::from(Matrix(2, 3)); });
  EXPECT_TRUE(testing::mentions(message, {"square", "2 x 3"}));
}

TEST(StructuredMatrix, kinds_have_names) {
  EXPECT_EQ(name(Kind::zero), "zero");
  EXPECT_EQ(name(Kind::identity), "identity");
  EXPECT_EQ(name(Kind::diagonal), "diagonal");
  EXPECT_EQ(name(Kind::low_rank), "low-rank");
  EXPECT_EQ(name(Kind::dense), "dense");
}

TEST(StructuredMatrix, of_rank_zero_is_diagonal) {
  const LowRankMatrix m({.after = {2.0, 3.0}, .directions = Matrix(0, 2), .stretches = {}, .before = {1.0, 0.5}});
  EXPECT_EQ(StructuredMatrix::from(m), StructuredMatrix::diagonal({2.0, 1.5}));
}

TEST(StructuredMatrix, of_low_rank_is_not_diagonal) {
  const auto block = StructuredMatrix::from(testing::random_low_rank(4, 2, 1));
  EXPECT_EQ(block.kind(), Kind::low_rank);
  EXPECT_FALSE(block.is_diagonal());
  EXPECT_TRUE(StructuredMatrix::diagonal({1, 2}).is_diagonal());
  EXPECT_FALSE(StructuredMatrix::from(Matrix{{1, 1}, {0, 1}}).is_diagonal());
}

TEST(StructuredMatrix, inverts_what_has_an_inverse) {
  EXPECT_EQ(StructuredMatrix::identity(2).inverse(), StructuredMatrix::identity(2));
  EXPECT_EQ(StructuredMatrix::diagonal({2, -4}).inverse(), StructuredMatrix::diagonal({0.5, -0.25}));
  EXPECT_EQ(StructuredMatrix::from(Matrix{{1, 2}, {0, 1}}).inverse(), StructuredMatrix::from(Matrix{{1, -2}, {0, 1}}));
  EXPECT_FALSE(StructuredMatrix::zero(2).inverse());
  EXPECT_FALSE(StructuredMatrix::diagonal({2, 0}).inverse());
  EXPECT_FALSE(StructuredMatrix::from(Matrix{{1, 2}, {2, 4}}).inverse());
  const LowRankMatrix flat({.after = {1, 1}, .directions = {{1, 0}}, .stretches = {0}, .before = {1, 1}});
  EXPECT_FALSE(StructuredMatrix::from(flat).inverse());
  const auto block = StructuredMatrix::from(testing::random_low_rank(4, 2, 1));
  EXPECT_EQ(block.inverse()->kind(), Kind::low_rank);
  EXPECT_NEAR(max_abs(block.inverse()->matrix() * block.matrix() - Matrix::identity(4)), 0.0, 1e-13);
}

TEST(StructuredMatrix, of_no_size_is_empty) {
  EXPECT_EQ(StructuredMatrix().dim(), 0);
  EXPECT_TRUE(StructuredMatrix().is_zero());
}

class EveryKind : public ::testing::TestWithParam<Kind> {
 protected:
  static constexpr Index n = 5;
  static Matrix matrix() {
    RandomStream random({.seed = 1, .purpose = Purpose::data});
    switch (GetParam()) {
      case Kind::zero: return Matrix(n, n);
      case Kind::identity: return Matrix::identity(n);
      case Kind::diagonal: return Matrix::diagonal({2, -1, 0, 0.5, 3});
      case Kind::low_rank: return testing::random_low_rank(n, 2, 1).matrix();
      case Kind::dense: return testing::random_matrix(n, n, random);
    }
    return {};
  }
  static StructuredMatrix block() {
    return GetParam() == Kind::low_rank ? StructuredMatrix::from(testing::random_low_rank(n, 2, 1))
                                        : StructuredMatrix::from(matrix());
  }
  static OwnedBatch batch(std::uint64_t seed) {
    RandomStream random({.seed = seed, .purpose = Purpose::data});
    OwnedBatch x(n, 11);
    for (Index j = 0; j < n; ++j)
      for (Index lane = 0; lane < 11; ++lane) x(j, lane) = random.normal();
    return x;
  }
};

TEST_P(EveryKind, has_the_entries_of_its_matrix) {
  EXPECT_EQ(block().kind(), GetParam());
  EXPECT_EQ(block().dim(), n);
  EXPECT_EQ(block().matrix(), matrix());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) EXPECT_EQ(block()(i, j), matrix()(i, j));
}

TEST_P(EveryKind, transposes_and_negates) {
  EXPECT_LT(max_abs(block().transposed().matrix() - matrix().transposed()), 1e-15);
  EXPECT_EQ(block().negated().matrix(), StructuredMatrix::from(-matrix()).matrix());
  EXPECT_EQ(block().transposed().transposed(), block());
  EXPECT_EQ(block().negated().negated(), block());
}

TEST_P(EveryKind, multiplies_a_batch) {
  const Matrix m = matrix();
  const OwnedBatch x = batch(2), before = batch(3);
  OwnedBatch product = before, sum = before;
  block().multiply(x, product);
  block().add_product(x, sum);
  for (Index i = 0; i < n; ++i)
    for (Index lane = 0; lane < x.lanes(); ++lane) {
      double expected = 0.0;
      for (Index j = 0; j < n; ++j) expected += m(i, j) * x(j, lane);
      EXPECT_NEAR(product(i, lane), expected, 1e-14);
      EXPECT_NEAR(sum(i, lane), before(i, lane) + expected, 1e-14);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::Values(Kind::zero, Kind::identity, Kind::diagonal, Kind::low_rank, Kind::dense),
                         [](const auto& param) {
                           return param.param == Kind::low_rank ? "low_rank" : std::string(name(param.param));
                         });

}  // namespace
}  // namespace darboux

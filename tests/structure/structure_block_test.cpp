#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <darboux/structure/structure_block.hpp>

#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using Kind = StructureBlock::Kind;

TEST(StructureBlock, takes_the_tightest_tag) {
  EXPECT_EQ(StructureBlock::from(Matrix(3, 3)).kind(), Kind::zero);
  EXPECT_EQ(StructureBlock::from(Matrix::identity(3)).kind(), Kind::identity);
  EXPECT_EQ(StructureBlock::from(Matrix::diagonal({1, 0, 1})).kind(), Kind::diagonal);
  EXPECT_EQ(StructureBlock::from(Matrix{{1, 1}, {0, 1}}).kind(), Kind::dense);
  EXPECT_EQ(StructureBlock::from(Matrix{{1, 0}, {1e-300, 1}}).kind(), Kind::dense);
  EXPECT_EQ(StructureBlock::diagonal({1, 1}), StructureBlock::identity(2));
  EXPECT_EQ(StructureBlock::diagonal({0, -0.0}), StructureBlock::zero(2));
  EXPECT_NE(StructureBlock::zero(2), StructureBlock::zero(3));
}

TEST(StructureBlock, refuses_an_oblong_matrix) {
  const auto message = testing::message_of<StructureError>([] { (void)StructureBlock::from(Matrix(2, 3)); });
  EXPECT_TRUE(testing::mentions(message, {"square", "2 x 3"}));
}

TEST(StructureBlock, kinds_have_names) {
  EXPECT_EQ(name(Kind::zero), "zero");
  EXPECT_EQ(name(Kind::identity), "identity");
  EXPECT_EQ(name(Kind::diagonal), "diagonal");
  EXPECT_EQ(name(Kind::dense), "dense");
}

TEST(StructureBlock, of_no_size_is_empty) {
  EXPECT_EQ(StructureBlock().dim(), 0);
  EXPECT_TRUE(StructureBlock().is_zero());
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
      case Kind::dense: return testing::random_matrix(n, n, random);
    }
    return {};
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
  const auto block = StructureBlock::from(matrix());
  EXPECT_EQ(block.kind(), GetParam());
  EXPECT_EQ(block.dim(), n);
  EXPECT_EQ(block.matrix(), matrix());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) EXPECT_EQ(block(i, j), matrix()(i, j));
}

TEST_P(EveryKind, transposes_and_negates) {
  const auto block = StructureBlock::from(matrix());
  EXPECT_EQ(block.transposed(), StructureBlock::from(matrix().transposed()));
  EXPECT_EQ(block.negated(), StructureBlock::from(-matrix()));
  EXPECT_EQ(block.negated().negated(), block);
}

TEST_P(EveryKind, multiplies_a_batch) {
  const Matrix m = matrix();
  const OwnedBatch x = batch(2), before = batch(3);
  OwnedBatch product = before, sum = before;
  StructureBlock::from(m).multiply(x, product);
  StructureBlock::from(m).add_product(x, sum);
  for (Index i = 0; i < n; ++i)
    for (Index lane = 0; lane < x.lanes(); ++lane) {
      double expected = 0.0;
      for (Index j = 0; j < n; ++j) expected += m(i, j) * x(j, lane);
      EXPECT_NEAR(product(i, lane), expected, 1e-14);
      EXPECT_NEAR(sum(i, lane), before(i, lane) + expected, 1e-14);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, ::testing::Values(Kind::zero, Kind::identity, Kind::diagonal, Kind::dense),
                         [](const auto& param) { return std::string(name(param.param)); });

}  // namespace
}  // namespace darboux

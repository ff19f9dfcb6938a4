#include <gtest/gtest.h>

#include <cmath>
#include <darboux/linalg/batch_product.hpp>
#include <darboux/linalg/dense.hpp>
#include <limits>
#include <vector>

#include "support/random_structures.hpp"

namespace darboux {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

RandomStream numbers(std::uint64_t seed) { return RandomStream({.seed = seed, .purpose = Purpose::data}); }

OwnedBatch random_batch(Index rows, Index lanes, RandomStream& random) {
  OwnedBatch batch(rows, lanes);
  for (Index j = 0; j < rows; ++j)
    for (Index lane = 0; lane < lanes; ++lane) batch(j, lane) = random.normal();
  return batch;
}

/// Entry i of M x for one lane, summed over the columns in their order: what the product must equal to the last bit.
double entry(const Matrix& m, const OwnedBatch& x, Index i, Index lane) {
  double sum = 0.0;
  for (Index j = 0; j < m.cols(); ++j) sum += m(i, j) * x(j, lane);
  return sum;
}

class BatchProduct : public ::testing::TestWithParam<Index> {};

TEST_P(BatchProduct, multiplies_every_lane) {
  const Index lanes = GetParam();
  RandomStream random = numbers(1);
  const Matrix m = testing::random_matrix(5, 7, random);
  const OwnedBatch x = random_batch(7, lanes, random);
  OwnedBatch y = random_batch(5, lanes, random);
  multiply(m, x, y);
  for (Index i = 0; i < 5; ++i)
    for (Index lane = 0; lane < lanes; ++lane) EXPECT_NEAR(y(i, lane), entry(m, x, i, lane), 1e-14);
}

TEST_P(BatchProduct, adds_to_every_lane) {
  const Index lanes = GetParam();
  RandomStream random = numbers(2);
  const Matrix m = testing::random_matrix(5, 7, random);
  const OwnedBatch x = random_batch(7, lanes, random);
  const OwnedBatch before = random_batch(5, lanes, random);
  OwnedBatch y = before;
  multiply_add(m, x, y);
  for (Index i = 0; i < 5; ++i)
    for (Index lane = 0; lane < lanes; ++lane) EXPECT_NEAR(y(i, lane), before(i, lane) + entry(m, x, i, lane), 1e-14);
}

TEST_P(BatchProduct, a_lane_is_the_same_at_every_place) {
  const Index lanes = GetParam();
  RandomStream random = numbers(3);
  const Matrix m = testing::random_matrix(6, 9, random);
  const OwnedBatch vector = random_batch(9, 1, random);
  std::vector<double> first;
  for (Index place = 0; place < lanes; ++place) {
    OwnedBatch x = random_batch(9, lanes, random), y(6, lanes);
    for (Index j = 0; j < 9; ++j) x(j, place) = vector(j, 0);
    multiply(m, x, y);
    for (Index i = 0; i < 6; ++i) {
      if (place == 0) first.push_back(y(i, 0));
      EXPECT_EQ(y(i, place), first[static_cast<std::size_t>(i)]) << "at " << place << " of " << lanes;
    }
  }
}

TEST_P(BatchProduct, leaves_the_memory_beyond_the_lanes_alone) {
  const Index lanes = GetParam();
  RandomStream random = numbers(4);
  const Matrix m = testing::random_matrix(3, 3, random);
  OwnedBatch x(3, lanes + 3), y(3, lanes + 3);
  for (Index j = 0; j < 3; ++j)
    for (Index lane = 0; lane < lanes + 3; ++lane) y(j, lane) = 99.0;
  const ConstBatch narrow_x(x.view().row(0), 3, lanes, x.view().stride());
  const Batch narrow_y(y.view().row(0), 3, lanes, y.view().stride());
  const std::vector<double> dt(static_cast<std::size_t>(lanes), 0.1);
  multiply(m, narrow_x, narrow_y);
  multiply_add(m, narrow_x, narrow_y);
  DirectedMatrix(m, m).multiply(narrow_x, dt, narrow_y);
  add_scaled(narrow_x, dt, narrow_y);
  assign_where(narrow_x, dt, narrow_y);
  for (Index j = 0; j < 3; ++j) {
    EXPECT_EQ(y(j, 0), 0.0);
    for (Index lane = lanes; lane < lanes + 3; ++lane) EXPECT_EQ(y(j, lane), 99.0);
  }
}

TEST_P(BatchProduct, directed_takes_each_lanes_matrix) {
  const Index lanes = GetParam();
  RandomStream random = numbers(5);
  const DirectedMatrix m(testing::random_matrix(4, 6, random), testing::random_matrix(4, 6, random));
  const OwnedBatch x = random_batch(6, lanes, random);
  // every mixture of signs within a tile of eight lanes comes up: all forward, all backward, and in between
  for (int pattern = 0; pattern < 256; ++pattern) {
    std::vector<double> dt(static_cast<std::size_t>(lanes));
    for (std::size_t lane = 0; lane < dt.size(); ++lane) dt[lane] = (pattern >> (lane % 8)) % 2 == 1 ? -0.1 : 0.1;
    OwnedBatch y(4, lanes);
    m.multiply(x, dt, y);
    for (Index lane = 0; lane < lanes; ++lane) {
      const Matrix& expected = dt[static_cast<std::size_t>(lane)] < 0.0 ? m.backward() : m.forward();
      for (Index i = 0; i < 4; ++i)
        ASSERT_NEAR(y(i, lane), entry(expected, x, i, lane), 1e-14) << "pattern " << pattern;
    }
  }
}

TEST_P(BatchProduct, a_bad_lane_keeps_to_itself) {
  const Index lanes = GetParam();
  RandomStream random = numbers(6);
  const DirectedMatrix m(testing::random_matrix(4, 4, random), testing::random_matrix(4, 4, random));
  const OwnedBatch good = random_batch(4, lanes, random);
  for (Index bad_lane = 0; bad_lane < lanes; ++bad_lane) {
    OwnedBatch bad = good;
    for (Index j = 0; j < 4; ++j) bad(j, bad_lane) = j % 2 == 0 ? nan : INFINITY;
    std::vector<double> dt(static_cast<std::size_t>(lanes));
    for (std::size_t lane = 0; lane < dt.size(); ++lane) dt[lane] = lane % 3 == 0 ? -1.0 : 1.0;
    dt[static_cast<std::size_t>(bad_lane)] = 0.0;  // idle
    OwnedBatch with(4, lanes), without(4, lanes);
    m.multiply(bad, dt, with);
    m.multiply(good, dt, without);
    for (Index lane = 0; lane < lanes; ++lane)
      for (Index i = 0; i < 4; ++i)
        if (lane != bad_lane) {
          ASSERT_EQ(with(i, lane), without(i, lane));
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, BatchProduct, ::testing::Range(Index{1}, Index{21}));

TEST(AddScaled, moves_only_lanes_with_a_scale) {
  OwnedBatch x(2, 4), y(2, 4);
  for (Index lane = 0; lane < 4; ++lane) {
    x(0, lane) = 1.0;
    x(1, lane) = 10.0;
    y(0, lane) = y(1, lane) = 5.0;
  }
  x(0, 1) = x(1, 1) = nan;
  const std::vector<double> scale{0.5, 0.0, -2.0, -0.0};
  add_scaled(x, scale, y, 2.0);
  EXPECT_EQ(y(0, 0), 6.0);
  EXPECT_EQ(y(1, 0), 15.0);
  EXPECT_EQ(y(1, 1), 5.0);
  EXPECT_EQ(y(0, 2), 1.0);
  EXPECT_EQ(y(1, 2), -35.0);
  EXPECT_EQ(y(1, 3), 5.0);
}

TEST(AssignWhere, takes_only_lanes_with_a_scale) {
  OwnedBatch x(1, 3), y(1, 3);
  for (Index lane = 0; lane < 3; ++lane) x(0, lane) = static_cast<double>(lane + 1);
  assign_where(x, std::vector<double>{-1.0, 0.0, 3.0}, y);
  EXPECT_EQ(y(0, 0), 1.0);
  EXPECT_EQ(y(0, 1), 0.0);
  EXPECT_EQ(y(0, 2), 3.0);
}

TEST(DirectedMatrix, is_empty_until_given) {
  EXPECT_TRUE(DirectedMatrix().empty());
  EXPECT_FALSE(DirectedMatrix(Matrix::identity(2), Matrix::identity(2)).empty());
}

}  // namespace
}  // namespace darboux

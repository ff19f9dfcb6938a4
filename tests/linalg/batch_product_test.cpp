#include "linalg/batch_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "linalg/dense.hpp"
#include "support/every_cpu.hpp"
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

/// Blocks of all widths, on every kind of processor.
class BatchProduct : public ::testing::TestWithParam<std::tuple<Index, CpuKind>> {
 protected:
  testing::OnCpu on_cpu{std::get<1>(GetParam())};
  const Index lanes = std::get<0>(GetParam());
};

TEST_P(BatchProduct, multiplies_every_lane) {
  RandomStream random = numbers(1);
  const Matrix m = testing::random_matrix(5, 7, random);
  const OwnedBatch x = random_batch(7, lanes, random);
  OwnedBatch y = random_batch(5, lanes, random);
  multiply(m, x, y);
  for (Index i = 0; i < 5; ++i)
    for (Index lane = 0; lane < lanes; ++lane) EXPECT_NEAR(y(i, lane), entry(m, x, i, lane), 1e-14);
}

TEST_P(BatchProduct, adds_to_every_lane) {
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
  RandomStream random = numbers(5);
  const DirectedMatrix m(testing::random_matrix(4, 6, random), testing::random_matrix(4, 6, random));
  const OwnedBatch x = random_batch(6, lanes, random);
  // Every mixture of signs within eight lanes comes up, and sixteen with any number of them backward.
  for (int pattern = 0; pattern < 4096; ++pattern) {
    std::vector<double> dt(static_cast<std::size_t>(lanes));
    for (std::size_t lane = 0; lane < dt.size(); ++lane) dt[lane] = (pattern >> (lane % 12)) % 2 == 1 ? -0.1 : 0.1;
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

TEST_P(BatchProduct, directed_leaves_idle_lanes_alone) {
  RandomStream random = numbers(13);
  const Matrix any = testing::random_matrix(4, 6, random);
  const OwnedBatch x = random_batch(6, lanes, random), before = random_batch(4, lanes, random);
  std::vector<double> dt;
  for (Index l = 0; l < lanes; ++l) dt.push_back(static_cast<double>(l % 3) - 1.0);
  for (const DirectedMatrix& m : {DirectedMatrix(any, -any), DirectedMatrix(any, 2.0 * any)}) {
    OwnedBatch assigned = before, added = before, elsewhere(4, lanes);
    m.multiply(x, dt, assigned);
    m.multiply_add(x, dt, added);
    m.multiply_add(x, dt, before, elsewhere);
    for (Index l = 0; l < lanes; ++l)
      for (Index i = 0; i < 4; ++i) {
        const bool idle = dt[static_cast<std::size_t>(l)] == 0.0;
        EXPECT_EQ(assigned(i, l) == before(i, l), idle);
        EXPECT_EQ(added(i, l), idle ? before(i, l) : before(i, l) + assigned(i, l));
        EXPECT_EQ(elsewhere(i, l), added(i, l));
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, BatchProduct,
                         ::testing::Combine(::testing::Values<Index>(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 37),
                                            ::testing::ValuesIn(supported_cpu_kinds())),
                         [](const auto& instance) {
                           return std::to_string(std::get<0>(instance.param)) + "_on_" +
                                  std::string(name(std::get<1>(instance.param)));
                         });

TEST(BatchProductShapes, products_of_all_heights) {
  testing::on_every_cpu([](CpuKind kind) {
    for (Index rows = 1; rows <= 14; ++rows) {
      RandomStream random = numbers(static_cast<std::uint64_t>(rows));
      const DirectedMatrix m(testing::random_matrix(rows, 5, random), testing::random_matrix(rows, 5, random));
      const OwnedBatch x = random_batch(5, 19, random), before = random_batch(rows, 19, random);
      std::vector<double> dt;
      for (int l = 0; l < 19; ++l) dt.push_back(l < 16 && l % 3 == 0 ? -1.0 : 1.0);
      OwnedBatch y(rows, 19), directed(rows, 19), added = before;
      multiply(m.forward(), x, y);
      m.multiply(x, dt, directed);
      m.multiply_add(x, dt, added);
      for (Index i = 0; i < rows; ++i)
        for (Index l = 0; l < 19; ++l) {
          const Matrix& own = dt[static_cast<std::size_t>(l)] < 0.0 ? m.backward() : m.forward();
          ASSERT_NEAR(y(i, l), entry(m.forward(), x, i, l), 1e-14) << name(kind);
          ASSERT_NEAR(directed(i, l), entry(own, x, i, l), 1e-14) << name(kind);
          ASSERT_EQ(added(i, l), before(i, l) + directed(i, l)) << name(kind);
        }
    }
  });
}

TEST(DirectedMatrix, odd_matrices_change_their_sign_with_the_direction) {
  testing::on_every_cpu([](CpuKind kind) {
    RandomStream random = numbers(11);
    const Matrix m = testing::random_matrix(7, 5, random);
    const OwnedBatch x = random_batch(5, 16, random);
    OwnedBatch forward(7, 16), directed(7, 16);
    multiply(m, x, forward);
    std::vector<double> dt(16, 1.0);
    dt[3] = dt[10] = -1.0;
    DirectedMatrix(m, -m).multiply(x, dt, directed);
    for (Index i = 0; i < 7; ++i)
      for (Index l = 0; l < 16; ++l)
        EXPECT_EQ(directed(i, l), l == 3 || l == 10 ? -forward(i, l) : forward(i, l)) << name(kind);
  });
}

TEST(AddDifference, adds_in_all_lanes) {
  testing::on_every_cpu([](CpuKind kind) {
    RandomStream random = numbers(14);
    const OwnedBatch x = random_batch(3, 21, random), y = random_batch(3, 21, random), z = random_batch(3, 21, random);
    OwnedBatch out(3, 21);
    add_difference(x, y, z, out);
    for (Index j = 0; j < 3; ++j)
      for (Index l = 0; l < 21; ++l) EXPECT_EQ(out(j, l), x(j, l) + (y(j, l) - z(j, l))) << name(kind);
  });
}

TEST(NegateWhere, negates_lanes_with_a_scale_and_says_what_is_not_finite) {
  testing::on_every_cpu([](CpuKind kind) {
    RandomStream random = numbers(15);
    OwnedBatch x = random_batch(3, 21, random);
    const OwnedBatch before = random_batch(3, 21, random);
    x(1, 4) = nan;
    x(2, 17) = -INFINITY;
    x(0, 20) = INFINITY;
    std::vector<double> scale(21, 1.0), not_finite(21, 7.0);
    scale[2] = scale[17] = scale[19] = 0.0;
    OwnedBatch y = before;
    negate_where(x, scale, y, not_finite);
    for (Index l = 0; l < 21; ++l) {
      const auto lane = static_cast<std::size_t>(l);
      EXPECT_EQ(std::isnan(not_finite[lane]), l == 4 || l == 17 || l == 20) << name(kind);
      if (!std::isnan(not_finite[lane])) {
        EXPECT_EQ(not_finite[lane], 0.0) << name(kind);
      }
      for (Index j = 0; j < 3; ++j)
        if (!std::isnan(x(j, l))) {
          EXPECT_EQ(y(j, l), scale[lane] == 0.0 ? before(j, l) : -x(j, l)) << name(kind);
        }
    }
  });
}

TEST(TurnDifference, turns_by_the_angle_and_keeps_the_sum) {
  testing::on_every_cpu([](CpuKind kind) {
    RandomStream random = numbers(12);
    const OwnedBatch first_before = random_batch(6, 5, random), second_before = random_batch(6, 5, random);
    OwnedBatch first = first_before, second = second_before;
    const std::vector<double> dt{0.1, -0.1, 0.0, 2.0, -3.0};
    turn_difference(first, second, dt, 0.4);
    for (Index l = 0; l < 5; ++l) {
      const double h = dt[static_cast<std::size_t>(l)], angle = h > 0.0 ? 0.4 : h < 0.0 ? -0.4 : 0.0;
      for (Index j = 0; j < 3; ++j) {
        const double q = first_before(j, l) - second_before(j, l), p = first_before(j + 3, l) - second_before(j + 3, l);
        EXPECT_NEAR(first(j, l) - second(j, l), std::cos(angle) * q + std::sin(angle) * p, 1e-15) << name(kind);
        EXPECT_NEAR(first(j + 3, l) - second(j + 3, l), std::cos(angle) * p - std::sin(angle) * q, 1e-15);
      }
      for (Index j = 0; j < 6; ++j) {
        EXPECT_NEAR(first(j, l) + second(j, l), first_before(j, l) + second_before(j, l), 1e-15);
        if (h == 0.0) {
          EXPECT_EQ(first(j, l), first_before(j, l));
        }
      }
    }
  });
}

TEST(LargestExcess, is_the_distance_over_the_tolerance) {
  testing::on_every_cpu([](CpuKind kind) {
    OwnedBatch x(2, 6), y(2, 6);
    for (Index l = 0; l < 6; ++l) y(0, l) = 0.5;
    y(1, 0) = 2.0;     // |x − y| = 5e-3 against 2e-3
    y(1, 1) = -100.0;  // allowed
    y(1, 4) = 5.0;
    for (Index l = 0; l < 6; ++l) x(0, l) = y(0, l) + 1e-3, x(1, l) = y(1, l) - 5e-3;
    x(0, 2) = nan;
    x(1, 3) = INFINITY;
    std::vector<double> out(6);
    largest_excess(x, y, 1e-3, out);
    EXPECT_NEAR(out[0], 3e-3, 1e-15) << name(kind);
    EXPECT_NEAR(out[1], 0.0, 1e-15);
    EXPECT_TRUE(std::isnan(out[2]) && std::isnan(out[3])) << name(kind);
    EXPECT_NEAR(out[4], 0.0, 1e-15);
    EXPECT_NEAR(out[5], 4e-3, 1e-15);
  });
}

TEST(AddWhere, adds_the_same_multiple_where_there_is_a_scale) {
  OwnedBatch x(1, 3), y(1, 3);
  for (Index lane = 0; lane < 3; ++lane) x(0, lane) = 3.0, y(0, lane) = 1.0;
  x(0, 1) = nan;
  add_where(x, std::vector<double>{0.5, 0.0, -2.0}, y, -2.0);
  EXPECT_EQ(y(0, 0), -5.0);
  EXPECT_EQ(y(0, 1), 1.0);
  EXPECT_EQ(y(0, 2), -5.0);
}

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

TEST(CombineWhere, combines_only_lanes_with_a_scale) {
  OwnedBatch x(2, 3), y(2, 3);
  for (Index lane = 0; lane < 3; ++lane) {
    x(0, lane) = 1.0;
    x(1, lane) = 10.0;
    y(0, lane) = y(1, lane) = 5.0;
  }
  x(0, 1) = x(1, 1) = nan;
  combine_where(x, std::vector{2.0, 1.0, -1.0}, std::vector{3.0, 1.0, 0.5}, std::vector{-1.0, 0.0, 1.0}, y);
  EXPECT_EQ(y(0, 0), 17.0);
  EXPECT_EQ(y(1, 0), 35.0);
  EXPECT_EQ(y(0, 1), 5.0);
  EXPECT_EQ(y(1, 1), 5.0);
  EXPECT_EQ(y(0, 2), 1.5);
  EXPECT_EQ(y(1, 2), -7.5);
}

TEST(DotProducts, are_those_of_each_lane) {
  OwnedBatch x(2, 3), y(2, 3);
  for (Index lane = 0; lane < 3; ++lane) {
    x(0, lane) = static_cast<double>(lane);
    x(1, lane) = 2.0;
    y(0, lane) = 3.0;
    y(1, lane) = -1.0;
  }
  std::vector<double> xx(3), xy(3), yy(3);
  dot_products(x, y, xx, xy, yy);
  EXPECT_EQ(xx, (std::vector{4.0, 5.0, 8.0}));
  EXPECT_EQ(xy, (std::vector{-2.0, 1.0, 4.0}));
  EXPECT_EQ(yy, (std::vector{10.0, 10.0, 10.0}));
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

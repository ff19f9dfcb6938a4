#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <darboux/linalg/matrix.hpp>

#include "support/expect.hpp"

namespace darboux {
namespace {

TEST(Matrix, is_stored_by_rows) {
  const Matrix m{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(m.rows(), 2);
  EXPECT_EQ(m.cols(), 3);
  EXPECT_EQ(m(1, 0), 4.0);
  EXPECT_EQ(m.data()[2], 3.0);
  EXPECT_FALSE(m.is_square());
  EXPECT_TRUE(Matrix().empty());
}

TEST(Matrix, refuses_ragged_rows) {
  const auto message = testing::message_of<InputError>([] { (void)Matrix{{1, 2}, {3}}; });
  EXPECT_TRUE(testing::mentions(message, {"rows", "equal length"}));
}

TEST(Matrix, makes_special_matrices) {
  EXPECT_EQ(Matrix::identity(2), (Matrix{{1, 0}, {0, 1}}));
  EXPECT_EQ(Matrix::diagonal({2, 3}), (Matrix{{2, 0}, {0, 3}}));
  EXPECT_EQ(canonical_matrix(2), (Matrix{{0, 0, 1, 0}, {0, 0, 0, 1}, {-1, 0, 0, 0}, {0, -1, 0, 0}}));
}

TEST(Matrix, transposes_and_cuts) {
  const Matrix m{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(m.transposed(), (Matrix{{1, 4}, {2, 5}, {3, 6}}));
  EXPECT_EQ(m.block(0, 1, 2, 2), (Matrix{{2, 3}, {5, 6}}));
  Matrix big(3, 3, 9.0);
  big.set_block(1, 1, Matrix{{1, 2}, {3, 4}});
  EXPECT_EQ(big, (Matrix{{9, 9, 9}, {9, 1, 2}, {9, 3, 4}}));
}

TEST(Matrix, adds_and_scales) {
  const Matrix a{{1, 2}, {3, 4}}, b{{10, 20}, {30, 40}};
  EXPECT_EQ(a + b, (Matrix{{11, 22}, {33, 44}}));
  EXPECT_EQ(b - a, (Matrix{{9, 18}, {27, 36}}));
  EXPECT_EQ(2.0 * a, (Matrix{{2, 4}, {6, 8}}));
  EXPECT_EQ(-a, (Matrix{{-1, -2}, {-3, -4}}));
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace darboux

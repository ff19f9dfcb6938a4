#include "linalg/dense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/error.hpp>
#include <numbers>

#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::difference;
using testing::random_matrix;
using testing::random_orthogonal;
using testing::value_of;

RandomStream numbers(std::uint64_t seed) { return RandomStream({.seed = seed, .purpose = Purpose::data}); }

TEST(Dense, product_of_oblong_matrices) {
  EXPECT_EQ((Matrix{{1, 2, 3}, {4, 5, 6}} * Matrix{{1, 0}, {0, 1}, {1, -1}}), (Matrix{{4, -1}, {10, -1}}));
}

TEST(Dense, norms) {
  const Matrix m{{3, 0}, {0, -4}};
  EXPECT_DOUBLE_EQ(frobenius_norm(m), 5.0);
  EXPECT_DOUBLE_EQ(max_abs(m), 4.0);
  EXPECT_DOUBLE_EQ(spectral_norm(m), 4.0);
  EXPECT_DOUBLE_EQ(nuclear_norm(m), 7.0);
  EXPECT_DOUBLE_EQ(frobenius_norm(Matrix{{3e-200, 4e-200}}), 5e-200);
  EXPECT_EQ(frobenius_norm(Matrix()), 0.0);
  EXPECT_EQ(max_abs(Matrix()), 0.0);
  EXPECT_EQ(spectral_norm(Matrix()), 0.0);
}

TEST(Dense, singular_values_of_a_matrix_made_from_them) {
  RandomStream random = numbers(1);
  const std::vector<double> expected{3.0, 2.0, 0.5, 1e-9};
  const Matrix m = random_orthogonal(4, random) * Matrix::diagonal(expected) * random_orthogonal(4, random);
  const auto found = singular_values(m);
  ASSERT_EQ(found.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14);
  EXPECT_EQ(singular_values(m.block(0, 0, 4, 2)).size(), 2U);
}

// Where many singular values coincide, the divide-and-conquer method of Eigen 3.4 errs without saying so.
TEST(Dense, singular_values_that_coincide) {
  const Index pairs = 40;
  Matrix m(2 * pairs, 2 * pairs);
  for (Index i = 0; i < pairs; ++i)
    m.set_block(2 * i, 2 * i, Matrix{{-1.118033988749895, 0.0}, {-0.8944271909999159, 0.6708203932499369}});
  const auto found = singular_values(m);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], i < static_cast<std::size_t>(pairs) ? 1.5 : 0.5, 1e-14) << i;
}

TEST(Dense, singular_values_of_any_scale) {
  RandomStream random = numbers(8);
  const Matrix m = random_matrix(30, 20, random);
  const auto expected = singular_values(m);
  for (const int exponent : {-1000, 1000}) {
    Matrix scaled = m;
    scaled *= std::scalbn(1.0, exponent);
    const auto found = singular_values(scaled);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], std::scalbn(expected[i], exponent));
  }
}

TEST(Dense, singular_values_of_deficient_matrices) {
  RandomStream random = numbers(9);
  for (const Index rank : {0, 1, 5, 11}) {
    const Matrix m = random_matrix(12, rank, random) * random_matrix(rank, 12, random);
    const auto found = singular_values(m);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i] > 1e-12, i < static_cast<std::size_t>(rank)) << i << " of rank " << rank;
  }
  EXPECT_EQ(singular_values(Matrix(3, 3)), (std::vector<double>{0, 0, 0}));
}

TEST(Dense, singular_values_agree_with_norm_and_determinant) {
  RandomStream random = numbers(10);
  for (const Index n : {1, 2, 3, 17, 60}) {
    const Matrix m = random_matrix(n, n, random);
    double squares = 0.0, logs = 0.0;
    for (const double s : singular_values(m)) {
      squares += s * s;
      logs += std::log(s);
    }
    EXPECT_NEAR(std::sqrt(squares), frobenius_norm(m), 1e-13 * frobenius_norm(m));
    EXPECT_NEAR(logs, log_abs_determinant(m), 1e-10);
  }
}

TEST(Dense, singular_values_of_what_is_not_finite_are_refused) {
  EXPECT_THROW((void)singular_values(Matrix{{1, 2}, {3, NAN}}), Error);
}

TEST(Dense, weakest_direction_is_nearly_annihilated) {
  RandomStream random = numbers(2);
  Matrix m = random_matrix(6, 3, random);
  for (Index i = 0; i < 6; ++i) m(i, 2) = m(i, 0) - 2.0 * m(i, 1);  // m (1, −2, −1)ᵀ = 0
  const auto v = weakest_direction(m);
  ASSERT_EQ(v.size(), 3U);
  const double scale = v[0] * std::sqrt(6.0);
  EXPECT_NEAR(std::abs(scale), 1.0, 1e-14);
  EXPECT_NEAR(v[1], -2.0 * v[0], 1e-14);
  EXPECT_NEAR(v[2], -v[0], 1e-14);
}

TEST(Dense, weakest_direction_of_a_wide_matrix_is_in_its_kernel) {
  const auto v = weakest_direction(Matrix{{1, 1}});
  EXPECT_NEAR(v[0] + v[1], 0.0, 1e-15);
  EXPECT_NEAR(v[0] * v[0] + v[1] * v[1], 1.0, 1e-15);
}

TEST(Dense, inverse_undoes_and_refuses_singular) {
  RandomStream random = numbers(3);
  const Matrix m = random_matrix(7, 7, random);
  const Matrix inverted = value_of(inverse(m));
  EXPECT_LT(difference(inverted * m, Matrix::identity(7)), 1e-12);
  EXPECT_LT(difference(m * inverted, Matrix::identity(7)), 1e-12);
  EXPECT_FALSE(inverse(Matrix{{1, 2}, {2, 4}}).has_value());
  EXPECT_FALSE(inverse(Matrix(3, 3)).has_value());
}

TEST(Dense, determinant_of_a_product) {
  RandomStream random = numbers(4);
  const Matrix a = random_matrix(5, 5, random), b = random_matrix(5, 5, random);
  EXPECT_NEAR(log_abs_determinant(Matrix{{0, 2}, {-3, 1}}), std::log(6.0), 1e-15);
  EXPECT_NEAR(log_abs_determinant(a * b), log_abs_determinant(a) + log_abs_determinant(b), 1e-12);
}

TEST(Dense, exponential_of_known_matrices) {
  EXPECT_EQ(exponential(Matrix(3, 3)), Matrix::identity(3));
  EXPECT_LT(difference(exponential(Matrix{{0, 1}, {0, 0}}), Matrix{{1, 1}, {0, 1}}), 1e-15);
  EXPECT_LT(difference(exponential(Matrix::diagonal({1, -2})), Matrix::diagonal({std::exp(1.0), std::exp(-2.0)})),
            1e-14);
  const double angle = 40.0;  // large enough to need scaling
  const Matrix turn{{std::cos(angle), std::sin(angle)}, {-std::sin(angle), std::cos(angle)}};
  EXPECT_LT(difference(exponential(angle * canonical_matrix(1)), turn), 1e-12);
}

TEST(Dense, cholesky_factor_and_its_refusals) {
  RandomStream random = numbers(5);
  const Matrix a = random_matrix(6, 6, random);
  const Matrix spd = a * a.transposed() + Matrix::identity(6);
  const Matrix L = value_of(cholesky(spd));
  EXPECT_LT(difference(L * L.transposed(), spd), 1e-13 * frobenius_norm(spd));
  for (Index i = 0; i < 6; ++i)
    for (Index j = i + 1; j < 6; ++j) EXPECT_EQ(L(i, j), 0.0);
  EXPECT_FALSE(cholesky(Matrix{{1, 2}, {2, 1}}).has_value());
  EXPECT_FALSE(cholesky(Matrix{{2, 1}, {0, 2}}).has_value());
}

TEST(Dense, symmetric_square_root_and_its_refusals) {
  RandomStream random = numbers(6);
  const Matrix a = random_matrix(6, 6, random);
  const Matrix spd = a * a.transposed() + Matrix::identity(6);
  const Matrix root = value_of(symmetric_square_root(spd));
  EXPECT_LT(difference(root * root, spd), 1e-13 * frobenius_norm(spd));
  EXPECT_LT(difference(root, root.transposed()), 1e-14 * frobenius_norm(root));
  EXPECT_FALSE(symmetric_square_root(Matrix{{1, 2}, {2, 1}}).has_value());
  EXPECT_FALSE(symmetric_square_root(Matrix{{2, 1}, {0, 2}}).has_value());
}

TEST(Dense, geometric_mean_with_inverse_solves_its_equation) {
  RandomStream random = numbers(8);
  const auto positive_definite = [&] {
    const Matrix m = random_matrix(6, 6, random);
    return m * m.transposed() + Matrix::identity(6);
  };
  const Matrix a = positive_definite(), b = positive_definite();
  const Matrix s = value_of(geometric_mean_with_inverse(a, b));
  EXPECT_LT(difference(s * b * s, a), 1e-12 * frobenius_norm(a));
  EXPECT_EQ(s, s.transposed());
  EXPECT_GT(symmetric_eigen(s).values.front(), 0.0);
  EXPECT_FALSE(geometric_mean_with_inverse(a, Matrix(6, 6)).has_value());
  EXPECT_FALSE(geometric_mean_with_inverse(Matrix(6, 6), b).has_value());
}

TEST(Dense, symmetric_eigen_puts_a_matrix_together_again) {
  RandomStream random = numbers(9);
  const Matrix a = random_matrix(5, 5, random);
  const Matrix m = a + a.transposed();
  const auto [values, vectors] = symmetric_eigen(m);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT(difference(vectors * Matrix::diagonal(values) * vectors.transposed(), m), 1e-13 * frobenius_norm(m));
}

TEST(Dense, orthonormal_columns_span_the_same_space) {
  RandomStream random = numbers(7);
  const Matrix m = random_matrix(8, 3, random);
  const Matrix q = orthonormal_columns(m);
  EXPECT_EQ(q.cols(), 3);
  EXPECT_LT(difference(q.transposed() * q, Matrix::identity(3)), 1e-14);
  EXPECT_LT(difference(q * (q.transposed() * m), m), 1e-13);
}

}  // namespace
}  // namespace darboux

#include "linalg/skew_schur.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/dense.hpp"
#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::difference;

Matrix reconstruction(const SkewSchur& form) {
  const Matrix half = form.a * Matrix::diagonal(form.rate) * form.b.transposed();
  return half - half.transposed();
}

/// (a_1, …, b_1, …) and the left-over vector as columns.
Matrix all_vectors(const SkewSchur& form) {
  const Index n = form.dim(), planes = form.a.cols();
  Matrix q(n, 2 * planes + (form.kernel.empty() ? 0 : 1));
  q.set_block(0, 0, form.a);
  q.set_block(0, planes, form.b);
  for (std::size_t i = 0; i < form.kernel.size(); ++i) q(static_cast<Index>(i), n - 1) = form.kernel[i];
  return q;
}

/// The phase convention: b is zero and a positive at the first coordinate with half of the largest size. Which of several
/// coordinates that have exactly half is the first, rounding decides.
bool has_conventional_phase(const SkewSchur& form, Index plane) {
  const auto size = [&](Index j) { return std::pow(form.a(j, plane), 2) + std::pow(form.b(j, plane), 2); };
  double largest = 0.0;
  for (Index j = 0; j < form.dim(); ++j) largest = std::max(largest, size(j));
  for (Index j = 0; j < form.dim(); ++j) {
    if (size(j) > 0.499999 * largest && form.b(j, plane) == 0.0 && form.a(j, plane) > 0.0) return true;
    if (size(j) > 0.500001 * largest) return false;
  }
  return false;
}

/// What the form of a skew matrix lacks of all that the header promises; nothing, one hopes.
std::string shortcomings(const Matrix& skew) {
  const Index n = skew.rows();
  const SkewSchur form = skew_schur(skew);
  const double rounding = 1e-14 * static_cast<double>(n);
  if (form.dim() != n || form.a.cols() != n / 2 || form.b.cols() != n / 2 || std::ssize(form.rate) != n / 2)
    return "wrong shape";
  if (std::ssize(form.kernel) != (n % 2 == 1 ? n : 0)) return "wrong left-over vector";
  std::string found;
  if (!(difference(reconstruction(form), skew) <= rounding * frobenius_norm(skew)))
    found += "does not sum to the matrix; ";
  const Matrix q = all_vectors(form);
  if (!(difference(q.transposed() * q, Matrix::identity(n)) <= rounding)) found += "vectors not orthonormal; ";
  if (!std::is_sorted(form.rate.rbegin(), form.rate.rend())) found += "rates not descending; ";
  if (!std::all_of(form.rate.begin(), form.rate.end(), [](double rate) { return rate >= 0.0; }))
    found += "negative rate; ";
  for (Index k = 0; k < n / 2; ++k)
    if (!has_conventional_phase(form, k)) found += "phase of plane " + std::to_string(k) + "; ";
  return found;
}

TEST(SkewSchur, holds_for_random_matrices_of_every_size) {
  for (Index n = 1; n <= 60; ++n)
    EXPECT_EQ(shortcomings(random_skew(n, Divisor{2.0}, static_cast<std::uint64_t>(n))), "");
  EXPECT_EQ(shortcomings(random_skew(151, Divisor{2.0}, 1)), "");
  EXPECT_EQ(shortcomings(random_skew(200, Divisor{2.0}, 2)), "");
}

TEST(SkewSchur, of_the_empty_and_the_smallest) {
  EXPECT_EQ(skew_schur(Matrix()).dim(), 0);
  const SkewSchur one = skew_schur(Matrix(1, 1));
  EXPECT_EQ(one.kernel, std::vector<double>{1.0});
  EXPECT_TRUE(one.rate.empty());
  const SkewSchur two = skew_schur(Matrix{{0, -3}, {3, 0}});  // −3 (e₁e₂ᵀ − e₂e₁ᵀ) = 3 (e₁(−e₂)ᵀ − (−e₂)e₁ᵀ)
  EXPECT_EQ(two.a, (Matrix{{1}, {0}}));
  EXPECT_EQ(two.b, (Matrix{{0}, {-1}}));
  EXPECT_EQ(two.rate, std::vector<double>{3.0});
}

TEST(SkewSchur, of_zero) {
  for (const Index n : {1, 2, 3, 8, 9}) {
    EXPECT_EQ(shortcomings(Matrix(n, n)), "");
    for (const double rate : skew_schur(Matrix(n, n)).rate) EXPECT_EQ(rate, 0.0);
  }
}

TEST(SkewSchur, uses_the_skew_part_only) {
  const Matrix skew = random_skew(5, Divisor{2.0}, 1);
  const Matrix disturbed = skew + 1000.0 * Matrix::identity(5);
  EXPECT_LT(difference(reconstruction(skew_schur(disturbed)), skew), 1e-12);
}

/// A skew matrix with given rates in random planes.
Matrix with_rates(const std::vector<double>& rates, Index n, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  const Matrix q = testing::random_orthogonal(n, random);
  Matrix d(n, n);
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const Index i = 2 * static_cast<Index>(k);
    d(i, i + 1) = rates[k];
    d(i + 1, i) = -rates[k];
  }
  const Matrix m = q * d * q.transposed();
  return 0.5 * (m - m.transposed());
}

TEST(SkewSchur, finds_the_rates) {
  const std::vector<double> rates{4.0, 2.5, 1.0, 0.25};
  for (const Index n : {8, 9, 12}) {
    const auto found = skew_schur(with_rates(rates, n, 3)).rate;
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], k < rates.size() ? rates[k] : 0.0, 1e-14);
  }
}

TEST(SkewSchur, of_repeated_rates) {
  EXPECT_EQ(shortcomings(with_rates({2, 2, 2}, 6, 1)), "");
  EXPECT_EQ(shortcomings(with_rates({3, 2, 2, 2, 1, 1}, 13, 2)), "");
  EXPECT_EQ(shortcomings(with_rates(std::vector<double>(30, 1.0), 60, 3)), "");
  for (const Index n : {4, 20, 41, 80}) {  // repeated rates in coordinate planes: the case that misled Eigen's SVD
    std::vector<std::pair<Index, Index>> planes;
    for (Index i = 0; i + 1 < n; i += 2) planes.emplace_back(i, i + 1);
    const Matrix H = plane_rotations(n, planes, 0.5);
    EXPECT_EQ(shortcomings(H), "");
    EXPECT_EQ(shortcomings(PoissonStructure::from_blocks(H, Matrix::identity(n), H).matrix()), "");
  }
}

TEST(SkewSchur, of_tiny_rates) {
  EXPECT_EQ(shortcomings(with_rates({1.0, 1e-14}, 4, 1)), "");
  EXPECT_EQ(shortcomings(with_rates({1.0, 1e-7, 1e-14, 0.0}, 8, 2)), "");
  EXPECT_EQ(shortcomings(1e-300 * random_skew(7, Divisor{2.0}, 3)), "");
  EXPECT_EQ(shortcomings(1e300 * random_skew(6, Divisor{2.0}, 3)), "");
  EXPECT_EQ(shortcomings(5e-324 * canonical_matrix(2)), "");
}

TEST(SkewSchur, of_the_canonical_matrix_has_the_axes) {
  for (Index n = 1; n <= 100; ++n) {
    const SkewSchur form = skew_schur(canonical_matrix(n));
    EXPECT_LT(difference(all_vectors(form), Matrix::identity(2 * n)), 1e-14) << n;
  }
}

TEST(SkewSchur, coordinate_planes_of_equal_rate_stay_apart) {
  const SkewSchur form = skew_schur(plane_rotations(6, {{1, 4}, {5, 0}, {2, 3}}, 2.0));
  const Matrix axes{{1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
                    {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, -1, 0, 0}};
  EXPECT_LT(difference(all_vectors(form), axes), 1e-14);
}

TEST(SkewSchur, is_the_same_whatever_the_planes_of_equal_rate_were_called) {
  // S does not change when its planes of equal rate are mixed; the form must not either.
  const Index n = 10;
  const Matrix s = with_rates({1, 1, 1, 1, 1}, n, 4);
  const Matrix jittered = s + 1e-15 * random_skew(n, Divisor{2.0}, 5);
  const SkewSchur one = skew_schur(s), two = skew_schur(jittered);
  EXPECT_LT(difference(all_vectors(one), all_vectors(two)), 1e-12);
}

// Entries from a handful of integers: many zeros, repeated rates and kernels.
RC_GTEST_PROP(SkewSchurProperty, holds_for_sparse_integer_matrices, ()) {
  const auto n = static_cast<Index>(*rc::gen::inRange(1, 40));
  const int span = *rc::gen::inRange(1, 6);
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) {
      const int x = *rc::gen::inRange(-3 * span, 4);
      m(i, j) = x < -3 ? 0.0 : static_cast<double>(x);
      m(j, i) = -m(i, j);
    }
  RC_ASSERT(shortcomings(m) == "");
}

TEST(Rotation, is_the_exponential) {
  for (const Index n : {1, 2, 3, 8, 15})
    for (const double t : {0.0, 0.3, -0.3, 7.0}) {
      const Matrix s = random_skew(n, Divisor{2.0}, static_cast<std::uint64_t>(n));
      EXPECT_LT(difference(rotation(skew_schur(s), t), exponential(t * s)), 1e-12) << n << " " << t;
    }
}

TEST(Rotation, is_orthogonal_at_any_time) {
  const SkewSchur form = skew_schur(random_skew(21, Divisor{2.0}, 1));
  for (const double t : {1e-8, 1.0, 1e6, 1e12}) {
    const Matrix r = rotation(form, t);
    EXPECT_LT(difference(r * r.transposed(), Matrix::identity(21)), 1e-13) << t;
  }
}

TEST(RotationIntegral, is_a_block_of_an_exponential) {
  // exp(t [[0, I], [0, S]]) = [[I, ∫₀ᵗ exp(sS) ds], [0, exp(tS)]]
  for (const Index n : {1, 2, 3, 8, 15})
    for (const double t : {0.0, 0.3, -0.3, 7.0}) {
      const Matrix s = random_skew(n, Divisor{2.0}, static_cast<std::uint64_t>(n));
      Matrix generator(2 * n, 2 * n);
      generator.set_block(0, n, Matrix::identity(n));
      generator.set_block(n, n, s);
      const Matrix expected = exponential(t * generator).block(0, n, n, n);
      EXPECT_LT(difference(rotation_integral(skew_schur(s), t), expected), 1e-12) << n << " " << t;
    }
}

TEST(RotationIntegral, loses_no_digits_for_small_angles) {
  // ∫₀ᵗ exp(sS) ds = t I + (t²/2) S + …: the second term must not drown in a cancellation 1 − cos(λt).
  const Matrix s{{0, 1}, {-1, 0}};
  for (const double t : {1e-9, 1e-7, 1e-5}) {
    const Matrix d = rotation_integral(skew_schur(s), t);
    EXPECT_NEAR(d(0, 0) / t, 1.0, 1e-9);
    EXPECT_NEAR(d(0, 1) / (0.5 * t * t), 1.0, 1e-9) << t;
  }
}

}  // namespace
}  // namespace darboux

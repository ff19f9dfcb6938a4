#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/structure/poisson_structure.hpp>
#include <limits>
#include <vector>

#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::difference;
using testing::random_structure;
using testing::Shape;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

PoissonStructure any_structure(Index max_dim = 20) {
  const auto n = static_cast<Index>(*rc::gen::inRange(1, static_cast<int>(max_dim) + 1));
  const auto shape = *rc::gen::elementOf(std::vector<Shape>(testing::all_shapes.begin(), testing::all_shapes.end()));
  return random_structure(n, shape, *rc::gen::inRange<std::uint64_t>(0, 100));
}

TEST(PoissonStructure, canonical) {
  const auto structure = PoissonStructure::canonical(3);
  EXPECT_EQ(structure.dim(), 3);
  EXPECT_TRUE(structure.E().is_zero());
  EXPECT_TRUE(structure.A().is_identity());
  EXPECT_TRUE(structure.G().is_zero());
  EXPECT_EQ(structure.matrix(), canonical_matrix(3));
}

TEST(PoissonStructure, matrix_has_its_blocks_in_place) {
  const auto structure =
      PoissonStructure::from_blocks(Matrix{{0, 1}, {-1, 0}}, Matrix{{2, 3}, {4, 5}}, Matrix{{0, 6}, {-6, 0}});
  EXPECT_EQ(structure.matrix(), (Matrix{{0, 1, 2, 3}, {-1, 0, 4, 5}, {-2, -4, 0, 6}, {-3, -5, -6, 0}}));
  EXPECT_EQ(structure.A_transposed().matrix(), (Matrix{{2, 4}, {3, 5}}));
}

TEST(PoissonStructure, equality_is_of_entries) {
  const auto from_tags = PoissonStructure::from_blocks(StructuredMatrix::zero(2), StructuredMatrix::diagonal({1, 1}),
                                                       StructuredMatrix::zero(2));
  EXPECT_EQ(from_tags, PoissonStructure::from_poisson_matrix(canonical_matrix(2)));
  EXPECT_EQ(from_tags, PoissonStructure::canonical(2));
  EXPECT_FALSE(from_tags == PoissonStructure::canonical(3));
}

TEST(PoissonStructure, keeps_the_skew_part_of_a_slightly_uneven_matrix) {
  const Matrix uneven{{1e-12, 1.0 + 1e-11}, {-1.0, 0}};
  const auto structure = PoissonStructure::from_blocks(uneven, Matrix::identity(2), Matrix(2, 2));
  const Matrix E = structure.E().matrix();
  EXPECT_EQ(E(0, 0), 0.0);
  EXPECT_EQ(E(0, 1), -E(1, 0));
  EXPECT_NEAR(E(0, 1), 1.0 + 0.5e-11, 1e-15);
}

TEST(PoissonStructure, keeps_a_skew_matrix_to_the_last_bit) {
  const double odd = 0.1 + 0.2, subnormal = 5e-324, huge = 1.7e308;
  const Matrix skew{{0, odd, subnormal}, {-odd, 0, huge}, {-subnormal, -huge, 0}};
  EXPECT_EQ(PoissonStructure::from_blocks(skew, Matrix::identity(3), skew).E().matrix(), skew);
}

RC_GTEST_PROP(PoissonStructureProperty, its_matrix_gives_it_back, ()) {
  const auto structure = any_structure();
  RC_ASSERT(PoissonStructure::from_poisson_matrix(structure.matrix()) == structure);
}

RC_GTEST_PROP(PoissonStructureProperty, its_symplectic_matrix_gives_it_back, ()) {
  const auto n = static_cast<Index>(*rc::gen::inRange(1, 21));
  const auto shape =
      *rc::gen::elementOf(std::vector<Shape>(testing::invertible_shapes.begin(), testing::invertible_shapes.end()));
  const auto structure = random_structure(n, shape, *rc::gen::inRange<std::uint64_t>(0, 100));
  const Matrix j = -testing::value_of(inverse(structure.matrix()));
  const auto back = PoissonStructure::from_symplectic_matrix(0.5 * (j - j.transposed()));
  RC_ASSERT(difference(back.matrix(), structure.matrix()) < 1e-11 * frobenius_norm(structure.matrix()));
}

TEST(PoissonStructure, a_zero_block_survives_the_symplectic_matrix) {
  // J = −B⁻¹ by hand: for E = 0 it is [[−A⁻ᵀGA⁻¹, A⁻ᵀ], [−A⁻¹, 0]], and for G = 0 it is [[0, A⁻ᵀ], [−A⁻¹, −A⁻¹EA⁻ᵀ]]
  const Matrix skew = random_skew(4, Divisor{2.0}, 1);
  Matrix position = canonical_matrix(4), momentum = canonical_matrix(4);
  position.set_block(0, 0, -skew);
  momentum.set_block(4, 4, -skew);
  const auto magnetic_position = PoissonStructure::from_symplectic_matrix(position);
  EXPECT_TRUE(magnetic_position.E().is_zero());
  EXPECT_TRUE(magnetic_position.A().is_identity());
  EXPECT_EQ(magnetic_position.G().matrix(), skew);
  const auto magnetic_momentum = PoissonStructure::from_symplectic_matrix(momentum);
  EXPECT_EQ(magnetic_momentum.E().matrix(), skew);
  EXPECT_TRUE(magnetic_momentum.A().is_identity());
  EXPECT_TRUE(magnetic_momentum.G().is_zero());
  EXPECT_EQ(PoissonStructure::from_symplectic_matrix(canonical_matrix(4)), PoissonStructure::canonical(4));
}

RC_GTEST_PROP(PoissonStructureProperty, reversed_is_minus_S_B_S, ()) {
  const auto structure = any_structure();
  const Index n = structure.dim();
  Matrix S = Matrix::identity(2 * n);
  for (Index i = n; i < 2 * n; ++i) S(i, i) = -1.0;
  RC_ASSERT(structure.reversed().matrix() == -(S * structure.matrix() * S));
  RC_ASSERT(structure.reversed().reversed() == structure);
  RC_ASSERT(structure.reversed().A_transposed() == structure.A_transposed());
}

RC_GTEST_PROP(PoissonStructureProperty, apply_is_the_matrix_times_the_gradient_of_H, ()) {
  const auto structure = any_structure();
  const Index n = structure.dim();
  const auto lanes = static_cast<Index>(*rc::gen::inRange(1, 21));
  RandomStream random({.seed = *rc::gen::arbitrary<std::uint64_t>(), .purpose = Purpose::data});
  OwnedBatch gradient(n, lanes), momentum(n, lanes), dq(n, lanes), dp(n, lanes);
  Matrix grad_h(2 * n, lanes);
  for (Index lane = 0; lane < lanes; ++lane)
    for (Index j = 0; j < n; ++j) {
      grad_h(j, lane) = gradient(j, lane) = random.normal();
      grad_h(n + j, lane) = momentum(j, lane) = random.normal();
    }
  structure.apply(gradient, momentum, {.dq = dq, .dp = dp});
  const Matrix expected = structure.matrix() * grad_h;
  for (Index lane = 0; lane < lanes; ++lane)
    for (Index j = 0; j < n; ++j) {
      RC_ASSERT(std::abs(dq(j, lane) - expected(j, lane)) < 1e-13 * static_cast<double>(n + 3));
      RC_ASSERT(std::abs(dp(j, lane) - expected(n + j, lane)) < 1e-13 * static_cast<double>(n + 3));
    }
}

RC_GTEST_PROP(PoissonStructureProperty, a_bad_lane_of_apply_keeps_to_itself, ()) {
  const auto structure = any_structure(8);
  const Index n = structure.dim();
  const auto lanes = static_cast<Index>(*rc::gen::inRange(2, 21));
  const auto bad = static_cast<Index>(*rc::gen::inRange(0, static_cast<int>(lanes)));
  RandomStream random({.seed = 1, .purpose = Purpose::data});
  OwnedBatch gradient(n, lanes), momentum(n, lanes), dq(n, lanes), dp(n, lanes), bad_dq(n, lanes), bad_dp(n, lanes);
  for (Index j = 0; j < n; ++j)
    for (Index lane = 0; lane < lanes; ++lane) {
      gradient(j, lane) = random.normal();
      momentum(j, lane) = random.normal();
    }
  structure.apply(gradient, momentum, {.dq = dq, .dp = dp});
  for (Index j = 0; j < n; ++j) {
    gradient(j, bad) = nan;
    momentum(j, bad) = INFINITY;
  }
  structure.apply(gradient, momentum, {.dq = bad_dq, .dp = bad_dp});
  for (Index j = 0; j < n; ++j)
    for (Index lane = 0; lane < lanes; ++lane)
      if (lane != bad) {
        RC_ASSERT(dq(j, lane) == bad_dq(j, lane));
        RC_ASSERT(dp(j, lane) == bad_dp(j, lane));
      }
}

TEST(Spectrum, of_structures_with_known_eigenvalues) {
  const auto canonical = PoissonStructure::canonical(4).spectrum();
  EXPECT_DOUBLE_EQ(canonical.smallest, 1.0);
  EXPECT_DOUBLE_EQ(canonical.largest, 1.0);
  EXPECT_FALSE(canonical.degenerate());
  // E = G = s J₂ with A = I has the eigenvalues ±i(1 ± s)
  const Matrix H = plane_rotations(2, {{0, 1}}, 0.25);
  const auto coupled = PoissonStructure::from_blocks(H, Matrix::identity(2), H).spectrum();
  EXPECT_NEAR(coupled.smallest, 0.75, 1e-15);
  EXPECT_NEAR(coupled.largest, 1.25, 1e-15);
}

TEST(Spectrum, of_a_diagonal_A_is_read_off) {
  const auto range =
      PoissonStructure::from_blocks(Matrix(3, 3), Matrix::diagonal({-2, 0.5, 3}), Matrix(3, 3)).spectrum();
  EXPECT_EQ(range.smallest, 0.5);
  EXPECT_EQ(range.largest, 3.0);
  // but only where E = G = 0: here the eigenvalues are ±i(1 ± 1/2)
  const Matrix H = plane_rotations(2, {{0, 1}}, 0.5);
  EXPECT_NEAR(PoissonStructure::from_blocks(H, Matrix::identity(2), H).spectrum().largest, 1.5, 1e-15);
}

// As a dense matrix each block would take 80 GB.
TEST(PoissonStructure, of_huge_dimension_works_with_tags) {
  const Index n = 100000;
  std::vector<double> entries(static_cast<std::size_t>(n), 2.0);
  entries[17] = 0.5;
  const auto zero = StructuredMatrix::zero(n);
  const auto structure = PoissonStructure::from_blocks(zero, StructuredMatrix::diagonal(entries), zero);
  EXPECT_EQ(structure.spectrum().smallest, 0.5);
  EXPECT_EQ(structure.reversed(), structure);
  entries[99] = 0.0;
  EXPECT_THROW((void)PoissonStructure::from_blocks(zero, StructuredMatrix::diagonal(entries), zero), StructureError);
  EXPECT_THROW((void)PoissonStructure::from_blocks(StructuredMatrix::identity(n), StructuredMatrix::identity(n), zero),
               StructureError);
}

TEST(Spectrum, of_a_coupled_structure_with_eigenvalue_i_is_degenerate) {
  for (const Index n : {2, 3, 10}) {
    const Matrix H = random_skew(n, SpectralStrength{1.0}, 7);
    const auto structure = PoissonStructure::from_blocks(H, Matrix::identity(n), H);
    EXPECT_TRUE(structure.spectrum().degenerate());
    EXPECT_LT(structure.spectrum().smallest, 1e-14);
    EXPECT_FALSE(PoissonStructure::from_blocks(H, Matrix::identity(n), Matrix(n, n)).spectrum().degenerate());
  }
}

TEST(Spectrum, degenerate_begins_at_a_ratio_of_1e_12) {
  using Range = PoissonStructure::Spectrum;
  EXPECT_FALSE((Range{.smallest = 1.01e-12, .largest = 1.0}.degenerate()));
  EXPECT_TRUE((Range{.smallest = 0.99e-12, .largest = 1.0}.degenerate()));
  EXPECT_TRUE((Range{.smallest = 0.0, .largest = 0.0}.degenerate()));
  EXPECT_TRUE((Range{.smallest = nan, .largest = 1.0}.degenerate()));
  EXPECT_FALSE((Range{.smallest = 1e-20, .largest = 1e-20}.degenerate()));
}

}  // namespace
}  // namespace darboux

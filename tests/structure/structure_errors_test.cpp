#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/structure/recipes.hpp>
#include <limits>

#include "support/expect.hpp"
#include "support/random_structures.hpp"

/// Bad matrices are refused with their name, the worst entry and its value, and the rule.
namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
const Matrix one = Matrix::identity(3), zero(3, 3);

std::string refusal(const Matrix& E, const Matrix& A, const Matrix& G) {
  return message_of<StructureError>([&] { (void)PoissonStructure::from_blocks(E, A, G); });
}

TEST(StructureErrors, not_skew_names_the_worst_pair) {
  Matrix E{{0, 1, 2}, {-1, 0, 3}, {-2, 4, 0}};
  E(0, 1) = 1.5;
  EXPECT_TRUE(mentions(refusal(E, one, zero),
                       {"E is not skew", "E(2,3) = 3 and E(3,2) = 4", "E(i,j) = -E(j,i)", "indices count from 1"}));
  EXPECT_TRUE(mentions(refusal(zero, one, E), {"G is not skew", "G(2,3) = 3 and G(3,2) = 4", "G(i,j) = -G(j,i)"}));
}

TEST(StructureErrors, not_skew_on_the_diagonal) {
  EXPECT_TRUE(mentions(refusal(zero, one, Matrix{{0, 1, 0}, {-1, 0, 0}, {0, 0, 0.5}}),
                       {"G is not skew", "G(3,3) = 0.5", "diagonal of a skew matrix is zero"}));
  EXPECT_TRUE(mentions(refusal(one, one, zero), {"E is not skew", "E(1,1) = 1", "diagonal of a skew matrix is zero"}));
}

TEST(StructureErrors, skewness_has_a_tolerance_relative_to_the_largest_entry) {
  const auto slightly_off = [](double scale, double defect) {
    return Matrix{{0, scale * (1.0 + defect)}, {-scale, 0}};
  };
  for (const double scale : {1e-30, 1.0, 1e30}) {
    const Matrix I = Matrix::identity(2), O(2, 2);
    EXPECT_NO_THROW((void)PoissonStructure::from_blocks(slightly_off(scale, 0.9e-10), I, O)) << scale;
    EXPECT_THROW((void)PoissonStructure::from_blocks(slightly_off(scale, 1.2e-10), I, O), StructureError) << scale;
  }
}

TEST(StructureErrors, not_finite_names_the_entry) {
  Matrix bad = zero;
  bad(1, 2) = nan;
  EXPECT_TRUE(mentions(refusal(bad, one, zero), {"E(2,3) = nan", "finite", "indices count from 1"}));
  bad(1, 2) = infinity;
  EXPECT_TRUE(mentions(refusal(zero, one, bad), {"G(2,3) = inf", "finite"}));
  Matrix A = one;
  A(2, 0) = -infinity;
  EXPECT_TRUE(mentions(refusal(zero, A, zero), {"A(3,1) = -inf", "finite"}));
  const auto diagonal = message_of<StructureError>([] {
    (void)PoissonStructure::from_blocks(StructuredMatrix::zero(2), StructuredMatrix::diagonal({1, nan}),
                                        StructuredMatrix::zero(2));
  });
  EXPECT_TRUE(mentions(diagonal, {"A(2,2) = nan", "finite"}));
}

TEST(StructureErrors, wrong_shapes) {
  EXPECT_TRUE(mentions(refusal(Matrix(3, 2), one, zero), {"E must be square", "3 rows", "2 columns"}));
  EXPECT_TRUE(mentions(refusal(zero, Matrix(2, 3), zero), {"A must be square", "2 rows", "3 columns"}));
  EXPECT_TRUE(mentions(refusal(zero, one, Matrix(1, 4)), {"G must be square", "1 rows", "4 columns"}));
  EXPECT_TRUE(mentions(refusal(Matrix(), one, zero), {"E is empty"}));
  EXPECT_TRUE(mentions(refusal(Matrix(2, 2), one, zero), {"same size", "2 x 2, 3 x 3 and 3 x 3"}));
  EXPECT_TRUE(mentions(refusal(zero, one, Matrix(4, 4)), {"same size", "3 x 3, 3 x 3 and 4 x 4"}));
  EXPECT_TRUE(mentions(message_of<StructureError>([] { (void)PoissonStructure::canonical(0); }), {"at least 1 x 1"}));
}

TEST(StructureErrors, nothing_happens_without_A) {
  const Matrix turn = plane_rotations(2, {{0, 1}}, 1.0);
  EXPECT_TRUE(mentions(refusal(turn, Matrix(2, 2), turn), {"A = 0", "U(q) would never change"}));
}

TEST(StructureErrors, dead_direction_is_named) {
  // Aᵀv = 0 and Ev = 0 for v = e₂
  EXPECT_TRUE(mentions(refusal(plane_rotations(3, {{0, 2}}, 1.0), Matrix::diagonal({1, 0, 2}), zero),
                       {"A'v = 0", "Ev = 0", "v(2) =", "never move", "singular values"}));
  // G does not help: it moves momenta only
  EXPECT_THROW(
      (void)PoissonStructure::from_blocks(zero, Matrix::diagonal({1, 0, 2}), plane_rotations(3, {{0, 1}}, 1.0)),
      StructureError);
}

TEST(StructureErrors, dead_axis_of_a_diagonal_A) {
  EXPECT_TRUE(
      mentions(refusal(zero, Matrix::diagonal({1, -3, 0}), zero), {"A'v = 0", "v(3) = 1", "range from 0 to 3"}));
}

TEST(StructureErrors, dead_direction_hidden_in_dense_blocks) {
  RandomStream random({.seed = 1, .purpose = Purpose::data});
  const Matrix q = testing::random_orthogonal(4, random);
  const Matrix A = q * Matrix::diagonal({1, 2, 0, 0}) * testing::random_orthogonal(4, random);
  const auto turned = [&](Index i, Index j) {
    const Matrix E = q * plane_rotations(4, {{i, j}}, 1.0) * q.transposed();
    return Matrix(0.5 * (E - E.transposed()));
  };
  const Matrix O(4, 4);
  EXPECT_THROW((void)PoissonStructure::from_blocks(turned(0, 2), A, O), StructureError);  // the fourth is dead
  EXPECT_NO_THROW((void)PoissonStructure::from_blocks(turned(2, 3), A, O));               // E moves both
}

TEST(StructureErrors, E_may_move_what_A_does_not) {
  EXPECT_NO_THROW(
      (void)PoissonStructure::from_blocks(plane_rotations(3, {{0, 1}}, 1.0), Matrix::diagonal({1, 0, 2}), zero));
}

TEST(StructureErrors, Poisson_matrix) {
  const auto refused = [](const Matrix& b) {
    return message_of<StructureError>([&] { (void)PoissonStructure::from_poisson_matrix(b); });
  };
  EXPECT_TRUE(mentions(refused(Matrix(3, 3)), {"B must have an even size", "3 x 3"}));
  EXPECT_TRUE(mentions(refused(Matrix(2, 4)), {"B must be square", "2 rows", "4 columns"}));
  EXPECT_TRUE(mentions(refused(Matrix()), {"B is empty"}));
  EXPECT_TRUE(
      mentions(refused(Matrix{{0, 1}, {1, 0}}), {"B is not skew", "B(1,2) = 1 and B(2,1) = 1", "B(i,j) = -B(j,i)"}));
  EXPECT_TRUE(mentions(refused(Matrix{{0, nan}, {1, 0}}), {"B(1,2) = nan", "finite"}));
  EXPECT_TRUE(mentions(refused(Matrix(4, 4)), {"A = 0"}));
}

TEST(StructureErrors, symplectic_matrix) {
  const auto refused = [](const Matrix& j) {
    return message_of<StructureError>([&] { (void)PoissonStructure::from_symplectic_matrix(j); });
  };
  EXPECT_TRUE(mentions(refused(Matrix(3, 3)), {"J must have an even size", "3 x 3"}));
  EXPECT_TRUE(mentions(refused(Matrix{{0, 1}, {1, 0}}), {"J is not skew", "J(1,2) = 1 and J(2,1) = 1"}));
  EXPECT_TRUE(mentions(refused(Matrix(2, 2)), {"J is singular", "are all zero", "invertible"}));
  Matrix singular = canonical_matrix(2);
  singular(0, 2) = singular(2, 0) = 0.0;
  EXPECT_TRUE(mentions(refused(singular), {"J is singular", "range from 0 to 1", "below 1e-12", "invertible"}));
}

}  // namespace
}  // namespace darboux

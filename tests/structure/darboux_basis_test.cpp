#include "structure/darboux_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <vector>

#include "linalg/dense.hpp"
#include "support/expect.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::difference;
using testing::mentions;
using testing::message_of;
using testing::random_structure;
using testing::Shape;

const std::vector<Index> sizes{1, 2, 3, 5, 10, 20, 50, 100};

double norm_of(const PoissonStructure& structure) { return frobenius_norm(structure.matrix()); }

/// ‖B J_can Bᵀ − 𝔹‖_F, written out: J_can swaps the halves of B's columns.
double defect(const DarbouxBasis& basis, const PoissonStructure& structure) {
  const Index n = structure.dim();
  const Matrix v = basis.B.block(0, 0, 2 * n, n), w = basis.B.block(0, n, 2 * n, n);
  const Matrix half = v * w.transposed();
  return difference(half - half.transposed(), structure.matrix());
}

void expect_exact(const DarbouxBasis& basis, const PoissonStructure& structure) {
  const Index n = structure.dim();
  EXPECT_LE(defect(basis, structure), 1e-12 * norm_of(structure)) << "n = " << n;
  EXPECT_LE(difference(basis.F * basis.B, Matrix::identity(2 * n)), 1e-12 * static_cast<double>(n)) << "n = " << n;
}

PoissonStructure random_E_and_G(Index n, std::uint64_t seed) {
  return PoissonStructure::from_blocks(random_skew(n, Divisor{2.0}, 2 * seed), Matrix::identity(n),
                                       random_skew(n, Divisor{2.0}, 2 * seed + 1));
}

TEST(SchurBasis, is_exact_and_of_least_norm_for_every_size) {
  for (Index n = 1; n <= 100; ++n) {
    const auto structure = random_E_and_G(n, static_cast<std::uint64_t>(n));
    const DarbouxBasis basis = schur_basis(structure);
    expect_exact(basis, structure);
    const double square = std::pow(frobenius_norm(basis.B), 2), bound = nuclear_norm(structure.matrix());
    EXPECT_NEAR(square, bound, 1e-10 * bound) << "n = " << n;
  }
}

TEST(SchurBasis, is_exact_and_of_least_norm_for_every_shape) {
  for (const Index n : sizes)
    for (const Shape shape : testing::invertible_shapes)
      for (std::uint64_t seed = 0; seed < 4; ++seed) {  // one for each kind of A
        SCOPED_TRACE(::testing::Message() << shape << " " << seed);
        const auto structure = random_structure(n, shape, seed);
        const DarbouxBasis basis = schur_basis(structure);
        expect_exact(basis, structure);
        const double square = std::pow(frobenius_norm(basis.B), 2), bound = nuclear_norm(structure.matrix());
        EXPECT_NEAR(square, bound, 1e-10 * bound);
      }
}

TEST(SchurBasis, of_the_canonical_structure_is_the_identity) {
  for (const Index n : sizes) {
    const DarbouxBasis basis = schur_basis(PoissonStructure::canonical(n));
    EXPECT_LT(difference(basis.B, Matrix::identity(2 * n)), 1e-13);
    EXPECT_LT(difference(basis.F, Matrix::identity(2 * n)), 1e-13);
  }
}

TEST(SchurBasis, of_a_diagonal_A_scales_the_axes) {
  // 𝔹 = [[0, D], [−D, 0]] with |eigenvalues| d_i: the axes e_i and e_{n+i} times √d_i, the largest first
  const auto structure = PoissonStructure::from_blocks(Matrix(2, 2), Matrix::diagonal({4, 9}), Matrix(2, 2));
  EXPECT_LT(difference(schur_basis(structure).B, Matrix{{0, 2, 0, 0}, {3, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, 3, 0}}),
            1e-14);
}

TEST(SchurBasis, is_deterministic) {
  const auto structure = random_structure(12, Shape::general, 3);
  EXPECT_EQ(schur_basis(structure).B, schur_basis(structure).B);
  EXPECT_EQ(schur_basis(structure).F, schur_basis(structure).F);
}

TEST(SchurBasis, has_its_phase_and_order_by_convention) {
  const Index n = 7;
  const DarbouxBasis basis = schur_basis(random_structure(n, Shape::general, 5));
  double previous = INFINITY;
  for (Index k = 0; k < n; ++k) {
    const auto size = [&](Index j) { return std::pow(basis.B(j, k), 2) + std::pow(basis.B(j, n + k), 2); };
    double largest = 0.0, rate = 0.0;
    for (Index j = 0; j < 2 * n; ++j) {
      largest = std::max(largest, size(j));
      rate += 0.5 * size(j);
    }
    Index leading = 0;
    while (size(leading) < 0.5 * largest) ++leading;
    EXPECT_GT(basis.B(leading, k), 0.0);
    EXPECT_EQ(basis.B(leading, n + k), 0.0);
    EXPECT_LT(rate, previous);
    previous = rate;
  }
}

TEST(SchurBasis, bears_repeated_eigenvalues) {
  const Index n = 40;
  std::vector<std::pair<Index, Index>> planes;
  for (Index i = 0; i < n; i += 2) planes.emplace_back(i, i + 1);
  const Matrix H = plane_rotations(n, planes, 0.5);
  expect_exact(schur_basis(PoissonStructure::from_blocks(H, Matrix::identity(n), H)),
               PoissonStructure::from_blocks(H, Matrix::identity(n), H));
}

/// Norms of the Schur basis on random structures, known from independent prototypes.
TEST(SchurBasis, has_the_expected_norms) {
  const std::vector<std::pair<Index, double>> expected{{2, 2.0}, {5, 3.9}, {20, 10.7}, {60, 23.8}};
  for (const auto& [n, norm] : expected) {
    const std::uint64_t seeds = n < 50 ? 40 : 5;
    double mean = 0.0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
      mean += frobenius_norm(schur_basis(random_E_and_G(n, seed)).B) / static_cast<double>(seeds);
    EXPECT_NEAR(mean, norm, 0.1 * norm) << "n = " << n;
  }
}

/// n, which block is zero, and the kind of A: every branch of the closed form.
class ClosedForm : public ::testing::TestWithParam<std::tuple<Index, Shape, testing::CouplingKind>> {};

TEST_P(ClosedForm, is_exact) {
  const auto [n, shape, kind] = GetParam();
  const auto structure = random_structure(n, shape, static_cast<std::uint64_t>(kind));
  const DarbouxBasis basis = closed_form_basis(structure);
  expect_exact(basis, structure);
  EXPECT_GE(frobenius_norm(basis.B), (1.0 - 1e-12) * frobenius_norm(schur_basis(structure).B));
}

INSTANTIATE_TEST_SUITE_P(
    Branches, ClosedForm,
    ::testing::Combine(::testing::ValuesIn(sizes),
                       ::testing::Values(Shape::canonical_any_A, Shape::magnetic_position, Shape::magnetic_momentum),
                       ::testing::Values(testing::CouplingKind::identity, testing::CouplingKind::diagonal,
                                         testing::CouplingKind::symmetric, testing::CouplingKind::nonsymmetric)));

TEST(ClosedForm, has_the_blocks_of_the_formula) {
  const Matrix one = Matrix::identity(2), zero(2, 2), turn{{0, 3}, {-3, 0}}, A{{1, 2}, {0, 4}};
  const auto position = closed_form_basis(PoissonStructure::from_blocks(zero, one, turn));
  EXPECT_EQ(position.B, (Matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1.5, 1, 0}, {-1.5, 0, 0, 1}}));
  const auto momentum = closed_form_basis(PoissonStructure::from_blocks(turn, A, zero));
  EXPECT_EQ(momentum.B, (Matrix{{1, 0, 0, -1.5}, {0, 1, 1.5, 0}, {0, 0, 1, 0}, {0, 0, 2, 4}}));
  const auto rooted = closed_form_basis(PoissonStructure::from_blocks(zero, Matrix::diagonal({4, 16}), turn));
  EXPECT_LT(difference(rooted.B, Matrix{{2, 0, 0, 0}, {0, 4, 0, 0}, {0, 0.375, 2, 0}, {-0.75, 0, 0, 4}}), 1e-14);
}

TEST(ClosedForm, exists_only_where_E_or_G_is_zero) {
  const auto message =
      message_of<StructureError>([] { (void)closed_form_basis(random_structure(3, Shape::coupled, 1)); });
  EXPECT_TRUE(mentions(message, {"closed form", "E = 0 or G = 0"}));
}

TEST(DarbouxBasis, does_not_exist_for_a_singular_structure) {
  for (const Index n : {2, 5, 20}) {
    const auto structure = random_structure(n, Shape::singular, 0);
    for (const BasisMethod method : {BasisMethod::schur, BasisMethod::gram_schmidt}) {
      const auto message = message_of<StructureError>([&] { (void)make_basis(structure, method); });
      EXPECT_TRUE(
          mentions(message, {"no Darboux basis", "singular", "|eigenvalues| range from", "to 2", "below 1e-12"}));
    }
  }
  const auto closed = message_of<StructureError>([] {
    (void)closed_form_basis(
        PoissonStructure::from_blocks(plane_rotations(2, {{0, 1}}, 1.0), Matrix::diagonal({1, 0}), Matrix(2, 2)));
  });
  EXPECT_TRUE(mentions(closed, {"no Darboux basis", "range from", "below 1e-12"}));
}

TEST(DarbouxBasis, residual_measures_the_defect) {
  const auto structure = random_structure(4, Shape::general, 1);
  DarbouxBasis basis = schur_basis(structure);
  EXPECT_LT(residual(basis, structure), 1e-14);
  basis.B *= 2.0;
  EXPECT_NEAR(residual(basis, structure), 3.0 * norm_of(structure), 1e-12);
}

TEST(DarbouxBasis, methods_have_names_that_read_back) {
  for (const BasisMethod method : all_values<BasisMethod>())
    EXPECT_EQ(from_name<BasisMethod>("basis", name(method)), method);
  const auto message = message_of<InputError>([] { (void)from_name<BasisMethod>("basis", "schurr"); });
  EXPECT_TRUE(
      mentions(message, {"unknown basis \"schurr\"", "did you mean \"schur\"", "schur, closed-form, gram-schmidt"}));
}

TEST(DarbouxBasis, make_basis_dispatches) {
  const auto structure = random_structure(3, Shape::magnetic_position, 2);
  EXPECT_EQ(make_basis(structure, BasisMethod::schur).B, schur_basis(structure).B);
  EXPECT_EQ(make_basis(structure, BasisMethod::closed_form).B, closed_form_basis(structure).B);
  EXPECT_EQ(make_basis(structure, BasisMethod::gram_schmidt).B, gram_schmidt_basis(structure).B);
}

TEST(GramSchmidt, is_exact_to_its_norm_and_never_of_smaller_norm) {
  for (const Index n : sizes) {
    for (const Shape shape : testing::invertible_shapes) {
      SCOPED_TRACE(::testing::Message() << shape << " n = " << n);
      const auto structure = random_structure(n, shape, static_cast<std::uint64_t>(n));
      const DarbouxBasis basis = gram_schmidt_basis(structure, {.restarts = n < 50 ? 10 : 2, .seed = 1});
      const double norm = frobenius_norm(basis.B);
      EXPECT_LE(defect(basis, structure), 1e-14 * norm * norm);  // without the Newton step it would be 1e-11
      EXPECT_LE(difference(basis.F * basis.B, Matrix::identity(2 * n)), 1e-10 * norm * norm);
      EXPECT_GE(norm, (1.0 - 1e-10) * frobenius_norm(schur_basis(structure).B));
    }
  }
}

TEST(GramSchmidt, keeps_the_best_of_its_restarts) {
  const auto structure = random_E_and_G(10, 1);
  double previous = INFINITY, first = 0.0;
  for (const int restarts : {1, 2, 5, 20}) {
    const double norm = frobenius_norm(gram_schmidt_basis(structure, {.restarts = restarts, .seed = 3}).B);
    EXPECT_LE(norm, previous);
    if (restarts == 1) first = norm;
    previous = norm;
  }
  EXPECT_LT(previous, first);
}

TEST(GramSchmidt, is_a_function_of_its_seed) {
  const auto structure = random_E_and_G(5, 1);
  EXPECT_EQ(gram_schmidt_basis(structure, {.restarts = 3, .seed = 1}).B,
            gram_schmidt_basis(structure, {.restarts = 3, .seed = 1}).B);
  EXPECT_NE(gram_schmidt_basis(structure, {.restarts = 3, .seed = 1}).B,
            gram_schmidt_basis(structure, {.restarts = 3, .seed = 2}).B);
}

TEST(GramSchmidt, needs_a_run) {
  const auto message = message_of<InputError>(
      [] { (void)gram_schmidt_basis(PoissonStructure::canonical(2), {.restarts = 0, .seed = 1}); });
  EXPECT_TRUE(mentions(message, {"restarts = 0", "at least one"}));
}

}  // namespace
}  // namespace darboux

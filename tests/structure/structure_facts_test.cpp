#include "structure/structure_facts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/structure/recipes.hpp>

#include "linalg/dense.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {
namespace {

using Kind = StructuredMatrix::Kind;

TEST(StructureFacts, of_the_canonical_structure) {
  const StructureFacts facts = facts_of(PoissonStructure::canonical(3));
  EXPECT_EQ(facts.E.kind, Kind::zero);
  EXPECT_EQ(facts.A.kind, Kind::identity);
  EXPECT_EQ(facts.A.norm, 1.0);
  EXPECT_EQ(facts.rates, (std::vector<double>{1.0, 1.0, 1.0}));
  EXPECT_EQ(facts.invertible, true);
  ASSERT_EQ(facts.bases.size(), 3U);
  EXPECT_EQ(facts.bases[0].method, BasisMethod::schur);
  EXPECT_NEAR(facts.bases[0].norm, std::sqrt(6.0), 1e-14);
}

/// E = G = s J on each plane and A = I: the eigenvalues of 𝔹 are ±i(1 ± s).
TEST(StructureFacts, of_a_coupled_structure_and_where_it_is_singular) {
  const auto coupled = [](double s) {
    const Matrix turn = plane_rotations(2, {{0, 1}}, s);
    return facts_of(PoissonStructure::from_blocks(turn, Matrix::identity(2), turn));
  };
  const StructureFacts half = coupled(0.5);
  EXPECT_NEAR(half.rates[0], 1.5, 1e-15);
  EXPECT_NEAR(half.rates[1], 0.5, 1e-15);
  EXPECT_NEAR(half.E.norm, 0.5, 1e-15);
  EXPECT_EQ(half.bases.size(), 2U);  // no closed form where E and G are both there
  const StructureFacts singular = coupled(1.0);
  EXPECT_EQ(singular.invertible, false);
  EXPECT_TRUE(singular.bases.empty());
}

/// What is known by formula must be what matrices say.
TEST(StructureFacts, of_a_diagonal_structure_are_those_of_its_matrices) {
  for (const std::vector<double>& a :
       {std::vector{1.0, 1.0, 1.0}, std::vector{0.5, 3.0, 2.0, 3.0}, std::vector{-0.5, 3.0}, std::vector{1.0, 1e-13}}) {
    const auto n = static_cast<Index>(a.size());
    const auto structure = PoissonStructure::from_blocks(StructuredMatrix::zero(n), StructuredMatrix::diagonal(a),
                                                         StructuredMatrix::zero(n));
    const StructureFacts facts = facts_of(structure);
    const std::vector<double> rates = skew_schur(structure.matrix()).rate;
    for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(facts.rates[i], rates[i], 1e-14);
    EXPECT_NEAR(facts.A.norm, spectral_norm(structure.A().matrix()), 1e-14);
    EXPECT_EQ(*facts.invertible, !structure.spectrum().degenerate());
    if (!*facts.invertible) continue;
    ASSERT_EQ(facts.bases.size(), 3U);
    for (const StructureFacts::Basis& basis : facts.bases) {
      const DarbouxBasis made = make_basis(structure, basis.method);
      EXPECT_NEAR(basis.norm, frobenius_norm(made.B), 1e-13) << name(basis.method);
      EXPECT_NEAR(basis.residual, residual(made, structure), 1e-14) << name(basis.method);
    }
  }
}

TEST(StructureFacts, of_the_canonical_structure_take_no_time_and_say_what_is_left_out) {
  const StructureFacts facts = facts_of(PoissonStructure::canonical(50'000));
  EXPECT_EQ(facts.rates.size(), 50'000U);
  EXPECT_NEAR(facts.bases[0].norm, std::sqrt(100'000.0), 1e-9);
  EXPECT_EQ(facts.not_computed, (std::vector<std::string>{"the basis by gram-schmidt, beyond 100 dimensions"}));
  const StructureFacts coupled =
      facts_of(make_structure(Recipe::coupled, 401, {.size = Divisor{40.0}, .seed = 1, .A = {}}));
  EXPECT_EQ(coupled.invertible, std::nullopt);
  EXPECT_TRUE(coupled.rates.empty() && coupled.bases.empty());
  EXPECT_EQ(coupled.not_computed, (std::vector<std::string>{"eigenvalues and Darboux bases, beyond 400 dimensions"}));
  EXPECT_GT(coupled.E.norm, 0.5);
}

TEST(StructureFacts, the_schur_basis_has_the_smallest_norm) {
  const StructureFacts facts =
      facts_of(make_structure(Recipe::magnetic_momentum, 6, {.size = Divisor{2.0}, .seed = 2, .A = {}}));
  ASSERT_EQ(facts.bases.size(), 3U);
  for (const StructureFacts::Basis& basis : facts.bases) {
    EXPECT_GE(basis.norm, facts.bases[0].norm);
    EXPECT_LT(basis.residual, 1e-11);
  }
}

}  // namespace
}  // namespace darboux

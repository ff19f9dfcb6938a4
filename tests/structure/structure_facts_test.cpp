#include "structure/structure_facts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/structure/recipes.hpp>

#include "linalg/dense.hpp"

namespace darboux {
namespace {

using Kind = StructuredMatrix::Kind;

TEST(StructureFacts, of_the_canonical_structure) {
  const StructureFacts facts = facts_of(PoissonStructure::canonical(3));
  EXPECT_EQ(facts.E.kind, Kind::zero);
  EXPECT_EQ(facts.A.kind, Kind::identity);
  EXPECT_EQ(facts.A.norm, 1.0);
  EXPECT_EQ(facts.rates, (std::vector<double>{1.0, 1.0, 1.0}));
  EXPECT_TRUE(facts.invertible);
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
  EXPECT_FALSE(singular.invertible);
  EXPECT_TRUE(singular.bases.empty());
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

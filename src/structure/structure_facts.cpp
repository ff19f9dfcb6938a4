#include "structure/structure_facts.hpp"

#include "linalg/dense.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {

namespace {

StructureFacts::Block describe(const StructuredMatrix& block) {
  return {.kind = block.kind(), .norm = block.is_zero() ? 0.0 : spectral_norm(block.matrix())};
}

bool has_closed_form(const PoissonStructure& structure) {
  return (structure.E().is_zero() || structure.G().is_zero()) && inverse(structure.A().matrix()).has_value();
}

}  // namespace

StructureFacts facts_of(const PoissonStructure& structure) {
  StructureFacts facts{.E = describe(structure.E()),
                       .A = describe(structure.A()),
                       .G = describe(structure.G()),
                       .rates = skew_schur(structure.matrix()).rate,
                       .invertible = !structure.spectrum().degenerate(),
                       .bases = {}};
  if (!facts.invertible) return facts;
  for (const BasisMethod method : {BasisMethod::schur, BasisMethod::closed_form, BasisMethod::gram_schmidt}) {
    constexpr Index most_for_gram_schmidt = 200;  // n⁴: minutes beyond
    if (method == BasisMethod::gram_schmidt && structure.dim() > most_for_gram_schmidt) continue;
    if (method == BasisMethod::closed_form && !has_closed_form(structure)) continue;
    const DarbouxBasis basis = make_basis(structure, method);
    facts.bases.push_back({.method = method, .norm = frobenius_norm(basis.B), .residual = residual(basis, structure)});
  }
  return facts;
}

}  // namespace darboux

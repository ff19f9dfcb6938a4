#include "structure/structure_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "linalg/dense.hpp"
#include "spectrum.hpp"

namespace darboux {

namespace {

constexpr Index most_for_schur = 400;         // n³, with a large constant: some 10 s
constexpr Index most_for_gram_schmidt = 100;  // n⁴, ten times: as long

std::vector<double> diagonal_of(const StructuredMatrix& block) {
  std::vector<double> entries;
  for (Index i = 0; i < block.dim(); ++i) entries.push_back(block(i, i));
  return entries;
}

double largest(const std::vector<double>& values) {
  double found = 0.0;
  for (const double x : values) found = std::max(found, std::abs(x));
  return found;
}

StructureFacts::Block describe(const StructuredMatrix& block) {
  if (block.is_zero()) return {.kind = block.kind(), .norm = 0.0};
  return {.kind = block.kind(),
          .norm = block.is_diagonal() ? largest(diagonal_of(block)) : spectral_norm(block.matrix())};
}

/// With E = G = 0 and A = diag(a): rates |a_i|; the Schur basis has the columns √|a_i| in the axes of q_i and p_i, the sign of a_i in
/// one of them; the closed form is that, too, where all a_i > 0, and diag(A, I) otherwise.
void add_by_formula(const std::vector<double>& a, StructureFacts& facts) {
  for (const double x : a) facts.rates.push_back(std::abs(x));
  std::ranges::sort(facts.rates, std::greater());
  facts.invertible = !Spectrum{.smallest = facts.rates.back(), .largest = facts.rates.front()}.degenerate();
  if (!*facts.invertible) return;
  double nuclear = 0.0, misfit = 0.0, squares = 0.0;
  for (const double rate : facts.rates) {
    const double root = std::sqrt(rate), off = root * root - rate;
    nuclear += 2.0 * rate;
    misfit += 2.0 * off * off;
    squares += rate * rate;
  }
  const auto n = static_cast<double>(a.size());
  const bool has_root = std::ranges::all_of(a, [](double x) { return x > 0.0; });
  facts.bases.push_back({.method = BasisMethod::schur, .norm = std::sqrt(nuclear), .residual = std::sqrt(misfit)});
  facts.bases.push_back({.method = BasisMethod::closed_form,
                         .norm = has_root ? std::sqrt(nuclear) : std::sqrt(squares + n),
                         .residual = has_root ? std::sqrt(misfit) : 0.0});
}

void add_basis(const PoissonStructure& structure, BasisMethod method, StructureFacts& facts) {
  const DarbouxBasis basis = make_basis(structure, method);
  facts.bases.push_back({.method = method, .norm = frobenius_norm(basis.B), .residual = residual(basis, structure)});
}

bool has_closed_form(const PoissonStructure& structure) {
  return (structure.E().is_zero() || structure.G().is_zero()) && inverse(structure.A().matrix()).has_value();
}

void add_by_schur(const PoissonStructure& structure, StructureFacts& facts) {
  const SkewSchur schur = skew_schur(structure.matrix());
  facts.rates = schur.rate;
  facts.invertible = !spectrum_of(schur).degenerate();
  if (!*facts.invertible) return;
  const DarbouxBasis basis = schur_basis(schur);
  facts.bases.push_back(
      {.method = BasisMethod::schur, .norm = frobenius_norm(basis.B), .residual = residual(basis, structure)});
  if (has_closed_form(structure)) add_basis(structure, BasisMethod::closed_form, facts);
}

}  // namespace

StructureFacts facts_of(const PoissonStructure& structure) {
  StructureFacts facts{.dim = structure.dim(),
                       .E = describe(structure.E()),
                       .A = describe(structure.A()),
                       .G = describe(structure.G()),
                       .rates = {},
                       .bases = {},
                       .not_computed = {}};
  const bool is_plain = structure.E().is_zero() && structure.G().is_zero() && structure.A().is_diagonal();
  if (is_plain)
    add_by_formula(diagonal_of(structure.A()), facts);
  else if (structure.dim() <= most_for_schur)
    add_by_schur(structure, facts);
  else
    facts.not_computed.push_back(fmt::format("eigenvalues and Darboux bases, beyond {} dimensions", most_for_schur));
  if (!facts.invertible.value_or(false)) return facts;
  if (structure.dim() <= most_for_gram_schmidt)
    add_basis(structure, BasisMethod::gram_schmidt, facts);
  else
    facts.not_computed.push_back(fmt::format("the basis by gram-schmidt, beyond {} dimensions", most_for_gram_schmidt));
  return facts;
}

}  // namespace darboux

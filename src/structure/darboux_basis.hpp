#pragma once

#include <cstdint>

#include "darboux/core/enumeration.hpp"
#include "darboux/structure/poisson_structure.hpp"
#include "linalg/skew_schur.hpp"

namespace darboux {

/// Coordinates in which a structure is canonical: z = B z̃ with B J_can Bᵀ = 𝔹, and F = B⁻¹.
struct DarbouxBasis {
  Matrix B;
  Matrix F;
};

enum class BasisMethod { schur, closed_form, gram_schmidt };
template <>
inline constexpr auto names_of<BasisMethod> =
    std::to_array<Named<BasisMethod>>({{BasisMethod::schur, "schur"},
                                       {BasisMethod::closed_form, "closed-form"},
                                       {BasisMethod::gram_schmidt, "gram-schmidt"}});

/// All of these throw StructureError, with the eigenvalue range, when 𝔹 is singular: then no such basis exists.

/// From the Schur form 𝔹 = Σ λ_i (a_i b_iᵀ − b_i a_iᵀ): the columns √λ_i a_i, then √λ_i b_i. For every Darboux basis
/// ‖B‖_F² ≥ ‖B J Bᵀ‖_* = ‖𝔹‖_*, and here ‖B‖_F² = 2 Σ λ_i = ‖𝔹‖_*: no other basis has a smaller norm.
[[nodiscard]] DarbouxBasis schur_basis(const PoissonStructure& structure);
/// The same of a Schur form with rates above 0.
[[nodiscard]] DarbouxBasis schur_basis(const SkewSchur& schur);

/// By formula, where E = 0 or G = 0 and A is invertible; throws where both are non-zero. With A symmetric positive definite
/// and L its symmetric square root,
///
///     E = 0: B = diag(L, L) [[I, 0], [Q, I]],  Q = L⁻¹ G L⁻ᵀ/2;     G = 0: B = diag(L, L) [[I, −Q], [0, I]],  Q = L⁻¹ E L⁻ᵀ/2,
///
/// and for any other invertible A
///
///     E = 0: B = [[A, 0], [G/2, I]];     G = 0: B = [[I, −E/2], [0, Aᵀ]].
[[nodiscard]] DarbouxBasis closed_form_basis(const PoissonStructure& structure);

struct GramSchmidtOptions {
  int restarts = 10;
  std::uint64_t seed = 0;
};
/// Symplectic Gram-Schmidt with random vectors (the algorithm of Brofos and Lederman): pairs (v, w) in the symplectic
/// complement of the pairs so far, scaled to Ω(v, w) = 1. The restart with the smallest Frobenius norm is kept. Norms grow
/// quickly with n; it is here to reproduce and to compare.
[[nodiscard]] DarbouxBasis gram_schmidt_basis(const PoissonStructure& structure,
                                              const GramSchmidtOptions& options = {});

[[nodiscard]] DarbouxBasis make_basis(const PoissonStructure& structure, BasisMethod method);

/// ‖B J_can Bᵀ − 𝔹‖_F: how far a basis is from what it claims to be.
[[nodiscard]] double residual(const DarbouxBasis& basis, const PoissonStructure& structure);

}  // namespace darboux

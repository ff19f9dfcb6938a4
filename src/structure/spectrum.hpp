#pragma once

#include <string>

#include "darboux/structure/poisson_structure.hpp"
#include "linalg/skew_schur.hpp"

/// What the Schur form of a skew matrix of even size says about it: its eigenvalues are ± i times the rates.
namespace darboux {

using Spectrum = PoissonStructure::Spectrum;

[[nodiscard]] Spectrum spectrum_of(const SkewSchur& schur);

/// "range from 1e-17 to 2, a ratio of 5e-18, below 1e-12": for error messages.
[[nodiscard]] std::string describe(const Spectrum& spectrum);

/// The Schur form of 𝔹. Throws StructureError where 𝔹 is singular, so that no Darboux basis exists.
[[nodiscard]] SkewSchur invertible_schur(const PoissonStructure& structure);

/// −S⁻¹ for S = Σ λ_i (a_i b_iᵀ − b_i a_iᵀ), which is Σ λ_i⁻¹ (a_i b_iᵀ − b_i a_iᵀ): skew to the last bit. From 𝔹 to 𝕁 and back.
[[nodiscard]] Matrix negative_inverse(const SkewSchur& schur);

}  // namespace darboux

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "structure/darboux_basis.hpp"

namespace darboux {

/// What there is to know about a structure before using it.
struct StructureFacts {
  struct Block {
    StructuredMatrix::Kind kind{};
    double norm = 0.0;  ///< spectral
  };
  Index dim = 0;
  Block E, A, G;
  std::vector<double> rates;         ///< the λ_i ≥ 0 of the eigenvalues ±iλ_i of 𝔹, descending; none where not computed
  std::optional<bool> invertible{};  ///< not known where rates are not
  /// A Darboux basis and how good it is. Large norms magnify the errors of `explicit` and `doubled`.
  struct Basis {
    BasisMethod method{};
    double norm = 0.0;      ///< Frobenius
    double residual = 0.0;  ///< ‖B J Bᵀ − 𝔹‖_F
  };
  std::vector<Basis> bases;               ///< those that exist and were computed
  std::vector<std::string> not_computed;  ///< what would take minutes, and from how many dimensions on it is left out
};
/// Where E = G = 0 and A is diagonal all of it is known by formula, in any dimension. Otherwise it rests on the Schur form of a matrix
/// of twice the dimension, which is made once.
[[nodiscard]] StructureFacts facts_of(const PoissonStructure& structure);

}  // namespace darboux

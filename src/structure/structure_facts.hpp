#pragma once

#include <vector>

#include "structure/darboux_basis.hpp"

namespace darboux {

/// What there is to know about a structure before using it.
struct StructureFacts {
  struct Block {
    StructuredMatrix::Kind kind{};
    double norm = 0.0;  ///< spectral
  };
  Block E, A, G;
  std::vector<double> rates;  ///< the λ_i ≥ 0 of the eigenvalues ±iλ_i of 𝔹, descending
  bool invertible = false;
  /// A Darboux basis and how good it is. Large norms magnify the errors of `explicit` and `doubled`.
  struct Basis {
    BasisMethod method{};
    double norm = 0.0;      ///< Frobenius
    double residual = 0.0;  ///< ‖B J Bᵀ − 𝔹‖_F
  };
  std::vector<Basis> bases;  ///< those that exist; Gram-Schmidt up to 200 dimensions only, because it is slow
};
[[nodiscard]] StructureFacts facts_of(const PoissonStructure& structure);

}  // namespace darboux

#pragma once

#include <string_view>

#include "darboux/linalg/structured_matrix.hpp"

/// The rules for matrices that a user gives. Each throws StructureError naming the matrix, its worst entry and the rule.
/// Entries are named as in mathematics, counting from 1: E(2,3) is the second row's third.
namespace darboux {

/// Neither empty nor oblong.
void require_square(std::string_view name, const Matrix& m);

void require_finite(std::string_view name, const Matrix& m);

/// The skew part (m − mᵀ)/2 of a square, finite matrix. Throws unless |m + mᵀ| ≤ 1e-10 · max |m| in every entry; a matrix
/// that is skew to the last bit comes back unchanged.
[[nodiscard]] Matrix checked_skew_part(std::string_view name, const Matrix& m);

/// The same for blocks, without ever writing out those that have a tag: a diagonal block may be far too large for that.
void require_finite(std::string_view name, const StructuredMatrix& block);
[[nodiscard]] StructuredMatrix checked_skew_part(std::string_view name, const StructuredMatrix& block);

}  // namespace darboux

#pragma once

#include <optional>
#include <vector>

#include "darboux/linalg/matrix.hpp"

/// Set-up algebra on whole matrices: run once per structure or tuning, never inside a trajectory.
namespace darboux {

[[nodiscard]] Matrix operator*(const Matrix& a, const Matrix& b);

[[nodiscard]] double frobenius_norm(const Matrix& m);
[[nodiscard]] double max_abs(const Matrix& m);
/// Descending.
[[nodiscard]] std::vector<double> singular_values(const Matrix& m);
/// The largest singular value; 0 for an empty matrix.
[[nodiscard]] double spectral_norm(const Matrix& m);
/// The sum of the singular values.
[[nodiscard]] double nuclear_norm(const Matrix& m);
/// A unit right singular vector v of the smallest singular value: ‖m v‖ is as small as it can be.
[[nodiscard]] std::vector<double> weakest_direction(const Matrix& m);
[[nodiscard]] double log_abs_determinant(const Matrix& m);

/// Nothing if m is singular to working precision.
[[nodiscard]] std::optional<Matrix> inverse(const Matrix& m);
/// exp(m), by scaling and squaring: the reference that closed forms are tested against.
[[nodiscard]] Matrix exponential(const Matrix& m);
/// The lower L with L Lᵀ = m, or nothing unless m is symmetric and positive definite.
[[nodiscard]] std::optional<Matrix> cholesky(const Matrix& m);
/// The symmetric positive definite square root, or nothing unless m is symmetric and positive definite.
[[nodiscard]] std::optional<Matrix> symmetric_square_root(const Matrix& m);
/// The symmetric positive definite S with S b S = a, for symmetric positive definite a and b: the geometric mean of a and b⁻¹.
[[nodiscard]] std::optional<Matrix> geometric_mean_with_inverse(const Matrix& a, const Matrix& b);
/// Of a symmetric matrix: eigenvalues, ascending, and unit eigenvectors as columns in that order.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Matrix& m);
/// An orthonormal basis (as columns) of the column space of m, which must have full column rank.
[[nodiscard]] Matrix orthonormal_columns(const Matrix& m);

}  // namespace darboux

#pragma once

#include <vector>

#include "darboux/linalg/matrix.hpp"

namespace darboux {

/// The real Schur form of a skew matrix of size n: mutually orthogonal planes, each turned at its own rate,
///
///     S = Σ_i λ_i (a_i b_iᵀ − b_i a_iᵀ),   λ_1 ≥ λ_2 ≥ … ≥ 0,
///
/// with all a_i, b_i orthonormal. There are ⌊n/2⌋ planes; for odd n one unit vector is left over, and S maps it to 0.
///
/// The planes are unique up to a rotation within each, and more where rates coincide. The convention here: in each plane b is
/// zero and a positive at the leading coordinate, which is the first j for which a_j² + b_j² is at least half of its
/// maximum. Where rates coincide, coordinate axes choose the planes: the first with at least half of the largest projection
/// into what the planes before have left. Such planes come in the order of their leading coordinates. So the canonical
/// matrix, for one, has the coordinate axes for its a_i and b_i.
struct SkewSchur {
  Matrix a;                    ///< n × ⌊n/2⌋, the a_i as columns
  Matrix b;                    ///< n × ⌊n/2⌋, the b_i as columns
  std::vector<double> rate;    ///< λ_i, descending
  std::vector<double> kernel;  ///< the left-over unit vector; empty for even n

  [[nodiscard]] Index dim() const noexcept { return a.rows(); }
};

/// Householder reduction to tridiagonal form; a skew tridiagonal matrix only couples even coordinates to odd ones, and the
/// singular value decomposition of that bidiagonal coupling gives the planes. Every step is orthogonal, so the planes are
/// orthonormal to rounding even where rates are tiny or equal. Only the skew part (S − Sᵀ)/2 of the argument is used.
[[nodiscard]] SkewSchur skew_schur(const Matrix& skew);

/// exp(t S): each plane turns by the angle t λ_i. Orthogonal to rounding for every t.
[[nodiscard]] Matrix rotation(const SkewSchur& s, double t);

/// (I − hS)⁻¹, which exists for every h: on each plane (1 + hλ_i ·)/(1 + h²λ_i²).
[[nodiscard]] Matrix resolvent(const SkewSchur& s, double h);

/// ∫₀ᵗ exp(s S) ds.
[[nodiscard]] Matrix rotation_integral(const SkewSchur& s, double t);

}  // namespace darboux

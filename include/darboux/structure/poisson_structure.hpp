#pragma once

// A phase space: the Poisson matrix [[E, A], [−Aᵀ, G]].

#include "darboux/core/export.hpp"
#include "darboux/linalg/structured_matrix.hpp"

namespace darboux {

/// The constant Poisson matrix of a phase space, 𝔹 = [[E, A], [−Aᵀ, G]] with E and G skew. The dynamics are ż = 𝔹 ∇H, so
/// for H(q, p) = U(q) + ½ pᵀp
///
///     q̇ = E ∇U + A p,     ṗ = −Aᵀ ∇U + G p.
///
/// A value: cheap to pass around, equal when its entries are. Construction checks shape, finiteness and skewness, and
/// refuses structures on which no chain can work: a direction v with Aᵀv = 0 and Ev = 0 (vᵀq would never move), and
/// A = 0 (U(q) would never change).
class DARBOUX_API PoissonStructure {
 public:
  [[nodiscard]] static PoissonStructure canonical(Index n);
  [[nodiscard]] static PoissonStructure from_blocks(const Matrix& E, const Matrix& A, const Matrix& G);
  [[nodiscard]] static PoissonStructure from_blocks(StructuredMatrix E, StructuredMatrix A, StructuredMatrix G);
  /// From the 2n × 2n Poisson matrix 𝔹.
  [[nodiscard]] static PoissonStructure from_poisson_matrix(const Matrix& b);
  /// From the 2n × 2n symplectic matrix 𝕁 = −𝔹⁻¹, which must be invertible.
  [[nodiscard]] static PoissonStructure from_symplectic_matrix(const Matrix& j);

  /// n: the number of positions, half the size of 𝔹.
  [[nodiscard]] Index dim() const noexcept { return a_.dim(); }
  [[nodiscard]] const StructuredMatrix& E() const noexcept { return e_; }
  [[nodiscard]] const StructuredMatrix& A() const noexcept { return a_; }
  [[nodiscard]] const StructuredMatrix& G() const noexcept { return g_; }
  /// Aᵀ, kept beside A because every kick needs it.
  [[nodiscard]] const StructuredMatrix& A_transposed() const noexcept { return a_transposed_; }
  [[nodiscard]] Matrix matrix() const;

  /// The vector field: dq = E gradient + A momentum, dp = −Aᵀ gradient + G momentum.
  struct Field {
    Batch dq, dp;
  };
  void apply(ConstBatch gradient, ConstBatch momentum, Field out) const;

  /// 𝔹̃ = −S𝔹S with S = diag(I, −I), that is (−E, A, −G): the structure of the time-reversed motion of (q, −p).
  [[nodiscard]] PoissonStructure reversed() const;

  /// The smallest and largest |eigenvalue| of 𝔹, and whether 𝔹 counts as singular: their ratio is below 1e-12.
  struct Spectrum {
    static constexpr double singular_ratio = 1e-12;
    double smallest = 0.0;
    double largest = 0.0;
    [[nodiscard]] bool degenerate() const noexcept { return !(smallest >= singular_ratio * largest && largest > 0.0); }
  };
  [[nodiscard]] Spectrum spectrum() const;

  bool operator==(const PoissonStructure& other) const noexcept {
    return e_ == other.e_ && a_ == other.a_ && g_ == other.g_;
  }

 private:
  PoissonStructure(StructuredMatrix E, StructuredMatrix A, StructuredMatrix G);

  StructuredMatrix e_, a_, g_, a_transposed_;
};

}  // namespace darboux

#pragma once

// A diagonal matrix stretched along a few directions.

#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/linalg/matrix.hpp"

namespace darboux {

/// M = diag(a) (I + Vᵀ diag(s − 1) V) diag(b) with r orthonormal rows V: along the direction V_k it stretches by s_k, across all
/// of them by 1, and coordinates have scales before and after. Products take O(n r). Transposes, negatives and inverses are of
/// the same form: Mᵀ changes a and b, M⁻¹ = diag(1/b) (I + Vᵀ diag(1/s − 1) V) diag(1/a).
class DARBOUX_API LowRankMatrix {
 public:
  struct Parts {
    std::vector<double> after;      ///< a
    Matrix directions;              ///< V, r × n
    std::vector<double> stretches;  ///< s
    std::vector<double> before;     ///< b

    bool operator==(const Parts&) const = default;
  };

  LowRankMatrix() = default;
  /// Throws InputError unless the sizes match, the numbers are finite and the directions orthonormal.
  explicit LowRankMatrix(Parts parts);

  [[nodiscard]] Index dim() const noexcept { return std::ssize(parts_.after); }
  [[nodiscard]] Index rank() const noexcept { return parts_.directions.rows(); }
  [[nodiscard]] const Parts& parts() const noexcept { return parts_; }
  [[nodiscard]] double operator()(Index i, Index j) const noexcept;
  [[nodiscard]] Matrix matrix() const;
  /// The diagonal of M Mᵀ where b = 1: a_i² (1 + Σ_k (s_k² − 1) V_ki²), the variances of M x with x standard normal.
  [[nodiscard]] std::vector<double> variances() const;

  [[nodiscard]] LowRankMatrix transposed() const;
  [[nodiscard]] LowRankMatrix negated() const;
  /// Its entries are infinite where M has no inverse.
  [[nodiscard]] LowRankMatrix inverse() const;

  /// y = M x, lane by lane. y must not overlap x.
  void multiply(ConstBatch x, Batch y) const;
  /// y += M x.
  void add_product(ConstBatch x, Batch y) const;

  bool operator==(const LowRankMatrix& other) const { return parts_ == other.parts_; }

 private:
  struct Trusted {};
  LowRankMatrix(Parts parts, Trusted);

  void run(ConstBatch x, Batch y, bool add) const;

  // M = diag(diagonal) + out_of · into
  Parts parts_;
  std::vector<double> diagonal_;  // a b
  Matrix into_;                   // V diag(b), r × n
  Matrix out_of_;                 // diag(a) Vᵀ diag(s − 1), n × r
};

}  // namespace darboux

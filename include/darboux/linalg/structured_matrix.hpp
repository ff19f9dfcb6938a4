#pragma once

// A matrix that knows whether it is zero, the identity, diagonal, of low rank or dense.

#include <optional>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/export.hpp"
#include "darboux/linalg/low_rank.hpp"

namespace darboux {

/// An n × n matrix, with a tag that saves the work its shape does not need. The tag is always the
/// tightest that represents the entries, so that two blocks are equal exactly when their entries are; those of low rank are
/// equal when their parts are.
class DARBOUX_API StructuredMatrix {
 public:
  enum class Kind { zero, identity, diagonal, low_rank, dense };

  StructuredMatrix() = default;
  [[nodiscard]] static StructuredMatrix zero(Index n);
  [[nodiscard]] static StructuredMatrix identity(Index n);
  /// Becomes `zero` or `identity` where the entries say so.
  [[nodiscard]] static StructuredMatrix diagonal(std::vector<double> entries);
  /// The tightest tag that represents m exactly: a dense matrix of zeros becomes `zero`, and so on. Throws StructureError
  /// unless m is square.
  [[nodiscard]] static StructuredMatrix from(Matrix m);
  /// Becomes `diagonal` where there are no directions.
  [[nodiscard]] static StructuredMatrix from(LowRankMatrix m);

  [[nodiscard]] Index dim() const noexcept { return dim_; }
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool is_zero() const noexcept { return kind_ == Kind::zero; }
  [[nodiscard]] bool is_identity() const noexcept { return kind_ == Kind::identity; }
  /// Whether all entries beside the diagonal are zero.
  [[nodiscard]] bool is_diagonal() const noexcept { return kind_ != Kind::low_rank && kind_ != Kind::dense; }
  [[nodiscard]] const LowRankMatrix& low_rank() const noexcept { return low_rank_; }  ///< of kind low_rank
  [[nodiscard]] double operator()(Index i, Index j) const noexcept;
  [[nodiscard]] Matrix matrix() const;

  [[nodiscard]] StructuredMatrix transposed() const;
  [[nodiscard]] StructuredMatrix negated() const;
  /// With a tag of the same kind; nothing where there is no inverse to working precision.
  [[nodiscard]] std::optional<StructuredMatrix> inverse() const;

  /// y = M x, lane by lane. y must not overlap x.
  void multiply(ConstBatch x, Batch y) const;
  /// y += M x.
  void add_product(ConstBatch x, Batch y) const;

  bool operator==(const StructuredMatrix&) const = default;

 private:
  Kind kind_ = Kind::zero;
  Index dim_ = 0;
  std::vector<double> diagonal_;  // kind diagonal
  LowRankMatrix low_rank_;        // kind low_rank
  Matrix dense_;                  // kind dense
};

template <>
inline constexpr auto names_of<StructuredMatrix::Kind> =
    std::to_array<Named<StructuredMatrix::Kind>>({{StructuredMatrix::Kind::zero, "zero"},
                                                  {StructuredMatrix::Kind::identity, "identity"},
                                                  {StructuredMatrix::Kind::diagonal, "diagonal"},
                                                  {StructuredMatrix::Kind::low_rank, "low-rank"},
                                                  {StructuredMatrix::Kind::dense, "dense"}});

}  // namespace darboux

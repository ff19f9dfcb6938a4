#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "sample/archived_types.hpp"

namespace darboux {

/// Mean and covariance of a stream of points (Welford's updates), the covariance dense or its diagonal only.
class RunningCovariance {
 public:
  enum class Shape { diagonal, dense };
  RunningCovariance(Index dim, Shape shape);

  void add(std::span<const double> x);
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] const std::vector<double>& mean() const noexcept { return mean_; }

  /// The covariance, shrunk towards a small multiple of what is known without the points:
  ///     n/(n + 5) S + 10⁻³ · 5/(n + 5) T,
  /// with T an earlier estimate or, where there is none, the diagonal of S: either way, units do not matter. (Stan's T is the
  /// identity, which swamps directions that are small in the units at hand.) A direction without any spread has T = 1. A dense
  /// one needs more points than dimensions to be of use; ask count().
  [[nodiscard]] Matrix shrunk(const std::optional<Matrix>& earlier) const;  ///< dense
  [[nodiscard]] std::vector<double> shrunk_diagonal() const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(count_, fixed(mean_), fixed(squares_), fixed(products_));
  }

 private:
  [[nodiscard]] double variance(Index i) const;

  Shape shape_;
  std::int64_t count_ = 0;
  std::vector<double> mean_, deviation_;
  std::vector<double> squares_;  // diagonal
  Matrix products_;              // dense, lower triangle
};

}  // namespace darboux

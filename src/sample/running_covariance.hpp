#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/linalg/matrix.hpp"

namespace darboux {

/// Mean and covariance of a stream of points (Welford's updates), the covariance dense or its diagonal only.
class RunningCovariance {
 public:
  enum class Shape { diagonal, dense };
  RunningCovariance(Index dim, Shape shape);

  void add(std::span<const double> x);
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] const std::vector<double>& mean() const noexcept { return mean_; }

  /// The covariance, shrunk towards a small multiple of the identity where there are few points:
  /// n/(n + 5) S + 10⁻³ · 5/(n + 5) I. A dense one needs more points than dimensions to be of use; ask count().
  [[nodiscard]] Matrix regularised() const;  ///< dense
  [[nodiscard]] std::vector<double> regularised_diagonal() const;

 private:
  Shape shape_;
  std::int64_t count_ = 0;
  std::vector<double> mean_, deviation_;
  std::vector<double> squares_;  // diagonal
  Matrix products_;              // dense, lower triangle
};

}  // namespace darboux

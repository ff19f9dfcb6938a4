#pragma once

// A dense matrix by value.

#include <initializer_list>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/export.hpp"

namespace darboux {

/// A dense matrix by value, stored by rows. It carries matrices between parts of the library; heavy algebra is in dense.hpp.
class DARBOUX_API Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols, double value = 0.0)
      : rows_(rows), cols_(cols), data_(static_cast<std::size_t>(rows * cols), value) {}
  /// Rows in braces: Matrix{{0, 1}, {-1, 0}}. They must have equal length.
  Matrix(std::initializer_list<std::initializer_list<double>> rows);

  [[nodiscard]] static Matrix identity(Index n);
  [[nodiscard]] static Matrix diagonal(const std::vector<double>& entries);

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] bool empty() const noexcept { return data_.empty(); }
  [[nodiscard]] bool is_square() const noexcept { return rows_ == cols_; }

  double& operator()(Index i, Index j) noexcept { return data_[static_cast<std::size_t>(i * cols_ + j)]; }
  double operator()(Index i, Index j) const noexcept { return data_[static_cast<std::size_t>(i * cols_ + j)]; }
  [[nodiscard]] double* data() noexcept { return data_.data(); }
  [[nodiscard]] const double* data() const noexcept { return data_.data(); }

  [[nodiscard]] Matrix transposed() const;
  /// A copy of the rows × cols block whose first entry is (i, j).
  [[nodiscard]] Matrix block(Index i, Index j, Index rows, Index cols) const;
  void set_block(Index i, Index j, const Matrix& part);

  Matrix& operator+=(const Matrix& other);
  Matrix& operator-=(const Matrix& other);
  Matrix& operator*=(double scale);
  friend Matrix operator+(Matrix a, const Matrix& b) { return a += b; }
  friend Matrix operator-(Matrix a, const Matrix& b) { return a -= b; }
  friend Matrix operator*(double scale, Matrix a) { return a *= scale; }
  friend Matrix operator-(Matrix a) { return a *= -1.0; }
  bool operator==(const Matrix&) const = default;

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  std::vector<double> data_;
};

/// The canonical matrix [[0, I], [−I, 0]] of size 2n.
[[nodiscard]] DARBOUX_API Matrix canonical_matrix(Index n);

}  // namespace darboux

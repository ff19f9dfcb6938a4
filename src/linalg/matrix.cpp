#include "darboux/linalg/matrix.hpp"

#include <algorithm>
#include <cassert>

#include "darboux/core/error.hpp"

namespace darboux {

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> rows)
    : rows_(static_cast<Index>(rows.size())), cols_(rows.size() == 0 ? 0 : static_cast<Index>(rows.begin()->size())) {
  for (const auto& row : rows) {
    if (static_cast<Index>(row.size()) != cols_) throw InputError("the rows of a matrix must have equal length");
    data_.insert(data_.end(), row.begin(), row.end());
  }
}

Matrix Matrix::identity(Index n) {
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i) m(i, i) = 1.0;
  return m;
}

Matrix Matrix::diagonal(const std::vector<double>& entries) {
  const auto n = static_cast<Index>(entries.size());
  Matrix m(n, n);
  for (Index i = 0; i < n; ++i) m(i, i) = entries[static_cast<std::size_t>(i)];
  return m;
}

Matrix Matrix::transposed() const {
  Matrix t(cols_, rows_);
  for (Index i = 0; i < rows_; ++i)
    for (Index j = 0; j < cols_; ++j) t(j, i) = (*this)(i, j);
  return t;
}

Matrix Matrix::block(Index i, Index j, Index rows, Index cols) const {
  assert(i >= 0 && j >= 0 && i + rows <= rows_ && j + cols <= cols_);
  Matrix part(rows, cols);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) part(r, c) = (*this)(i + r, j + c);
  return part;
}

void Matrix::set_block(Index i, Index j, const Matrix& part) {
  assert(i >= 0 && j >= 0 && i + part.rows() <= rows_ && j + part.cols() <= cols_);
  for (Index r = 0; r < part.rows(); ++r)
    for (Index c = 0; c < part.cols(); ++c) (*this)(i + r, j + c) = part(r, c);
}

Matrix& Matrix::operator+=(const Matrix& other) {
  assert(rows_ == other.rows_ && cols_ == other.cols_);
  std::transform(data_.begin(), data_.end(), other.data_.begin(), data_.begin(), std::plus<>());
  return *this;
}

Matrix& Matrix::operator-=(const Matrix& other) {
  assert(rows_ == other.rows_ && cols_ == other.cols_);
  std::transform(data_.begin(), data_.end(), other.data_.begin(), data_.begin(), std::minus<>());
  return *this;
}

Matrix& Matrix::operator*=(double scale) {
  for (double& x : data_) x *= scale;
  return *this;
}

Matrix canonical_matrix(Index n) {
  Matrix j(2 * n, 2 * n);
  j.set_block(0, n, Matrix::identity(n));
  j.set_block(n, 0, -Matrix::identity(n));
  return j;
}

}  // namespace darboux

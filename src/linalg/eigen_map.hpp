#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "darboux/linalg/matrix.hpp"

/// Eigen's view of our matrices. Private to src/linalg: no other folder and no public header includes Eigen.
namespace darboux {

using EigenMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const EigenMatrix> as_eigen(const Matrix& m) { return {m.data(), m.rows(), m.cols()}; }

template <class Derived>
Matrix from_eigen(const Eigen::MatrixBase<Derived>& m) {
  Matrix out(m.rows(), m.cols());
  Eigen::Map<EigenMatrix>(out.data(), m.rows(), m.cols()) = m;
  return out;
}

/// The largest entry is at least 2^this and less than twice that. Algorithms that square entries first divide by this power of
/// two, which rounds nothing, so that squares neither under- nor overflow. 0 where there is no such power.
inline int binary_exponent(const Matrix& m) {
  double largest = 0.0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) largest = std::max(largest, std::abs(m.data()[i]));
  return largest > 0.0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
}

inline Eigen::MatrixXd divided_by_power_of_two(const Matrix& m, int exponent) {
  return as_eigen(m).unaryExpr([=](double x) { return std::scalbn(x, -exponent); });
}

}  // namespace darboux

#pragma once

#include <Eigen/Core>

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

}  // namespace darboux

#pragma once

#include "eigen_map.hpp"

/// The singular value decomposition, compiled once (it is the slowest part of Eigen to build).
namespace darboux {

struct Svd {
  Eigen::MatrixXd u, v;    // m = u diag(values) vᵀ with orthonormal columns
  Eigen::VectorXd values;  // descending
};

/// With square, orthogonal u and v.
[[nodiscard]] Svd full_svd(const Eigen::MatrixXd& m);

/// With min(rows, cols) columns in u and in v.
[[nodiscard]] Svd thin_svd(const Eigen::MatrixXd& m);

}  // namespace darboux

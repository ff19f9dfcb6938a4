#pragma once

#include "eigen_map.hpp"

/// The singular value decomposition, compiled once (it is the slowest part of Eigen to build).
namespace darboux {

struct Svd {
  Eigen::MatrixXd u, v;    // m = u diag(values) vᵀ, both square and orthogonal
  Eigen::VectorXd values;  // descending
};

[[nodiscard]] Svd full_svd(const Eigen::MatrixXd& m);

}  // namespace darboux

#include <unsupported/Eigen/MatrixFunctions>

#include "eigen_map.hpp"
#include "linalg/dense.hpp"

namespace darboux {

// Apart from dense.cpp: the matrix functions are the slowest header of Eigen to compile.
Matrix exponential(const Matrix& m) { return from_eigen(Eigen::MatrixXd(as_eigen(m)).exp().eval()); }

}  // namespace darboux

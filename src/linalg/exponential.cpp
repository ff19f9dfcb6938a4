#include <unsupported/Eigen/MatrixFunctions>

#include "darboux/linalg/dense.hpp"
#include "eigen_map.hpp"

namespace darboux {

// Apart from dense.cpp: the matrix functions are the slowest header of Eigen to compile.
Matrix exponential(const Matrix& m) { return from_eigen(Eigen::MatrixXd(as_eigen(m)).exp().eval()); }

}  // namespace darboux

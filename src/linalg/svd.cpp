#include "svd.hpp"

#include <Eigen/SVD>
#include <numeric>

#include "darboux/linalg/dense.hpp"

namespace darboux {

Svd full_svd(const Eigen::MatrixXd& m) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

std::vector<double> singular_values(const Matrix& m) {
  const Eigen::VectorXd s = Eigen::BDCSVD<Eigen::MatrixXd>(as_eigen(m)).singularValues();
  return {s.begin(), s.end()};
}

double spectral_norm(const Matrix& m) { return m.empty() ? 0.0 : singular_values(m).front(); }

double nuclear_norm(const Matrix& m) {
  const auto s = singular_values(m);
  return std::accumulate(s.begin(), s.end(), 0.0);
}

std::vector<double> weakest_direction(const Matrix& m) {
  const Eigen::MatrixXd v = full_svd(as_eigen(m)).v;
  return {v.col(m.cols() - 1).begin(), v.col(m.cols() - 1).end()};
}

}  // namespace darboux

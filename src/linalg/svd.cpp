#include "svd.hpp"

#include <Eigen/SVD>
#include <limits>
#include <numeric>

#include "darboux/linalg/dense.hpp"

namespace darboux {

namespace {

bool has_orthonormal_columns(const Eigen::MatrixXd& u, double tolerance) {
  return (u.transpose() * u - Eigen::MatrixXd::Identity(u.cols(), u.cols())).stableNorm() <= tolerance;
}

/// Whether this really is a decomposition of m, to rounding.
bool holds(const Svd& svd, const Eigen::MatrixXd& m) {
  const double tolerance = 64.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(m.rows() + m.cols());
  const Index k = svd.values.size();
  const Eigen::MatrixXd product = svd.u.leftCols(k) * svd.values.asDiagonal() * svd.v.leftCols(k).transpose();
  return (product - m).stableNorm() <= tolerance * m.stableNorm() && has_orthonormal_columns(svd.u, tolerance) &&
         has_orthonormal_columns(svd.v, tolerance);
}

/// Divide and conquer is the faster by far, but in Eigen 3.4 it is sometimes wrong by tens of percent without saying so where
/// many singular values coincide. So its answer is checked, and Jacobi's method takes over where it fails.
Svd checked_svd(const Eigen::MatrixXd& m, unsigned options) {
  const Eigen::BDCSVD<Eigen::MatrixXd> fast(m, options);
  Svd svd{.u = fast.matrixU(), .v = fast.matrixV(), .values = fast.singularValues()};
  if (holds(svd, m)) return svd;
  const Eigen::JacobiSVD<Eigen::MatrixXd> safe(m, options);
  return {.u = safe.matrixU(), .v = safe.matrixV(), .values = safe.singularValues()};
}

}  // namespace

Svd full_svd(const Eigen::MatrixXd& m) { return checked_svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV); }

Svd thin_svd(const Eigen::MatrixXd& m) { return checked_svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV); }

std::vector<double> singular_values(const Matrix& m) {
  const Eigen::VectorXd s = thin_svd(as_eigen(m)).values;
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

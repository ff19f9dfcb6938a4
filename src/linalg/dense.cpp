#include "linalg/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>

#include "eigen_map.hpp"

namespace darboux {

namespace {

bool is_symmetric(const Matrix& m) {
  return m.is_square() && as_eigen(m).allFinite() && max_abs(m - m.transposed()) <= 1e-12 * max_abs(m);
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows(), b.cols());
  Eigen::Map<EigenMatrix>(out.data(), out.rows(), out.cols()).noalias() = as_eigen(a) * as_eigen(b);
  return out;
}

double frobenius_norm(const Matrix& m) { return m.empty() ? 0.0 : as_eigen(m).stableNorm(); }

double max_abs(const Matrix& m) { return m.empty() ? 0.0 : as_eigen(m).cwiseAbs().maxCoeff(); }

double log_abs_determinant(const Matrix& m) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(as_eigen(m));
  return lu.matrixLU().diagonal().cwiseAbs().array().log().sum();
}

std::optional<Matrix> inverse(const Matrix& m) {
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(as_eigen(m));
  if (!lu.isInvertible()) return std::nullopt;
  return from_eigen(lu.inverse());
}

std::optional<Matrix> cholesky(const Matrix& m) {
  if (!is_symmetric(m)) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> llt(as_eigen(m));
  if (llt.info() != Eigen::Success) return std::nullopt;
  return from_eigen(Eigen::MatrixXd(llt.matrixL()));
}

std::optional<Matrix> symmetric_square_root(const Matrix& m) {
  if (!is_symmetric(m)) return std::nullopt;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(as_eigen(m));
  if (eigen.info() != Eigen::Success || eigen.eigenvalues().minCoeff() <= 0.0) return std::nullopt;
  return from_eigen(eigen.operatorSqrt());
}

/// S = L⁻ᵀ (Lᵀ a L)^{½} L⁻¹ with L Lᵀ = b: S b S = L⁻ᵀ (Lᵀ a L) L⁻¹ = a.
std::optional<Matrix> geometric_mean_with_inverse(const Matrix& a, const Matrix& b) {
  if (!is_symmetric(a) || !is_symmetric(b)) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> llt(as_eigen(b));
  if (llt.info() != Eigen::Success || !(llt.rcond() > std::numeric_limits<double>::epsilon())) return std::nullopt;
  const auto symmetric = [](const Eigen::MatrixXd& m) -> Eigen::MatrixXd { return 0.5 * (m + m.transpose()); };
  const Eigen::MatrixXd product = llt.matrixU() * as_eigen(a);
  const auto middle = symmetric_square_root(from_eigen(symmetric(product * llt.matrixL())));
  if (!middle) return std::nullopt;
  const Eigen::MatrixXd half = llt.matrixU().solve(as_eigen(*middle));  // L⁻ᵀ M
  return from_eigen(symmetric(llt.matrixU().solve(half.transpose())));
}

SymmetricEigen symmetric_eigen(const Matrix& m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(as_eigen(m));
  return {.values = {eigen.eigenvalues().begin(), eigen.eigenvalues().end()},
          .vectors = from_eigen(eigen.eigenvectors())};
}

Matrix orthonormal_columns(const Matrix& m) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(as_eigen(m));
  return from_eigen(Eigen::MatrixXd(qr.householderQ() * Eigen::MatrixXd::Identity(m.rows(), m.cols())));
}

}  // namespace darboux

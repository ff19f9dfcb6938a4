#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "bidiagonal.hpp"
#include "eigen_map.hpp"
#include "linalg/dense.hpp"

namespace darboux {

namespace {

/// The bidiagonal form of a matrix with at least as many rows as columns, by Householder reflections from both sides. Only
/// the right vectors are kept, on request; the left ones nobody needs.
Bidiagonal bidiagonal_form(Eigen::MatrixXd m, bool with_v) {
  const Index rows = m.rows(), cols = m.cols();
  Bidiagonal t{.diagonal = Eigen::VectorXd(cols),
               .above = Eigen::VectorXd(std::max<Index>(cols - 1, 0)),
               .u = Eigen::MatrixXd(0, cols),
               .v = Eigen::MatrixXd::Identity(with_v ? cols : 0, cols)};
  Eigen::VectorXd essential(rows), workspace(rows);
  double tau = 0.0;
  for (Index k = 0; k < cols; ++k) {
    auto column_tail = essential.head(rows - k - 1);
    m.col(k).tail(rows - k).makeHouseholder(column_tail, tau, t.diagonal[k]);
    m.bottomRightCorner(rows - k, cols - k - 1).applyHouseholderOnTheLeft(column_tail, tau, workspace.data());
    if (k + 1 == cols) break;
    auto row_tail = essential.head(cols - k - 2);
    m.row(k).tail(cols - k - 1).transpose().makeHouseholder(row_tail, tau, t.above[k]);
    m.bottomRightCorner(rows - k - 1, cols - k - 1).applyHouseholderOnTheRight(row_tail, tau, workspace.data());
    t.v.rightCols(cols - k - 1).applyHouseholderOnTheRight(row_tail, tau, workspace.data());
  }
  return t;
}

Bidiagonal decompose(const Matrix& m, bool with_v) {
  const int exponent = binary_exponent(m);
  Bidiagonal t = bidiagonal_form(divided_by_power_of_two(m, exponent), with_v);
  diagonalise(t);
  for (double& x : t.diagonal) x = std::scalbn(x, exponent);
  return t;
}

}  // namespace

std::vector<double> singular_values(const Matrix& m) {
  const Bidiagonal t = decompose(m.rows() < m.cols() ? m.transposed() : m, /*with_v=*/false);
  return {t.diagonal.begin(), t.diagonal.end()};
}

double spectral_norm(const Matrix& m) { return m.empty() ? 0.0 : singular_values(m).front(); }

double nuclear_norm(const Matrix& m) {
  const auto s = singular_values(m);
  return std::accumulate(s.begin(), s.end(), 0.0);
}

std::vector<double> weakest_direction(const Matrix& m) {
  Matrix tall(std::max(m.rows(), m.cols()), m.cols());  // rows of zeros change nothing
  tall.set_block(0, 0, m);
  const Eigen::MatrixXd v = decompose(tall, /*with_v=*/true).v;
  return {v.col(m.cols() - 1).begin(), v.col(m.cols() - 1).end()};
}

}  // namespace darboux

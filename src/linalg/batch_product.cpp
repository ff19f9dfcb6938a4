#include "darboux/linalg/batch_product.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace darboux {

namespace {

constexpr Index tile = 8;  // lanes whose sums are kept in registers together

/// One tile of one row: sum[l] = Σ_j m_j x(j, l). A full tile has a constant trip count, which vectorises.
void row_times_tile(const double* m, ConstBatch x, Index lane, Index width, double* sum) {
  std::array<double, tile> total{};
  if (width == tile) {
    for (Index j = 0; j < x.rows(); ++j) {
      const double* xj = x.row(j) + lane;
      for (std::size_t l = 0; l < tile; ++l) total[l] += m[j] * xj[l];
    }
  } else {
    for (Index j = 0; j < x.rows(); ++j) {
      const double* xj = x.row(j) + lane;
      for (std::size_t l = 0; l < static_cast<std::size_t>(width); ++l) total[l] += m[j] * xj[l];
    }
  }
  std::copy_n(total.begin(), width, sum);
}

}  // namespace

void multiply(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.cols() == x.rows() && m.rows() == y.rows() && x.lanes() == y.lanes());
  for (Index lane = 0; lane < x.lanes(); lane += tile) {
    const Index width = std::min(tile, x.lanes() - lane);
    for (Index i = 0; i < m.rows(); ++i) row_times_tile(m.data() + i * m.cols(), x, lane, width, y.row(i) + lane);
  }
}

void multiply_add(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.cols() == x.rows() && m.rows() == y.rows() && x.lanes() == y.lanes());
  std::array<double, tile> product{};
  for (Index lane = 0; lane < x.lanes(); lane += tile) {
    const Index width = std::min(tile, x.lanes() - lane);
    for (Index i = 0; i < m.rows(); ++i) {
      row_times_tile(m.data() + i * m.cols(), x, lane, width, product.data());
      double* yi = y.row(i) + lane;
      for (std::size_t l = 0; l < static_cast<std::size_t>(width); ++l) yi[l] += product[l];
    }
  }
}

void add_scaled(ConstBatch x, std::span<const double> scale, Batch y, double factor) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes());
  const auto lanes = static_cast<std::size_t>(x.lanes());
  assert(scale.size() == lanes);
  for (Index j = 0; j < x.rows(); ++j) {
    const double* xj = x.row(j);
    double* yj = y.row(j);
    for (std::size_t l = 0; l < lanes; ++l) yj[l] = scale[l] != 0.0 ? yj[l] + factor * scale[l] * xj[l] : yj[l];
  }
}

void assign_where(ConstBatch x, std::span<const double> scale, Batch y) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes());
  const auto lanes = static_cast<std::size_t>(x.lanes());
  for (Index j = 0; j < x.rows(); ++j) {
    const double* xj = x.row(j);
    double* yj = y.row(j);
    for (std::size_t l = 0; l < lanes; ++l) yj[l] = scale[l] != 0.0 ? xj[l] : yj[l];
  }
}

DirectedMatrix::DirectedMatrix(Matrix forward, Matrix backward)
    : forward_(std::move(forward)), backward_(std::move(backward)) {}

void DirectedMatrix::multiply(ConstBatch x, std::span<const double> dt, Batch y) const {
  assert(forward_.cols() == x.rows() && forward_.rows() == y.rows() && x.lanes() == y.lanes());
  const auto is_backward = [](double h) { return h < 0.0; };
  for (Index lane = 0; lane < x.lanes(); lane += tile) {
    const Index width = std::min(tile, x.lanes() - lane);
    const auto signs = dt.subspan(static_cast<std::size_t>(lane), static_cast<std::size_t>(width));
    const auto backward_lanes = std::count_if(signs.begin(), signs.end(), is_backward);
    const Matrix& first = backward_lanes == width ? backward_ : forward_;
    const bool mixed = backward_lanes != 0 && backward_lanes != width;
    for (Index i = 0; i < first.rows(); ++i) {
      double* yi = y.row(i) + lane;
      row_times_tile(first.data() + i * first.cols(), x, lane, width, yi);
      if (!mixed) continue;
      std::array<double, tile> backward_sum{};
      row_times_tile(backward_.data() + i * backward_.cols(), x, lane, width, backward_sum.data());
      for (std::size_t l = 0; l < signs.size(); ++l)
        if (is_backward(signs[l])) yi[l] = backward_sum[l];
    }
  }
}

}  // namespace darboux

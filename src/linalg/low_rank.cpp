#include "darboux/linalg/low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "linalg/batch_product.hpp"

namespace darboux {

namespace {

void require_finite(std::string_view field, const double* numbers, Index count) {
  if (!std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); }))
    throw InputError(fmt::format("{} must be finite numbers", field));
}

void require_orthonormal(const Matrix& v) {
  constexpr double tolerance = 1e-8;  // far more than rounding, far less than anything that could do harm
  for (Index k = 0; k < v.rows(); ++k) {
    for (Index l = 0; l <= k; ++l) {
      double product = 0.0;
      for (Index i = 0; i < v.cols(); ++i) product += v(k, i) * v(l, i);
      if (std::abs(product - (k == l ? 1.0 : 0.0)) > tolerance)
        throw InputError(fmt::format(
            "directions {} and {} have the product {:.10g}: must be orthonormal, with products 0 and squares 1", k + 1,
            l + 1, product));
    }
  }
}

/// Memory for intermediate results, a thread's own: grows to what is needed, then never allocates again. There is some even for no rows,
/// since kernels step from where it begins to the lane they are at.
Batch scratch(Index rows, Index lanes) {
  thread_local std::vector<double, CacheLineAllocator<double>> memory;
  const Index stride = (lanes + 7) / 8 * 8;
  const std::size_t needed = at(std::max<Index>(rows, 1) * stride);
  if (memory.size() < needed) memory.resize(needed);
  return {memory.data(), rows, lanes, stride};
}

/// Before anything is made of them.
LowRankMatrix::Parts checked(LowRankMatrix::Parts parts) {
  const auto& [after, directions, stretches, before] = parts;
  const Index n = std::ssize(after), rank = directions.rows();
  if (std::ssize(before) != n || directions.cols() != n || std::ssize(stretches) != rank)
    throw InputError(fmt::format("{} and {} scales, {} × {} directions, {} stretches: must be n, n, r × n and r", n,
                                 before.size(), rank, directions.cols(), stretches.size()));
  require_finite("scales", after.data(), n);
  require_finite("scales", before.data(), n);
  require_finite("directions", directions.data(), rank * n);
  require_finite("stretches", stretches.data(), rank);
  require_orthonormal(directions);
  return parts;
}

}  // namespace

LowRankMatrix::LowRankMatrix(Parts parts, Trusted) : parts_(std::move(parts)) {
  const auto& [after, directions, stretches, before] = parts_;
  into_ = directions;
  out_of_ = directions.transposed();
  diagonal_ = after;
  for (Index i = 0; i < std::ssize(after); ++i) {
    diagonal_[at(i)] *= before[at(i)];
    for (Index k = 0; k < std::ssize(stretches); ++k) {
      into_(k, i) *= before[at(i)];
      out_of_(i, k) *= after[at(i)] * (stretches[at(k)] - 1.0);
    }
  }
}

LowRankMatrix::LowRankMatrix(Parts parts) : LowRankMatrix(checked(std::move(parts)), Trusted{}) {}

double LowRankMatrix::operator()(Index i, Index j) const noexcept {
  double entry = i == j ? diagonal_[at(i)] : 0.0;
  for (Index k = 0; k < rank(); ++k) entry += out_of_(i, k) * into_(k, j);
  return entry;
}

Matrix LowRankMatrix::matrix() const {
  Matrix m(dim(), dim());
  for (Index i = 0; i < dim(); ++i)
    for (Index j = 0; j < dim(); ++j) m(i, j) = (*this)(i, j);
  return m;
}

std::vector<double> LowRankMatrix::variances() const {
  std::vector<double> out;
  for (Index i = 0; i < dim(); ++i) {
    double inner = 1.0;
    for (Index k = 0; k < rank(); ++k) {
      const double s = parts_.stretches[at(k)], v = parts_.directions(k, i);
      inner += (s * s - 1.0) * v * v;
    }
    out.push_back(parts_.after[at(i)] * parts_.after[at(i)] * inner);
  }
  return out;
}

LowRankMatrix LowRankMatrix::transposed() const {
  Parts parts = parts_;
  std::swap(parts.after, parts.before);
  return {std::move(parts), Trusted{}};
}

LowRankMatrix LowRankMatrix::negated() const {
  Parts parts = parts_;
  for (double& a : parts.after) a = -a;
  return {std::move(parts), Trusted{}};
}

LowRankMatrix LowRankMatrix::inverse() const {
  Parts parts = transposed().parts_;
  for (auto* numbers : {&parts.after, &parts.stretches, &parts.before})
    for (double& x : *numbers) x = 1.0 / x;
  return {std::move(parts), Trusted{}};
}

void LowRankMatrix::multiply(ConstBatch x, Batch y) const { run(x, y, false); }

void LowRankMatrix::add_product(ConstBatch x, Batch y) const { run(x, y, true); }

void LowRankMatrix::run(ConstBatch x, Batch y, bool add) const {
  assert(x.rows() == dim() && y.rows() == dim() && x.lanes() == y.lanes());
  const Batch along = scratch(rank(), x.lanes());
  darboux::multiply(into_, x, along);
  multiply_with_diagonal(out_of_, along, diagonal_, x, y, add);
}

}  // namespace darboux

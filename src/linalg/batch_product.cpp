#include "linalg/batch_product.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "batch_kernel.hpp"

namespace darboux {

namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

template <class Number>
LaneRows<Number> rows_of(const BasicBatch<Number>& batch) {
  return {.data = batch.row(0), .stride = size(batch.stride())};
}

BatchProductTask product(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.cols() == x.rows() && x.lanes() == y.lanes());
  return {.matrix = m.data(),
          .to_other = 0,
          .dt = nullptr,
          .rows = size(y.rows()),
          .columns = size(m.cols()),
          .lanes = size(x.lanes()),
          .x = rows_of(x),
          .base = rows_of(ConstBatch(y)),
          .y = rows_of(y),
          .backward = BatchProductTask::Backward::same,
          .add = false};
}

LaneUpdateTask update(ConstBatch x, std::span<const double> scale, Batch y, double factor) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes() && std::ssize(scale) == x.lanes());
  return {.x = rows_of(x),
          .scale = scale.data(),
          .y = rows_of(y),
          .factor = factor,
          .rows = size(x.rows()),
          .lanes = size(x.lanes())};
}

}  // namespace

void multiply(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.rows() == y.rows());
  DARBOUX_KERNEL(batch_product)(product(m, x, y));
}

void multiply_add(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.rows() == y.rows());
  BatchProductTask task = product(m, x, y);
  task.add = true;
  DARBOUX_KERNEL(batch_product)(task);
}

void multiply_with_diagonal(const Matrix& m, ConstBatch x, std::span<const double> d, ConstBatch z, Batch y, bool add) {
  assert(m.rows() == y.rows() && std::ssize(d) == y.rows() && z.rows() == y.rows() && z.lanes() == y.lanes());
  BatchProductTask task = product(m, x, y);
  task.add = true;
  if (!add) task.base.data = nullptr;
  task.diagonal = d.data();
  task.scaled = rows_of(z);
  DARBOUX_KERNEL(batch_product)(task);
}

void add_difference(ConstBatch x, ConstBatch y, ConstBatch z, Batch out) {
  assert(y.rows() == x.rows() && z.rows() == x.rows() && out.rows() == x.rows());
  assert(y.lanes() == x.lanes() && z.lanes() == x.lanes() && out.lanes() == x.lanes());
  DARBOUX_KERNEL(add_difference)
  ({.x = rows_of(x),
    .y = rows_of(y),
    .z = rows_of(z),
    .out = rows_of(out),
    .rows = size(x.rows()),
    .lanes = size(x.lanes())});
}

void negate_where(ConstBatch x, std::span<const double> scale, Batch y, std::span<double> not_finite) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes());
  assert(std::ssize(scale) == x.lanes() && std::ssize(not_finite) == x.lanes());
  DARBOUX_KERNEL(negate_where)
  ({.x = rows_of(x),
    .scale = scale.data(),
    .y = rows_of(y),
    .not_finite = not_finite.data(),
    .rows = size(x.rows()),
    .lanes = size(x.lanes())});
}

void add_scaled(ConstBatch x, std::span<const double> scale, Batch y, double factor) {
  DARBOUX_KERNEL(add_scaled)(update(x, scale, y, factor));
}

void add_where(ConstBatch x, std::span<const double> scale, Batch y, double factor) {
  DARBOUX_KERNEL(add_where)(update(x, scale, y, factor));
}

void assign_where(ConstBatch x, std::span<const double> scale, Batch y, double factor) {
  DARBOUX_KERNEL(assign_where)(update(x, scale, y, factor));
}

void dot_products(ConstBatch x, ConstBatch y, std::span<double> xx, std::span<double> xy, std::span<double> yy) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes());
  assert(std::ssize(xx) == x.lanes() && std::ssize(xy) == x.lanes() && std::ssize(yy) == x.lanes());
  DARBOUX_KERNEL(dot_products)
  ({.x = rows_of(x),
    .y = rows_of(y),
    .xx = xx.data(),
    .xy = xy.data(),
    .yy = yy.data(),
    .rows = size(x.rows()),
    .lanes = size(x.lanes())});
}

void combine_where(ConstBatch x, std::span<const double> of_x, std::span<const double> of_y,
                   std::span<const double> scale, Batch y) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes() && std::ssize(scale) == x.lanes());
  assert(std::ssize(of_x) == x.lanes() && std::ssize(of_y) == x.lanes());
  DARBOUX_KERNEL(combine_where)
  ({.x = rows_of(x),
    .of_x = of_x.data(),
    .of_y = of_y.data(),
    .scale = scale.data(),
    .y = rows_of(y),
    .rows = size(x.rows()),
    .lanes = size(x.lanes())});
}

void turn_difference(Batch first, Batch second, std::span<const double> dt, double theta) {
  assert(first.rows() == second.rows() && first.lanes() == second.lanes() && std::ssize(dt) == first.lanes());
  const Index n = first.rows() / 2;
  DARBOUX_KERNEL(turn_difference)
  ({.first_q = rows_of(first),
    .first_p = rows_of(first.middle_rows(n, n)),
    .second_q = rows_of(second),
    .second_p = rows_of(second.middle_rows(n, n)),
    .dt = dt.data(),
    .cosine = std::cos(theta),
    .sine = std::sin(theta),
    .rows = size(n),
    .lanes = size(first.lanes())});
}

void largest_excess(ConstBatch x, ConstBatch y, double tolerance, std::span<double> out) {
  assert(x.rows() == y.rows() && x.lanes() == y.lanes() && std::ssize(out) == x.lanes());
  DARBOUX_KERNEL(largest_excess)
  ({.x = rows_of(x),
    .y = rows_of(y),
    .tolerance = tolerance,
    .out = out.data(),
    .rows = size(x.rows()),
    .lanes = size(x.lanes())});
}

DirectedMatrix::DirectedMatrix(const Matrix& forward, const Matrix& backward)
    : both_(2 * forward.rows(), forward.cols()), is_odd_(forward == -backward) {
  assert(backward.rows() == forward.rows() && backward.cols() == forward.cols());
  const Index entries = forward.rows() * forward.cols();
  std::copy_n(forward.data(), entries, both_.data());
  std::copy_n(backward.data(), entries, both_.data() + entries);
}

Matrix DirectedMatrix::half(Index first_row) const {
  Matrix m(both_.rows() / 2, both_.cols());
  std::copy_n(both_.data() + first_row * m.cols(), m.rows() * m.cols(), m.data());
  return m;
}

void DirectedMatrix::multiply(ConstBatch x, std::span<const double> dt, Batch y) const { run(x, dt, y, y, false); }

void DirectedMatrix::multiply_add(ConstBatch x, std::span<const double> dt, ConstBatch base, Batch y) const {
  run(x, dt, base, y, true);
}

void DirectedMatrix::run(ConstBatch x, std::span<const double> dt, ConstBatch base, Batch y, bool add) const {
  assert(both_.rows() == 2 * y.rows() && std::ssize(dt) == x.lanes());
  assert(base.rows() == y.rows() && base.lanes() == y.lanes());
  BatchProductTask task = product(both_, x, y);
  task.base = rows_of(base);
  task.to_other = task.rows * task.columns;
  task.backward = is_odd_ ? BatchProductTask::Backward::negated : BatchProductTask::Backward::other;
  task.dt = dt.data();
  task.add = add;
  DARBOUX_KERNEL(batch_product)(task);
}

}  // namespace darboux

#include "darboux/linalg/batch_product.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "batch_kernel.hpp"

namespace darboux {

namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

template <class Number>
LaneRows<Number> rows_of(const BasicBatch<Number>& batch) {
  return {.data = batch.row(0), .stride = size(batch.stride())};
}

BatchProductTask product(const Matrix& m, ConstBatch x, Batch y) {
  assert(m.cols() == x.rows() && m.rows() == y.rows() && x.lanes() == y.lanes());
  return {.matrix = m.data(),
          .other = nullptr,
          .dt = nullptr,
          .rows = size(m.rows()),
          .columns = size(m.cols()),
          .lanes = size(x.lanes()),
          .x = rows_of(x),
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

void multiply(const Matrix& m, ConstBatch x, Batch y) { DARBOUX_KERNEL(batch_product)(product(m, x, y)); }

void multiply_add(const Matrix& m, ConstBatch x, Batch y) {
  BatchProductTask task = product(m, x, y);
  task.add = true;
  DARBOUX_KERNEL(batch_product)(task);
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
  DARBOUX_KERNEL(largest_excess)(rows_of(x), rows_of(y), size(x.rows()), size(x.lanes()), tolerance, out.data());
}

DirectedMatrix::DirectedMatrix(Matrix forward, Matrix backward)
    : forward_(std::move(forward)), backward_(std::move(backward)), is_odd_(forward_ == -backward_) {}

void DirectedMatrix::multiply(ConstBatch x, std::span<const double> dt, Batch y) const { run(x, dt, y, false); }

void DirectedMatrix::multiply_add(ConstBatch x, std::span<const double> dt, Batch y) const { run(x, dt, y, true); }

void DirectedMatrix::run(ConstBatch x, std::span<const double> dt, Batch y, bool add) const {
  assert(std::ssize(dt) == x.lanes());
  BatchProductTask task = product(forward_, x, y);
  task.backward = is_odd_ ? BatchProductTask::Backward::negated : BatchProductTask::Backward::other;
  task.other = backward_.data();
  task.dt = dt.data();
  task.add = add;
  DARBOUX_KERNEL(batch_product)(task);
}

}  // namespace darboux

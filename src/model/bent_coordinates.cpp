#include "model/bent_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "marginal_kernel.hpp"

namespace darboux {

BentCoordinates::BentCoordinates(const std::vector<MarginalShape>& shapes, Index dim) {
  if (shapes.empty()) return;
  check::size("shapes", std::ssize(shapes), dim);
  for (Index j = 0; j < dim; ++j) {
    const MarginalShape& shape = shapes[at(j)];
    const auto called = [&](const char* what) { return fmt::format("{} of shapes[{}]", what, j + 1); };
    check::finite(called("place"), shape.place);
    check::positive(called("scale"), shape.scale);
    check::finite(called("skew"), shape.skew);
    check::positive(called("tail"), shape.tail);
    if (shape != MarginalShape{}) bent_.push_back({.row = j, .shape = shape});
  }
}

double bent_from_straight(const MarginalShape& shape, double x) noexcept {
  return std::sinh(shape.tail * std::asinh((x - shape.place) / shape.scale) - shape.skew);
}

void BentCoordinates::to_straight(ConstBatch y, Batch x) const {
  copy(y, x);
  for (const auto& [row, shape] : bent_)
    DARBOUX_KERNEL(bend)({.shape = shape, .lanes = at(y.lanes()), .y = y.row(row), .x = x.row(row)});
}

void BentCoordinates::from_straight(Batch x) const {
  for (const auto& [row, shape] : bent_)
    for (Index lane = 0; lane < x.lanes(); ++lane) x(row, lane) = bent_from_straight(shape, x(row, lane));
}

void BentCoordinates::to_straight(ConstBatch y, Batch x, Derivatives& out, bool gradient, bool value) const {
  copy(y, x);
  const Index lanes = y.lanes();
  const Batch slopes = gradient ? out.slopes.get(count(), lanes) : Batch();
  const Batch bends = gradient ? out.bends.get(count(), lanes) : Batch();
  if (value) out.sum_log_slopes.assign(at(lanes), 0.0);
  for (Index k = 0; k < count(); ++k) {
    const auto& [row, shape] = bent_[at(k)];
    DARBOUX_KERNEL(bend)({.shape = shape,
                          .lanes = at(lanes),
                          .y = y.row(row),
                          .x = x.row(row),
                          .slope = gradient ? slopes.row(k) : nullptr,
                          .bend = gradient ? bends.row(k) : nullptr,
                          .sum_log_slopes = value ? out.sum_log_slopes.data() : nullptr});
  }
}

void BentCoordinates::change_gradient(Derivatives& at_points, Batch gradient) const {
  const Batch slopes = at_points.slopes.get(count(), gradient.lanes());
  const Batch bends = at_points.bends.get(count(), gradient.lanes());
  for (Index k = 0; k < count(); ++k) {
    double* const g = gradient.row(bent_[at(k)].row);
    for (Index lane = 0; lane < gradient.lanes(); ++lane) g[lane] = g[lane] * slopes(k, lane) + bends(k, lane);
  }
}

void BentCoordinates::potential_gradient_to_straight(ConstBatch y, Batch gradient) const {
  std::vector<double> x(at(y.lanes())), slopes(x.size()), bends(x.size());
  for (const auto& [row, shape] : bent_) {
    DARBOUX_KERNEL(bend)({.shape = shape,
                          .lanes = x.size(),
                          .y = y.row(row),
                          .x = x.data(),
                          .slope = slopes.data(),
                          .bend = bends.data()});
    double* const g = gradient.row(row);
    for (std::size_t lane = 0; lane < x.size(); ++lane) g[lane] = (g[lane] + bends[lane]) / slopes[lane];
  }
}

}  // namespace darboux

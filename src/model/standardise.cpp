#include "model/standardise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

bool is_constant(double smallest, double largest) noexcept {
  return largest - smallest <= 1e-13 * std::max(std::abs(smallest), std::abs(largest));
}

namespace {

/// Row by row, as they lie in memory.
template <class AnyMatrix, class Task>
void for_each_entry(AnyMatrix& columns, const Task& task) {
  for (Index i = 0; i < columns.rows(); ++i)
    for (Index j = 0; j < columns.cols(); ++j) task(columns(i, j), at(j));
}

}  // namespace

Standardisation moments_of(const Matrix& columns) {
  check::finite("x", columns);
  check::dimension("number of rows", columns.rows());
  const auto n = static_cast<double>(columns.rows());
  const std::size_t count = at(columns.cols());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> smallest(count, infinity), largest(count, -infinity), means(count), scales(count);
  for_each_entry(columns, [&](double x, std::size_t j) {
    smallest[j] = std::min(smallest[j], x);
    largest[j] = std::max(largest[j], x);
    means[j] += x / n;
  });
  for (std::size_t j = 0; j < count; ++j)
    if (is_constant(smallest[j], largest[j]))
      throw InputError(fmt::format("column {} is constant ({}): it cannot be standardised", j + 1, smallest[j]));
  for_each_entry(columns, [&](double x, std::size_t j) { scales[j] += (x - means[j]) * (x - means[j]) / n; });
  for (double& scale : scales) scale = std::sqrt(scale);
  return {.means = std::move(means), .scales = std::move(scales)};
}

void take_out(const Standardisation& taken, Matrix& columns) {
  for_each_entry(columns, [&](double& x, std::size_t j) { x = (x - taken.means[j]) / taken.scales[j]; });
}

Standardisation standardise(Matrix& columns) {
  Standardisation taken = moments_of(columns);
  take_out(taken, columns);
  return taken;
}

std::vector<double> ranges_of_two_values(const Matrix& columns) {
  struct Values {
    double first = 0.0, other = 0.0;
    int count = 0;  // 3: more than two
  };
  std::vector<Values> found(at(columns.cols()));
  for_each_entry(columns, [&](double x, std::size_t j) {
    Values& v = found[j];
    if (v.count == 0) v = {.first = x, .other = x, .count = 1};
    if (v.count == 3 || x == v.first) return;
    if (v.count == 1) v.other = x;
    v.count = v.count == 1 || x == v.other ? 2 : 3;
  });
  std::vector<double> ranges;
  for (const Values& v : found) ranges.push_back(v.count == 2 ? std::abs(v.other - v.first) : 0.0);
  return ranges;
}

}  // namespace darboux

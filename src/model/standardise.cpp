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

Standardisation standardise(Matrix& columns) {
  check::finite("x", columns);
  check::dimension("number of rows", columns.rows());
  const auto n = static_cast<double>(columns.rows());
  const auto count = static_cast<std::size_t>(columns.cols());
  const auto for_each_entry = [&](const auto& task) {  // row by row, as they lie in memory
    for (Index i = 0; i < columns.rows(); ++i)
      for (std::size_t j = 0; j < count; ++j) task(columns(i, static_cast<Index>(j)), j);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> smallest(count, infinity), largest(count, -infinity), means(count), scales(count);
  for_each_entry([&](double x, std::size_t j) {
    smallest[j] = std::min(smallest[j], x);
    largest[j] = std::max(largest[j], x);
    means[j] += x / n;
  });
  for (std::size_t j = 0; j < count; ++j)
    if (is_constant(smallest[j], largest[j]))
      throw InputError(fmt::format("column {} is constant ({}): it cannot be standardised", j + 1, smallest[j]));
  for_each_entry([&](double x, std::size_t j) { scales[j] += (x - means[j]) * (x - means[j]) / n; });
  for (double& scale : scales) scale = std::sqrt(scale);
  for_each_entry([&](double& x, std::size_t j) { x = (x - means[j]) / scales[j]; });
  return {.means = std::move(means), .scales = std::move(scales)};
}

}  // namespace darboux

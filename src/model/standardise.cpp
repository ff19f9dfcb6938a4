#include "darboux/model/standardise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
  Standardisation out;
  for (Index j = 0; j < columns.cols(); ++j) {
    double smallest = columns(0, j), largest = smallest, mean = 0.0, variance = 0.0;
    for (Index i = 0; i < columns.rows(); ++i) {
      smallest = std::min(smallest, columns(i, j));
      largest = std::max(largest, columns(i, j));
      mean += columns(i, j) / n;
    }
    if (is_constant(smallest, largest))
      throw InputError(fmt::format("column {} is constant ({}): it cannot be standardised", j + 1, smallest));
    for (Index i = 0; i < columns.rows(); ++i) variance += (columns(i, j) - mean) * (columns(i, j) - mean) / n;
    const double scale = std::sqrt(variance);
    for (Index i = 0; i < columns.rows(); ++i) columns(i, j) = (columns(i, j) - mean) / scale;
    out.means.push_back(mean);
    out.scales.push_back(scale);
  }
  return out;
}

}  // namespace darboux

#include "checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"

namespace darboux::check {

void dimension(std::string_view argument, Index value, Index at_least) {
  if (value < at_least) throw InputError(fmt::format("{} = {}: must be at least {}", argument, value, at_least));
}

void finite(std::string_view argument, double value) {
  if (!std::isfinite(value)) throw InputError(fmt::format("{} = {}: must be finite", argument, value));
}

void finite(std::string_view argument, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) finite(fmt::format("{}[{}]", argument, i + 1), values[i]);
}

void finite(std::string_view argument, const Matrix& values) {
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j)
      if (!std::isfinite(values(i, j))) finite(fmt::format("{}({}, {})", argument, i + 1, j + 1), values(i, j));
}

void positive(std::string_view argument, double value) {
  if (!(std::isfinite(value) && value > 0.0))
    throw InputError(fmt::format("{} = {}: must be positive and finite", argument, value));
}

void positive(std::string_view argument, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) positive(fmt::format("{}[{}]", argument, i + 1), values[i]);
}

void size(std::string_view argument, Index value, Index expected) {
  if (value != expected) throw InputError(fmt::format("{} has {} entries: must have {}", argument, value, expected));
}

void shape(std::string_view argument, const Matrix& value, Index rows, Index cols) {
  if (value.rows() != rows || value.cols() != cols)
    throw InputError(fmt::format("{} is {} × {}: must be {} × {}", argument, value.rows(), value.cols(), rows, cols));
}

void positive_definite(std::string_view argument, const Matrix& value) {
  shape(argument, value, value.rows(), value.rows());
  finite(argument, value);
  const double tolerance = 1e-12 * max_abs(value);
  for (Index i = 0; i < value.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(value(i, j) - value(j, i)) > tolerance)
        throw InputError(fmt::format("{}: must be symmetric, but ({}, {}) = {} and ({}, {}) = {}", argument, i + 1,
                                     j + 1, value(i, j), j + 1, i + 1, value(j, i)));
  if (!cholesky(value)) throw InputError(fmt::format("{}: must be positive definite", argument));
}

Matrix positive_definite_inverse(std::string_view argument, const Matrix& value) {
  positive_definite(argument, value);
  const auto inverted = inverse(value);
  if (!inverted)
    throw InputError(fmt::format("{}: must be invertible, but is singular to working precision", argument));
  return 0.5 * (*inverted + inverted->transposed());
}

}  // namespace darboux::check

#include "matrix_checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "darboux/linalg/dense.hpp"

namespace darboux {

namespace {

constexpr double skew_tolerance = 1e-10;

std::string entry(std::string_view name, const Matrix& m, Index i, Index j) {
  return fmt::format("{}({},{}) = {}", name, i + 1, j + 1, m(i, j));
}

}  // namespace

void require_square(std::string_view name, const Matrix& m) {
  if (m.empty()) throw StructureError(fmt::format("{} is empty: it needs at least one row and one column", name));
  if (!m.is_square())
    throw StructureError(fmt::format("{} must be square, but it has {} rows and {} columns", name, m.rows(), m.cols()));
}

void require_finite(std::string_view name, const Matrix& m) {
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      if (!std::isfinite(m(i, j)))
        throw StructureError(
            fmt::format("{}: every entry of {} must be finite (indices count from 1)", entry(name, m, i, j), name));
}

Matrix checked_skew_part(std::string_view name, const Matrix& m) {
  require_square(name, m);
  require_finite(name, m);
  Matrix skew(m.rows(), m.cols());
  Index row = 0, col = 0;  // of the worst entry
  double worst = 0.0;
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = i; j < m.cols(); ++j) {
      const double defect = std::abs(m(i, j) + m(j, i));
      if (defect > worst) {
        worst = defect;
        row = i;
        col = j;
      }
      if (i == j) continue;
      // Halves are taken before the difference so that it cannot overflow, and only where there is something to average.
      // Adding 0 turns −0 into 0: equal structures have equal bits.
      skew(i, j) = 0.0 + (defect == 0.0 ? m(i, j) : 0.5 * m(i, j) - 0.5 * m(j, i));
      skew(j, i) = 0.0 - skew(i, j);
    }
  }
  if (worst <= skew_tolerance * max_abs(m)) return skew;
  const std::string found = row == col
                                ? fmt::format("{}, but the diagonal of a skew matrix is zero", entry(name, m, row, col))
                                : fmt::format("{} and {}, but {}(i,j) = -{}(j,i) is required", entry(name, m, row, col),
                                              entry(name, m, col, row), name, name);
  throw StructureError(fmt::format("{} is not skew: {} (to {:g} of its largest entry; indices count from 1)", name,
                                   found, skew_tolerance));
}

}  // namespace darboux

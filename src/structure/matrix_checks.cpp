#include "matrix_checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"

namespace darboux {

namespace {

constexpr double skew_tolerance = 1e-10;

std::string entry(std::string_view name, Index i, Index j, double value) {
  return fmt::format("{}({},{}) = {}", name, i + 1, j + 1, value);
}

[[noreturn]] void refuse_as_not_finite(std::string_view name, Index i, Index j, double value) {
  throw StructureError(
      fmt::format("{}: every entry of {} must be finite (indices count from 1)", entry(name, i, j, value), name));
}

[[noreturn]] void refuse_as_not_skew(std::string_view name, std::string_view found) {
  throw StructureError(fmt::format("{} is not skew: {} (to {:g} of its largest entry; indices count from 1)", name,
                                   found, skew_tolerance));
}

std::string nonzero_diagonal(std::string_view name, Index i, double value) {
  return fmt::format("{}, but the diagonal of a skew matrix is zero", entry(name, i, i, value));
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
      if (!std::isfinite(m(i, j))) refuse_as_not_finite(name, i, j, m(i, j));
}

void require_finite(std::string_view name, const StructuredMatrix& block) {
  if (!block.is_diagonal()) return require_finite(name, block.matrix());
  for (Index i = 0; i < block.dim(); ++i)
    if (!std::isfinite(block(i, i))) refuse_as_not_finite(name, i, i, block(i, i));
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
  if (row == col) refuse_as_not_skew(name, nonzero_diagonal(name, row, m(row, row)));
  refuse_as_not_skew(name,
                     fmt::format("{} and {}, but {}(i,j) = -{}(j,i) is required", entry(name, row, col, m(row, col)),
                                 entry(name, col, row, m(col, row)), name, name));
}

StructuredMatrix checked_skew_part(std::string_view name, const StructuredMatrix& block) {
  if (block.is_zero()) return block;
  if (!block.is_diagonal()) return StructuredMatrix::from(checked_skew_part(name, block.matrix()));
  require_finite(name, block);
  Index worst = 0;
  for (Index i = 1; i < block.dim(); ++i)
    if (std::abs(block(i, i)) > std::abs(block(worst, worst))) worst = i;
  refuse_as_not_skew(name, nonzero_diagonal(name, worst, block(worst, worst)));
}

}  // namespace darboux

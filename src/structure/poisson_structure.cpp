#include "darboux/structure/poisson_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "linalg/skew_schur.hpp"
#include "matrix_checks.hpp"
#include "spectrum.hpp"

namespace darboux {

namespace {

constexpr double dead_direction_ratio = 1e-12;

StructuredMatrix checked_block(std::string_view name, const Matrix& m) {
  require_square(name, m);
  return StructuredMatrix::from(m);
}

Matrix skew_part(const Matrix& m) { return 0.5 * (m - m.transposed()); }

/// The diagonal of a block that has nothing else.
std::optional<std::vector<double>> diagonal_of(const StructuredMatrix& block) {
  if (!block.is_diagonal()) return std::nullopt;
  std::vector<double> entries(static_cast<std::size_t>(block.dim()));
  for (Index i = 0; i < block.dim(); ++i) entries[static_cast<std::size_t>(i)] = block(i, i);
  return entries;
}

struct WeakestDirection {
  std::vector<double> v;
  double smallest = 0.0, largest = 0.0;  // singular values; the smallest is that of v
};

/// Of [Aᵀ; E]; nothing where it clearly has full rank.
std::optional<WeakestDirection> weakest_direction_of(const StructuredMatrix& E, const StructuredMatrix& A) {
  const Index n = A.dim();
  if (const auto diagonal = diagonal_of(A)) {
    const auto zero = std::find(diagonal->begin(), diagonal->end(), 0.0);
    if (zero == diagonal->end()) return std::nullopt;
    if (E.is_zero()) {
      WeakestDirection axis{.v = std::vector<double>(diagonal->size(), 0.0)};
      axis.v[static_cast<std::size_t>(zero - diagonal->begin())] = 1.0;
      for (const double entry : *diagonal) axis.largest = std::max(axis.largest, std::abs(entry));
      return axis;
    }
  }
  Matrix stacked(2 * n, n);
  stacked.set_block(0, 0, A.matrix().transposed());
  stacked.set_block(n, 0, E.matrix());
  const std::vector<double> values = singular_values(stacked);
  return WeakestDirection{.v = weakest_direction(stacked), .smallest = values.back(), .largest = values.front()};
}

/// Throws if some v has Aᵀv = 0 and Ev = 0: if the smallest singular value of [Aᵀ; E] is zero beside the largest.
void refuse_dead_direction(const StructuredMatrix& E, const StructuredMatrix& A) {
  const auto weakest = weakest_direction_of(E, A);
  if (!weakest || weakest->smallest > dead_direction_ratio * weakest->largest) return;
  const auto largest = std::max_element(weakest->v.begin(), weakest->v.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  throw StructureError(fmt::format(
      "A and E leave a direction v with A'v = 0 and Ev = 0, along which the position would never move: its largest "
      "component is v({}) = {:.3g} (the singular values of [A'; E] range from {:.3g} to {:.3g}; indices count from 1)",
      largest - weakest->v.begin() + 1, *largest, weakest->smallest, weakest->largest));
}

}  // namespace

PoissonStructure::PoissonStructure(StructuredMatrix E, StructuredMatrix A, StructuredMatrix G)
    : e_(std::move(E)), a_(std::move(A)), g_(std::move(G)), a_transposed_(a_.transposed()) {}

PoissonStructure PoissonStructure::canonical(Index n) {
  return from_blocks(StructuredMatrix::zero(n), StructuredMatrix::identity(n), StructuredMatrix::zero(n));
}

PoissonStructure PoissonStructure::from_blocks(const Matrix& E, const Matrix& A, const Matrix& G) {
  return from_blocks(checked_block("E", E), checked_block("A", A), checked_block("G", G));
}

PoissonStructure PoissonStructure::from_blocks(StructuredMatrix E, StructuredMatrix A, StructuredMatrix G) {
  const Index n = A.dim();
  if (n < 1 || E.dim() != n || G.dim() != n)
    throw StructureError(
        fmt::format("E, A and G must have the same size, at least 1 x 1, but they are {0} x {0}, "
                    "{1} x {1} and {2} x {2}",
                    E.dim(), n, G.dim()));
  E = checked_skew_part("E", E);
  G = checked_skew_part("G", G);
  require_finite("A", A);
  if (A.is_zero())
    throw StructureError("A = 0: positions and momenta would not act on each other, so U(q) would never change");
  refuse_dead_direction(E, A);
  return {std::move(E), std::move(A), std::move(G)};
}

PoissonStructure PoissonStructure::from_poisson_matrix(const Matrix& b) {
  const Matrix skew = checked_skew_part("B", b);
  if (skew.rows() % 2 != 0)
    throw StructureError(
        fmt::format("B must have an even size, as it acts on positions and momenta, not {0} x {0}", b.rows()));
  const Index n = skew.rows() / 2;
  return from_blocks(skew.block(0, 0, n, n), skew.block(0, n, n, n), skew.block(n, n, n, n));
}

PoissonStructure PoissonStructure::from_symplectic_matrix(const Matrix& j) {
  const Matrix skew = checked_skew_part("J", j);
  if (skew.rows() % 2 != 0)
    throw StructureError(
        fmt::format("J must have an even size, as it acts on positions and momenta, not {0} x {0}", j.rows()));
  const SkewSchur schur = skew_schur(skew);
  if (const Spectrum range = spectrum_of(schur); range.degenerate())
    throw StructureError(
        fmt::format("J is singular: its |eigenvalues| {}, but B = -J^-1 needs J to be invertible", describe(range)));
  // With J = [[P, Q], [−Qᵀ, R]]: R = 0 exactly where E = 0, and P = 0 exactly where G = 0. In these cases A = Q⁻ᵀ, and the
  // other block follows by congruence, so that the zero block is zero to the last bit.
  const Index n = skew.rows() / 2;
  const Matrix P = skew.block(0, 0, n, n), Q = skew.block(0, n, n, n), R = skew.block(n, n, n, n);
  const bool e_is_zero = max_abs(R) == 0.0, g_is_zero = max_abs(P) == 0.0;
  if (const auto inverse_of_q = inverse(Q); inverse_of_q && (e_is_zero || g_is_zero)) {
    const Matrix A = inverse_of_q->transposed();
    return from_blocks(skew_part(-(A * R * A.transposed())), A, skew_part(-(A.transposed() * P * A)));
  }
  return from_poisson_matrix(negative_inverse(schur));
}

Matrix PoissonStructure::matrix() const {
  const Index n = dim();
  Matrix b(2 * n, 2 * n);
  b.set_block(0, 0, e_.matrix());
  b.set_block(0, n, a_.matrix());
  b.set_block(n, 0, -a_transposed_.matrix());
  b.set_block(n, n, g_.matrix());
  return b;
}

void PoissonStructure::apply(ConstBatch gradient, ConstBatch momentum, Field out) const {
  a_.multiply(momentum, out.dq);
  e_.add_product(gradient, out.dq);
  a_transposed_.multiply(gradient, out.dp);
  for (Index j = 0; j < dim(); ++j)
    std::transform(out.dp.row(j), out.dp.row(j) + out.dp.lanes(), out.dp.row(j), std::negate<>());
  g_.add_product(momentum, out.dp);
}

PoissonStructure PoissonStructure::reversed() const { return {e_.negated(), a_, g_.negated()}; }

PoissonStructure::Spectrum PoissonStructure::spectrum() const {
  const auto diagonal = diagonal_of(a_);
  if (!diagonal || !e_.is_zero() || !g_.is_zero()) return spectrum_of(skew_schur(matrix()));
  // ±i times the entries of A: no need to write out a matrix that may be huge.
  Spectrum range{.smallest = std::abs(diagonal->front()), .largest = 0.0};
  for (const double entry : *diagonal) {
    range.smallest = std::min(range.smallest, std::abs(entry));
    range.largest = std::max(range.largest, std::abs(entry));
  }
  return range;
}

}  // namespace darboux

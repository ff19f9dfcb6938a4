#pragma once

#include <cstddef>

#include "core/dispatch.hpp"

namespace darboux {

/// Rows of lanes: coordinate j of all chains is the run at data + j · stride.
template <class Number>
struct LaneRows {
  Number* data;
  std::size_t stride;
};

/// y = M x or y = base + M x for every lane, with M by rows, and diag(d) z more where there is a diagonal,
/// which is added to a base or, where that is null, to nothing. Lanes with dt = 0 get the base.
struct BatchProductTask {
  /// What lanes with dt < 0 are multiplied by: M as well, −M, or another matrix.
  enum class Backward { same, negated, other };

  const double* matrix;
  std::size_t to_other;  // how far behind its entries those of the other matrix are
  const double* dt;      // null: all go forward
  std::size_t rows, columns, lanes;
  LaneRows<const double> x, base;
  LaneRows<double> y;
  Backward backward;
  bool add;
  const double* diagonal = nullptr;
  LaneRows<const double> scaled{};  // z
};

/// out = x + (y − z).
struct DifferenceTask {
  LaneRows<const double> x, y, z;
  LaneRows<double> out;
  std::size_t rows, lanes;
};

/// y = −x in the lanes with a scale that is not 0, and not_finite[lane] = NaN where an x_j is not finite, or else 0.
struct NegateTask {
  LaneRows<const double> x;
  const double* scale;
  LaneRows<double> y;
  double* not_finite;
  std::size_t rows, lanes;
};

/// What happens to y in the lanes with a scale that is not 0; the others stay as they are.
struct LaneUpdateTask {
  LaneRows<const double> x;
  const double* scale;
  LaneRows<double> y;
  double factor;
  std::size_t rows, lanes;
};

/// out of every lane: Σ x_j², Σ x_j y_j and Σ y_j², each summed in the order of j.
struct DotProductsTask {
  LaneRows<const double> x, y;
  double *xx, *xy, *yy;
  std::size_t rows, lanes;
};

/// y = of_x[lane] x + of_y[lane] y in the lanes with a scale that is not 0; the others stay as they are.
struct CombinationTask {
  LaneRows<const double> x;
  const double *of_x, *of_y, *scale;
  LaneRows<double> y;
  std::size_t rows, lanes;
};

/// Two batches of pairs (q, p). In the lanes with dt ≠ 0 their sums stay and their differences (Δq, Δp) turn:
/// Δq ← cos θ Δq + sin θ Δp, Δp ← cos θ Δp − sin θ Δq, by −θ where dt < 0.
struct TurnTask {
  LaneRows<double> first_q, first_p, second_q, second_p;
  const double* dt;
  double cosine, sine;
  std::size_t rows, lanes;
};

/// out[lane] = max_j (|x_j − y_j| − tolerance · max(1, |y_j|)); NaN where a difference is not finite.
struct ExcessTask {
  LaneRows<const double> x, y;
  double tolerance;
  double* out;
  std::size_t rows, lanes;
};

/// What a lane's result is does not depend on its place, nor on the number of lanes.
DARBOUX_DECLARE_KERNEL(
    /// Each lane is summed over the columns in their order.
    void batch_product(const BatchProductTask& task); void add_difference(const DifferenceTask& task);
    void negate_where(const NegateTask& task);
    /// y += factor · scale[lane] · x
    void add_scaled(const LaneUpdateTask& task);
    /// y += factor · x
    void add_where(const LaneUpdateTask& task);
    /// y = factor · x
    void assign_where(const LaneUpdateTask& task); void dot_products(const DotProductsTask& task);
    void combine_where(const CombinationTask& task); void turn_difference(const TurnTask& task);
    void largest_excess(const ExcessTask& task);)

}  // namespace darboux

#pragma once

#include <span>

#include "darboux/linalg/matrix.hpp"

/// Products of a matrix with every lane of a batch. A lane's result is the same whatever its neighbours hold: each is
/// summed over the columns in their order.
namespace darboux {

/// y = M x. Neither y nor any part of it may overlap x.
void multiply(const Matrix& m, ConstBatch x, Batch y);

/// y += M x: the product is summed by itself and then added once. y must not overlap x.
void multiply_add(const Matrix& m, ConstBatch x, Batch y);

/// y = M x + diag(d) z, or that is added to y. y must not overlap x; it may be z.
void multiply_with_diagonal(const Matrix& m, ConstBatch x, std::span<const double> d, ConstBatch z, Batch y, bool add);

/// out = x + (y − z), in all lanes.
void add_difference(ConstBatch x, ConstBatch y, ConstBatch z, Batch out);

/// y += factor · scale[lane] · x in every lane with a non-zero scale; the other lanes are not touched, whatever x holds.
void add_scaled(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// y += factor · x in every lane with a non-zero scale; the other lanes are not touched.
void add_where(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// y = factor · x in every lane with a non-zero scale; the other lanes are not touched.
void assign_where(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// y = −x in every lane with a non-zero scale; the other lanes are not touched. not_finite[lane] is NaN where an x_j is not
/// finite, 0 elsewhere.
void negate_where(ConstBatch x, std::span<const double> scale, Batch y, std::span<double> not_finite);

/// Σ x_j², Σ x_j y_j and Σ y_j² of every lane.
void dot_products(ConstBatch x, ConstBatch y, std::span<double> xx, std::span<double> xy, std::span<double> yy);

/// y = of_x[lane] x + of_y[lane] y in every lane with a non-zero scale; the other lanes are not touched, whatever the factors are.
void combine_where(ConstBatch x, std::span<const double> of_x, std::span<const double> of_y,
                   std::span<const double> scale, Batch y);

/// first and second hold pairs (q, p), q above p. In the lanes with dt ≠ 0 the difference of the two turns by θ, or by −θ where
/// dt < 0, and their sum stays: Δq ← cos θ Δq + sin θ Δp, Δp ← cos θ Δp − sin θ Δq.
void turn_difference(Batch first, Batch second, std::span<const double> dt, double theta);

/// out[lane] = max_j (|x_j − y_j| − tolerance · max(1, |y_j|)): positive where x is not close to y. NaN where a difference is
/// not finite.
void largest_excess(ConstBatch x, ConstBatch y, double tolerance, std::span<double> out);

/// A matrix that depends on a signed step, at ε and at −ε: each lane is multiplied by the one of its direction.
class DirectedMatrix {
 public:
  DirectedMatrix() = default;
  DirectedMatrix(const Matrix& forward, const Matrix& backward);

  [[nodiscard]] Matrix forward() const { return half(0); }
  [[nodiscard]] Matrix backward() const { return half(both_.rows() / 2); }
  [[nodiscard]] bool empty() const noexcept { return both_.empty(); }

  /// y = M(sign of dt[lane]) x. Lanes with dt = 0 stay as they are.
  void multiply(ConstBatch x, std::span<const double> dt, Batch y) const;
  /// y += M(sign of dt[lane]) x.
  void multiply_add(ConstBatch x, std::span<const double> dt, Batch y) const { multiply_add(x, dt, y, y); }
  /// y = base + M(sign of dt[lane]) x. Lanes with dt = 0 get the base.
  void multiply_add(ConstBatch x, std::span<const double> dt, ConstBatch base, Batch y) const;

 private:
  [[nodiscard]] Matrix half(Index first_row) const;
  void run(ConstBatch x, std::span<const double> dt, ConstBatch base, Batch y, bool add) const;

  Matrix both_;          // forward above backward
  bool is_odd_ = false;  // M(−ε) = −M(ε): half of the work where directions are mixed
};

}  // namespace darboux

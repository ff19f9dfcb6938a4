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

/// y += factor · scale[lane] · x in every lane with a non-zero scale; the other lanes are not touched, whatever x holds.
void add_scaled(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// y += factor · x in every lane with a non-zero scale; the other lanes are not touched.
void add_where(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// y = factor · x in every lane with a non-zero scale; the other lanes are not touched.
void assign_where(ConstBatch x, std::span<const double> scale, Batch y, double factor = 1.0);

/// first and second hold pairs (q, p), q above p. In the lanes with dt ≠ 0 the difference of the two turns by θ, or by −θ where
/// dt < 0, and their sum stays: Δq ← cos θ Δq + sin θ Δp, Δp ← cos θ Δp − sin θ Δq.
void turn_difference(Batch first, Batch second, std::span<const double> dt, double theta);

/// out[lane] = max_j (|x_j| − tolerance · max(1, |y_j|)): positive where x is not small beside y. NaN where an x_j is not
/// finite.
void largest_excess(ConstBatch x, ConstBatch y, double tolerance, std::span<double> out);

/// A matrix that depends on a signed step, at ε and at −ε: each lane is multiplied by the one of its direction.
class DirectedMatrix {
 public:
  DirectedMatrix() = default;
  DirectedMatrix(Matrix forward, Matrix backward);

  [[nodiscard]] const Matrix& forward() const noexcept { return forward_; }
  [[nodiscard]] const Matrix& backward() const noexcept { return backward_; }
  [[nodiscard]] bool empty() const noexcept { return forward_.empty(); }

  /// y = M(sign of dt[lane]) x. Lanes with dt = 0 get an unspecified result.
  void multiply(ConstBatch x, std::span<const double> dt, Batch y) const;
  /// y += M(sign of dt[lane]) x.
  void multiply_add(ConstBatch x, std::span<const double> dt, Batch y) const;

 private:
  void run(ConstBatch x, std::span<const double> dt, Batch y, bool add) const;

  Matrix forward_, backward_;
  bool is_odd_ = false;  // M(−ε) = −M(ε): half of the work where directions are mixed
};

}  // namespace darboux

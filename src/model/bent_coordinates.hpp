#pragma once

#include <span>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/model/marginal_shape.hpp"
#include "scratch_batch.hpp"

namespace darboux {

/// x as a function of y, coordinate by coordinate and increasing: an exact change of variables, with
///     log density of y = log density of x + Σ log dx_i/dy_i.
/// Those that stay as they are (MarginalShape{}) cost nothing but a copy.
class BentCoordinates {
 public:
  BentCoordinates() = default;
  /// One shape for each of `dim` coordinates, or none at all. Throws InputError where there are others, or where a shape is not finite
  /// or not increasing.
  BentCoordinates(const std::vector<MarginalShape>& shapes, Index dim);

  [[nodiscard]] bool empty() const noexcept { return bent_.empty(); }
  [[nodiscard]] Index count() const noexcept { return std::ssize(bent_); }

  void to_straight(ConstBatch y, Batch x) const;
  void from_straight(Batch x) const;

  /// What is known of a block of points besides x.
  struct Derivatives {
    ScratchBatch slopes{}, bends{};       ///< dx/dy and d/dy log dx/dy of the bent ones
    LaneVector<double> sum_log_slopes{};  ///< Σ log dx_i/dy_i
  };
  /// With what is wanted of them.
  void to_straight(ConstBatch y, Batch x, Derivatives& out, bool gradient, bool value) const;
  /// The gradient of the log density of x becomes that of the one of y.
  void change_gradient(Derivatives& at, Batch gradient) const;
  /// The way back, of U = −log density at points y.
  void potential_gradient_to_straight(ConstBatch y, Batch gradient) const;

 private:
  struct Bent {
    Index row;
    MarginalShape shape;
  };
  std::vector<Bent> bent_;
};

/// y from x: y = sinh(δ asinh((x − a)/b) − ε).
[[nodiscard]] double bent_from_straight(const MarginalShape& shape, double x) noexcept;

}  // namespace darboux

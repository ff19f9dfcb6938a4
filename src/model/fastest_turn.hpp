#pragma once

#include <cstdint>

#include "darboux/model/model.hpp"

namespace darboux {

struct FastestTurn {
  double frequency = 0.0;  ///< 0 where nothing turns, or the model has no finite answer
  double typical = 0.0;    ///< that at the median point
  std::int64_t gradients = 0;
};
/// How fast the fastest direction turns around the given points, one for each lane: √λ, with λ the largest eigenvalue of the Hessian of
/// U = −log π at any of them, and at the median one. A few power steps find λ from below, by differences of gradients over `length`, the scale on which the
/// answer is to hold.
[[nodiscard]] FastestTurn fastest_turn(const Model& model, ConstBatch points, double length);

}  // namespace darboux

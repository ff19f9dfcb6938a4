#include "sample/jittered_trajectory.hpp"

#include <utility>

namespace darboux {

Mover JitteredTrajectory::mover(MoverParts parts) const {
  using Spread = StepCounts::Spread;
  return Lockstep(
      Kernel(std::move(parts.integrator), parts.kernel, parts.tuning.copy_spread),
      {.mean = parts.tuning.steps, .spread = length.steps ? Spread::none : Spread::sampling, .seed = parts.seed});
}

}  // namespace darboux

#include "sample/chees_trajectory.hpp"

#include <utility>

namespace darboux {

Mover CheesTrajectory::mover(MoverParts parts) const {
  using Spread = StepCounts::Spread;
  return Lockstep(
      Kernel(std::move(parts.integrator), parts.kernel, parts.tuning.copy_spread),
      {.mean = parts.tuning.steps, .spread = parts.looks_around ? Spread::wide : Spread::sampling, .seed = parts.seed});
}

}  // namespace darboux

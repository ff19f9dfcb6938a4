#include "sample/jittered_trajectory.hpp"

#include <utility>

namespace darboux {

Mover JitteredTrajectory::mover(MoverParts parts) const {
  using Spread = TrajectoryLengths::Spread;
  return lockstep(std::move(parts), length.steps ? Spread::none : Spread::sampling);
}

}  // namespace darboux

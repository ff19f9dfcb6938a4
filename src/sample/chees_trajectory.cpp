#include "sample/chees_trajectory.hpp"

#include <utility>

namespace darboux {

Mover CheesTrajectory::mover(MoverParts parts) const {
  using Spread = TrajectoryLengths::Spread;
  const Spread spread = parts.looks_around ? Spread::wide : Spread::sampling;
  return lockstep(std::move(parts), spread);
}

}  // namespace darboux

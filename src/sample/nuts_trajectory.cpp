#include "sample/nuts_trajectory.hpp"

#include <utility>

namespace darboux {

Mover NutsTrajectory::mover(MoverParts parts) const {
  return Nuts(std::move(parts.integrator), parts.structure, kernel_options(parts), max_depth);
}

}  // namespace darboux

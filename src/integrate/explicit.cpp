#include "integrate/explicit.hpp"

#include "canonical_state.hpp"

namespace darboux {

void Explicit::start(PhaseBlock& z, Potential& u, LaneSteps dt) {
  to_canonical(z, basis().F, dt, z.copies.first);
  combine(z.copies.first, z.offset, dt, -2.0, z.copies.second);
  splitting_.start(z, u, dt);
}

void Explicit::finish(PhaseBlock& z, LaneSteps dt) {
  half_difference(z, dt);
  from_canonical(z.copies.first, basis().B, dt, z);
}

}  // namespace darboux

#include "integrate/leapfrog.hpp"

namespace darboux {

Leapfrog::Leapfrog(const PoissonStructure& structure) : kick_(structure), drift_(structure) {
  require_zero_block("leapfrog", structure.E(), "E", "split-midpoint, midpoint or doubled");
  require_zero_block("leapfrog", structure.G(), "G", "magnetic-leapfrog");
}

void Leapfrog::start(PhaseBlock& z, Potential& u, LaneSteps dt) { u.ensure_gradient(z, dt); }

void Leapfrog::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  kick_(z, dt, 0.5);
  drift_(z, dt, 1.0);
  u.refresh_gradient(z, dt, with_value);
  kick_(z, dt, 0.5);
}

}  // namespace darboux

#include "integrate/magnetic_leapfrog.hpp"

namespace darboux {

MagneticLeapfrog::MagneticLeapfrog(const PoissonStructure& structure, double step_size)
    : kick_(structure), kinetic_(structure, step_size, 1.0) {
  require_zero_block("magnetic-leapfrog", structure.E(), "E", "split-midpoint, midpoint or doubled");
}

void MagneticLeapfrog::start(PhaseBlock& z, Potential& u, LaneSteps dt) { u.ensure_gradient(z, dt); }

void MagneticLeapfrog::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  kick_(z, dt, 0.5);
  kinetic_(z, dt);
  u.refresh_gradient(z, dt, with_value);
  kick_(z, dt, 0.5);
}

}  // namespace darboux

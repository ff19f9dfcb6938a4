#include "integrate/magnetic_leapfrog.hpp"

namespace darboux {

MagneticLeapfrog::MagneticLeapfrog(const PoissonStructure& structure, double step_size, int stages)
    : splitting_(&Splitting::of(stages)), kick_(structure) {
  require_zero_block("magnetic-leapfrog", structure.E(), "E", "split-midpoint, midpoint or doubled");
  for (const double fraction : first_half(splitting_->inner)) kinetic_.emplace_back(structure, step_size, fraction);
}

void MagneticLeapfrog::start(PhaseBlock& z, Potential& u, LaneSteps dt) { u.ensure_gradient(z, dt); }

void MagneticLeapfrog::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  const auto& [kicks, drifts] = *splitting_;
  kick_(z, dt, kicks[0]);
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    kinetic_[mirrored(i, drifts)](z, dt);
    u.refresh_gradient(z, dt, with_value && i + 1 == drifts.size());
    kick_(z, dt, kicks[i + 1]);
  }
}

}  // namespace darboux

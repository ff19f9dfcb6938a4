#include "integrate/leapfrog.hpp"

namespace darboux {

Leapfrog::Leapfrog(const PoissonStructure& structure, int stages)
    : splitting_(&Splitting::of(stages)), kick_(structure), drift_(structure) {
  require_zero_block("leapfrog", structure.E(), "E", "split-midpoint, midpoint or doubled");
  require_zero_block("leapfrog", structure.G(), "G", "magnetic-leapfrog");
}

void Leapfrog::start(PhaseBlock& z, Potential& u, LaneSteps dt) { u.ensure_gradient(z, dt); }

void Leapfrog::step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
  const auto& [kicks, drifts] = *splitting_;
  kick_(z, dt, kicks[0]);
  for (std::size_t i = 0; i < drifts.size(); ++i) {
    drift_(z, dt, drifts[i]);
    u.refresh_gradient(z, dt, with_value && i + 1 == drifts.size());
    kick_(z, dt, kicks[i + 1]);
  }
}

}  // namespace darboux

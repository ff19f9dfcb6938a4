#pragma once

#include "integrate/flows.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Leapfrog for structures with E = 0: half kick, exact kinetic flow (which turns p with G), half kick,
///
///     p −= dt/2 Aᵀ∇U(q),   q += D p and p = R p,   p −= dt/2 Aᵀ∇U(q).
class MagneticLeapfrog {
 public:
  MagneticLeapfrog(const PoissonStructure& structure, double step_size);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "magnetic-leapfrog",
            .gradients_per_step = 1,
            .extra_gradients = 1,
            .keeps_gradient = true,
            .accepts_any_field = true};
  }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  /// z.gradient is current on entry and on exit, and z.potential on exit where the value is wanted.
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  KickFlow kick_;
  KineticFlow kinetic_;
};
static_assert(IntegratorStep<MagneticLeapfrog>);

}  // namespace darboux

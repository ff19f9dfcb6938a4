#pragma once

#include <vector>

#include "integrate/flows.hpp"
#include "integrate/splitting.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Leapfrog for structures with E = 0: half kick, exact kinetic flow (which turns p with G), half kick,
///
///     p −= dt/2 Aᵀ∇U(q),   q += D p and p = R p,   p −= dt/2 Aᵀ∇U(q),
///
/// or both by turns in more stages.
class MagneticLeapfrog {
 public:
  MagneticLeapfrog(const PoissonStructure& structure, double step_size, int stages = 1);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "magnetic-leapfrog",
            .gradients_per_step = splitting_->stages(),
            .extra_gradients = 1,
            .keeps_gradient = true,
            .accepts_any_field = true};
  }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  /// z.gradient is current on entry and on exit, and z.potential on exit where the value is wanted.
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  const Splitting* splitting_;
  KickFlow kick_;
  std::vector<KineticFlow> kinetic_;  // of the first half of the stages
};
static_assert(IntegratorStep<MagneticLeapfrog>);

}  // namespace darboux

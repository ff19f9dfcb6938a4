#pragma once

#include "integrate/flows.hpp"
#include "integrate/splitting.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Leapfrog for structures with E = G = 0: half kick, drift, half kick,
///
///     p −= dt/2 Aᵀ∇U(q),   q += dt A p,   p −= dt/2 Aᵀ∇U(q),
///
/// or kicks and drifts by turns in more stages.
class Leapfrog {
 public:
  explicit Leapfrog(const PoissonStructure& structure, int stages = 1);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "leapfrog",
            .gradients_per_step = splitting_->stages(),
            .extra_gradients = 1,
            .keeps_gradient = true,
            .accepts_any_field = true,
            .takes_any_step_size = true};
  }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  /// z.gradient is current on entry and on exit, and z.potential on exit where the value is wanted.
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  const Splitting* splitting_;
  KickFlow kick_;
  DriftFlow drift_;
};
static_assert(IntegratorStep<Leapfrog>);

}  // namespace darboux

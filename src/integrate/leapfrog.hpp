#pragma once

#include "integrate/flows.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Leapfrog for structures with E = G = 0: half kick, drift, half kick,
///
///     p −= dt/2 Aᵀ∇U(q),   q += dt A p,   p −= dt/2 Aᵀ∇U(q).
class Leapfrog {
 public:
  explicit Leapfrog(const PoissonStructure& structure);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "leapfrog",
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
  DriftFlow drift_;
};
static_assert(IntegratorStep<Leapfrog>);

}  // namespace darboux

#pragma once

#include "darboux/structure/poisson_structure.hpp"
#include "integrate/splitting.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Microcanonical motion in d ≥ 2 dimensions (Robnik, Cohn-Gordon and Seljak 2025): the momentum keeps its length √d, which normal
/// ones have about, and the gradient only turns it,
///
///     q̇ = p,   ṗ = −d/(d − 1) · (I − p pᵀ/d) ∇U(q).
///
/// Phase space is R^d times a sphere, and the structure depends on p. Volumes change, at the rate p·∇U: what is conserved is
/// U + K, where the work K is minus the logarithm of the growth of volume, and proposals are accepted with e^{−ΔU−ΔK}. The exact
/// flow of a constant gradient g over a time t is, with u = p/√d, e = −g/|g| and δ = t √d |g|/(d − 1),
///
///     u ← [u + e (sinh δ + (e·u)(cosh δ − 1))]/Z,   K += (d − 1) log Z,   Z = cosh δ + (e·u) sinh δ;
///
/// this is the kick, and q += t p the drift, of a symmetric splitting.
class Isokinetic {
 public:
  /// Throws StructureError unless the structure is canonical, InputError in one dimension, where nothing can turn.
  Isokinetic(const PoissonStructure& structure, int stages);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "leapfrog",
            .motion = MotionKind::microcanonical,
            .gradients_per_step = splitting_->stages(),
            .extra_gradients = 1,
            .keeps_gradient = true,
            .accepts_any_field = true,
            .takes_any_step_size = true};
  }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt) const;
  /// z.gradient is current on entry and on exit, and z.potential on exit where the value is wanted.
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  void kick(PhaseBlock& z, LaneSteps dt, double fraction);

  const Splitting* splitting_;
  LaneVector<double> gg_, gp_, pp_;  // squares and product of gradient and momentum
  LaneVector<double> of_g_, of_p_;   // what a kick takes of each
};
static_assert(IntegratorStep<Isokinetic>);

/// Gives the momentum of a lane the length √d, whatever its direction.
void fix_speed(PhaseBlock& z, Index lane);

}  // namespace darboux

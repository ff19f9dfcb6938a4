#pragma once

#include "integrate/copy_splitting.hpp"

namespace darboux {

/// The explicit integrator of Brofos and Lederman (after Tao), for invertible structures: both copies start at z̃ = F z, the
/// steps of CopySplitting follow, and z = B z̃ is read off the first copy.
///
/// APPROXIMATE. The step is symmetric on the two copies together, but starting with equal copies and forgetting the second
/// one is not reversible, and no acceptance rule on (q, p) repairs that. The bias vanishes with the step size.
///
/// PhaseBlock::offset, δ̃ = (z̃ − w̃)/2, holds where the copies start and end: zero on entry is the paper's method.
class Explicit {
 public:
  Explicit(const PoissonStructure& structure, double step_size, const CopyOptions& options)
      : splitting_(structure, step_size, options) {}
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {.name = "explicit",
            .exactness = Exactness::approximate,
            .doubled_space = true,
            .gradients_per_step = splitting_.gradients_per_step(),
            .extra_gradients = 1};
  }
  [[nodiscard]] const DarbouxBasis& basis() const noexcept { return splitting_.basis(); }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt);
  void step(PhaseBlock& z, Potential& u, LaneSteps dt) { splitting_.step(z, u, dt); }
  void finish(PhaseBlock& z, LaneSteps dt);

 private:
  CopySplitting splitting_;
};
static_assert(IntegratorStep<Explicit>);

}  // namespace darboux

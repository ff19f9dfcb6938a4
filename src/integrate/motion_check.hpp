#pragma once

#include "integrate/integrator.hpp"

namespace darboux {

/// How well an integrator follows the motion: what a block of chains showed on the way out and back.
struct MotionCheck {
  double energy_error = 0.0;  ///< root mean square of ΔH over the chains that arrived
  double return_error = 0.0;  ///< largest |q back − q| / max(1, |q|), and the same of p
  double gradients = 0.0;     ///< per step and chain, of the way out
  Index failed = 0;  ///< chains that did not arrive, or whose way back failed: a sampler would have rejected them
};

struct MotionOptions {
  int steps = 10;
  double copy_spread = 0.2;  ///< σ in the energy of `doubled`
};

/// `steps` steps forward from `start` and the same back. `doubled` takes its copies' offset from the block; `explicit`
/// starts each way with equal copies, as it does when sampling, and so does not come back.
[[nodiscard]] MotionCheck check_motion(Integrator& integrator, Potential& u, const PhaseBlock& start,
                                       const MotionOptions& options = {});

}  // namespace darboux

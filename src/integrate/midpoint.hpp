#pragma once

#include "integrate/implicit_solver.hpp"
#include "integrate/reverse_check.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// The implicit midpoint rule z' = z + dt 𝔹 ∇H((z + z')/2), for any structure, singular ones too. With h = dt/2 and the
/// midpoint (q_m, p_m), the momentum is linear and eliminated exactly,
///
///     p_m = W (p − h Aᵀ∇U(q_m)),   W = (I − hG)⁻¹,
///
/// which leaves n unknowns instead of 2n:
///
///     q_m = c + K ∇U(q_m),   c = q + h A W p,   K = hE − h² A W Aᵀ.
///
/// Metric Newton on this equation takes the same steps as on all 2n unknowns with the Jacobian I − h 𝔹 diag(H₀, I).
class Midpoint {
 public:
  Midpoint(const PoissonStructure& structure, double step_size, const SolverOptions& options);
  [[nodiscard]] IntegratorTraits traits() const noexcept {
    return {
        .name = "midpoint", .exactness = Exactness::with_reverse_check, .is_explicit = false, .gradients_per_step = 1};
  }

  void start(PhaseBlock&, Potential&, LaneSteps) {}
  void step(PhaseBlock& z, Potential& u, LaneSteps dt);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  PoissonStructure structure_;
  DirectedMatrix w_, haw_;  // W and h A W
  ImplicitSolver solver_;
  ReverseCheck reverse_check_;
  OwnedBatch c_, q_mid_, p_mid_, gradient_, dq_, dp_;
};
static_assert(IntegratorStep<Midpoint>);

}  // namespace darboux

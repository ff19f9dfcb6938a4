#pragma once

#include <concepts>
#include <string_view>

#include "darboux/structure/poisson_structure.hpp"
#include "integrate/phase_block.hpp"
#include "integrate/potential.hpp"

namespace darboux {

/// Whether a Metropolis step on top of an integrator leaves the target invariant.
enum class Exactness {
  exact,
  with_reverse_check,  ///< exact as long as every implicit solve is also checked backward
  approximate          ///< no acceptance rule repairs it
};

/// What an integrator claims about itself. The property tests hold every integrator to its claims.
struct IntegratorTraits {
  std::string_view name;
  MotionKind motion = MotionKind::hamiltonian;  ///< what its momenta are, and what it conserves
  Exactness exactness = Exactness::exact;
  int order = 2;
  bool is_explicit = true;         ///< no equation is solved iteratively
  bool doubled_space = false;      ///< symmetric and symplectic on two copies of phase space, by a Darboux basis
  bool random_offset = false;      ///< the copies start apart by a random δ̃ (PhaseBlock::offset), part of the energy
  int gradients_per_step = 0;      ///< evaluations of an N-step trajectory: gradients_per_step · N + extra_gradients;
  int extra_gradients = 0;         ///<   both are only lower bounds where is_explicit is false
  bool keeps_gradient = false;     ///< ends with ∇U(q) in PhaseBlock::gradient, and begins with it where it is current
  bool accepts_any_field = false;  ///< stays exact with any deterministic g(q) in place of ∇U
  bool takes_any_step_size =
      false;  ///< nothing is computed beforehand for one step size: see Integrator::use_step_size
};

/// A step that ends with a gradient, and so with a value at little more cost, takes whether that is wanted.
template <class T>
concept StepWithValue = requires(T step, PhaseBlock& z, Potential& u, LaneSteps dt) { step.step(z, u, dt, true); };

/// One step of a symmetric method. `start` prepares a trajectory from z.q and z.p, `finish` writes them back; both are cheap
/// or empty where the method works on (q, p) directly. The absolute value of each non-zero step must be the step size that
/// the integrator was made for: matrices that depend on it are computed once.
template <class T>
concept IntegratorStep = requires(T step, const T& const_step, PhaseBlock& z, Potential& u, LaneSteps dt) {
  { const_step.traits() } -> std::same_as<IntegratorTraits>;
  step.start(z, u, dt);
  step.finish(z, dt);
} && (StepWithValue<T> || requires(T step, PhaseBlock& z, Potential& u, LaneSteps dt) { step.step(z, u, dt); });

/// Throws StructureError unless the block is zero, saying which integrator needs that and which ones do not.
void require_zero_block(std::string_view integrator, const StructuredMatrix& block, std::string_view block_name,
                        std::string_view alternatives);

}  // namespace darboux

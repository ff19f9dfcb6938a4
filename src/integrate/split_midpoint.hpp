#pragma once

#include <optional>
#include <vector>

#include "integrate/flows.hpp"
#include "integrate/implicit_solver.hpp"
#include "integrate/reverse_check.hpp"
#include "integrate/splitting.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// Split midpoint, for any structure: half of the exact kinetic flow, the potential flow by the midpoint rule, the other
/// half of the kinetic flow. The potential flow solves for the n unknowns q_m only,
///
///     q_m = q + (dt/2) E ∇U(q_m),   g = ∇U(q_m),   q += dt E g,   p −= dt Aᵀ g.
///
/// The midpoint rule applied to U with a constant structure is a Poisson map, so the composition is symplectic, symmetric
/// and of second order. With E = 0 there is nothing to solve: drift, kick, drift with one gradient per step. In more stages
/// both flows follow each other by turns, the kinetic one first and last.
class SplitMidpoint {
 public:
  SplitMidpoint(const PoissonStructure& structure, double step_size, const SolverOptions& options, int stages = 1);
  [[nodiscard]] IntegratorTraits traits() const noexcept;

  void start(PhaseBlock&, Potential&, LaneSteps) {}
  void step(PhaseBlock& z, Potential& u, LaneSteps dt);
  void finish(PhaseBlock&, LaneSteps) {}

 private:
  /// The potential flow over a fraction of the step.
  struct PotentialFlow {
    double fraction;
    std::optional<ImplicitSolver> solver;  // with K = (fraction dt/2) E; nothing when E = 0
    DirectedMatrix whole;                  // fraction dt E
  };
  void flow(PotentialFlow& potential, PhaseBlock& z, Potential& u, LaneSteps dt);

  const Splitting* splitting_;
  StructuredMatrix a_transposed_;
  std::vector<KineticFlow> kinetic_;      // of the first half of the palindrome
  std::vector<PotentialFlow> potential_;  // likewise
  ReverseCheck reverse_check_;
  OwnedBatch midpoint_, gradient_, product_;
};
static_assert(IntegratorStep<SplitMidpoint>);

}  // namespace darboux

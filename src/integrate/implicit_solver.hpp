#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "integrate/phase_block.hpp"
#include "integrate/potential.hpp"
#include "linalg/batch_product.hpp"

namespace darboux {

enum class SolverMethod {
  fixed_point,   ///< q ← c + K ∇U(q); converges only while ‖K ∇²U‖ < 1
  metric_newton  ///< Newton's method with a fixed guess H₀ of the Hessian: q ← q + (I − K H₀)⁻¹ (c + K ∇U(q) − q)
};
template <>
inline constexpr auto names_of<SolverMethod> = std::to_array<Named<SolverMethod>>(
    {{SolverMethod::fixed_point, "fixed-point"}, {SolverMethod::metric_newton, "metric-newton"}});

struct SolverOptions {
  SolverMethod method = SolverMethod::metric_newton;
  double tolerance = 1e-10;  ///< of the last update, in the maximum norm; relative where |q_j| > 1
  int max_iterations = 100;
  /// A converged solve is not enough for an exact sampler: the reverse solve must lead back to the start within this distance.
  /// Whether that is checked is PhaseBlock::check_reverse, which the kernel sets at its rate.
  double reverse_threshold = 1e-6;
  Matrix precision;  ///< H₀, n × n; empty: the identity, right for whitened coordinates
};

/// Throws InputError naming the option, its value and the rule. The reverse threshold must be at least 100 times the
/// tolerance: the error of a solve that did converge must not look like irreversibility.
void validate(const SolverOptions& options, Index dim);

/// Solves q = c + K ∇U(q) for many lanes at once. Both implicit integrators come down to this equation; K depends on the
/// step, so there is one for each direction. A lane stops when its own update is small; it is then left alone while others
/// go on, so that a lane's result never depends on its neighbours. Where Potential has rough gradients, a lane begins with
/// them and goes on with full ones as soon as they lead no further: what counts as converged is always a full one's update.
class ImplicitSolver {
 public:
  ImplicitSolver(const DirectedMatrix& k, const SolverOptions& options);

  struct Problem {
    ConstBatch c;
    Batch q;         ///< first guess on entry, the root on exit
    Batch gradient;  ///< ∇U at the last point evaluated, within a tolerance of the root
    std::span<Status> status;
    std::span<std::int64_t> iterations;  ///< added to
  };
  /// A lane that does not converge gets Status::not_converged.
  void solve(const Problem& problem, LaneSteps dt, Potential& u);

 private:
  void evaluate(const Problem& problem, Potential& u);
  void find_next(const Problem& problem);

  SolverMethod method_;
  Matrix precision_;     // H₀; empty: the identity
  DirectedMatrix gain_;  // (I − K H₀)⁻¹ K, or K for the fixed point
  double tolerance_;
  int max_iterations_;
  OwnedBatch force_, next_;
  LaneVector<double> excess_;   // of the last update over what is tolerated, lane by lane
  LaneVector<double> pending_;  // the steps of the lanes still iterating, 0 for the others
  LaneVector<double> rough_;    // of these, the steps of the lanes that still use rough gradients
  LaneVector<double> exact_;    // and of those that do not any more
  LaneVector<double> last_excess_;
};

}  // namespace darboux

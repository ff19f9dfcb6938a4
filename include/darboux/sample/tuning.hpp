#pragma once

// What warm-up finds out about a model, as a value that a later run can be given.

#include <vector>

#include "darboux/core/choices.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/marginal_shape.hpp"

namespace darboux {

/// All that warm-up finds out: given back to a later run, it makes warm-up unnecessary. While a run goes on it alone says what
/// step size, number of steps, σ, θ and all the others are.
struct Tuning {
  double step_size = 0.1;
  double steps = 10.0;         ///< mean number of steps of a trajectory; not used by NUTS
  std::vector<double> center;  ///< μ of the preconditioner q = μ + L x; empty: 0
  StructuredMatrix factor;     ///< L; empty: the identity
  Index metric_draws = 0;      ///< that L was estimated from
  double copy_spread = 0.2;    ///< σ of `doubled`
  double binding_angle = 0.5;  ///< θ of `doubled`
  int stages = 1;              ///< kicks of a step; see SampleOptions
  double step_spread = 0.0;    ///< step sizes vary by so much around the one above; 0: numbers of steps vary instead
  double momentum_kept = 0.0;  ///< α in p ← α p + √(1 − α²) ξ before each trajectory
  MotionKind motion = MotionKind::hamiltonian;
  /// Of the coordinates x, one by one; empty: they stay as they are.
  std::vector<MarginalShape> shapes{};  // NOLINT(readability-redundant-member-init): may be left out

  bool operator==(const Tuning&) const = default;
};

}  // namespace darboux

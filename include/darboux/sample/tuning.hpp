#pragma once

// What warm-up finds out about a model, as a value that a later run can be given.

#include <vector>

#include "darboux/linalg/structured_matrix.hpp"

namespace darboux {

/// All that warm-up finds out: given back to a later run, it makes warm-up unnecessary. While a run goes on it alone says what
/// step size, number of steps, σ and θ are.
struct Tuning {
  double step_size = 0.1;
  double steps = 10.0;         ///< mean number of steps of a trajectory; not used by NUTS
  std::vector<double> center;  ///< μ of the preconditioner q = μ + L x; empty: 0
  StructuredMatrix factor;     ///< L; empty: the identity
  Index metric_draws = 0;      ///< that L was estimated from
  double copy_spread = 0.2;    ///< σ of `doubled`
  double binding_angle = 0.5;  ///< θ of `doubled`

  bool operator==(const Tuning&) const = default;
};

}  // namespace darboux

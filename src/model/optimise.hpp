#pragma once

#include <optional>
#include <span>
#include <vector>

#include "darboux/linalg/matrix.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

struct ClimbOptions {
  int most_steps = 500;
  int memory = 8;            ///< steps whose curvature is remembered
  double tolerance = 1e-10;  ///< converged when the next step promises to gain less than this in log density
};

/// Where a search for the highest log density ended.
struct Summit {
  std::vector<double> q;
  double log_density = 0.0;  ///< −∞ if the search could not start: the log density is not finite there
  bool converged = false;
  int gradients = 0;  ///< how many it took
};

/// Climbs from every lane of `starts` by L-BFGS with a line search for the weak Wolfe conditions, all lanes in step, each on
/// its own. Points that the model refuses count as too far.
[[nodiscard]] std::vector<Summit> climb(const Model& model, ConstBatch starts, const ClimbOptions& options = {});

/// The best of many: short climbs from all starts, then the best three of those to their end. Throws Error if no start has
/// a finite log density.
[[nodiscard]] Summit best_climb(const Model& model, ConstBatch starts);

/// Minus the second derivatives of the log density, by differences of its gradient. Nothing if the model refuses a point
/// that this needs.
[[nodiscard]] std::optional<Matrix> negative_hessian(const Model& model, std::span<const double> q);

}  // namespace darboux

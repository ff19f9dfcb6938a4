#pragma once

#include <functional>
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

/// A point that a climb reached, its start among them.
struct Waypoint {
  std::vector<double> q;
  std::vector<double> gradient;
  double log_density = 0.0;
};

/// What the way from one point to the next says about the curvature: (negative Hessian) s ≈ y.
struct CurvaturePair {
  std::vector<double> s, y;      ///< the step, and how much it lowered the gradient
  double inverse_product = 0.0;  ///< 1/(s·y) > 0
};
/// Nothing where the log density is not concave along the step.
[[nodiscard]] std::optional<CurvaturePair> curvature_between(const Waypoint& from, const Waypoint& to);

/// Is told of every waypoint of every lane's climb, in the order in which it is reached.
using ClimbObserver = std::function<void(Index lane, const Waypoint& reached)>;

/// Climbs from every lane of `starts` by L-BFGS with a line search for the weak Wolfe conditions, all lanes in step, each on
/// its own. Points that the model refuses count as too far.
[[nodiscard]] std::vector<Summit> climb(const Model& model, ConstBatch starts, const ClimbOptions& options = {},
                                        const ClimbObserver& observe = {});

/// The best of many: short climbs from all starts, then the best three of those to their end, with the gradients that all of
/// them took. Throws Error if no start has a finite log density.
[[nodiscard]] Summit best_climb(const Model& model, ConstBatch starts);

/// Minus the second derivatives of the log density, by differences of its gradient. Nothing if the model refuses a point
/// that this needs.
[[nodiscard]] std::optional<Matrix> negative_hessian(const Model& model, std::span<const double> q);
/// How many gradients that takes.
[[nodiscard]] constexpr Index hessian_gradients(Index dim) noexcept { return 4 * dim; }

}  // namespace darboux

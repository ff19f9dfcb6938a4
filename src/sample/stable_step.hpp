#pragma once

#include <functional>
#include <vector>

#include "integrate/integrator.hpp"

namespace darboux {

struct StableStep {
  double step_size = 0.0;      ///< the one that was asked about, or the longest one below that is stable
  std::int64_t gradients = 0;  ///< that finding it took
};
/// How long steps may be beside a point on any structure, where no formula has it: small displacements move by U = ½ qᵀHq with the Hessian
/// H of −log π at the point, by differences of gradients over `length`, and a step is stable where their U stays within what they
/// began with. (Where H has negative eigenvalues U falls on the way down, and never grows. On some
/// structures longer steps are stable again.)
[[nodiscard]] StableStep longest_stable_step(const Model& model, std::vector<double> point, double length,
                                             double step_size, const std::function<Integrator(double)>& integrator);

}  // namespace darboux

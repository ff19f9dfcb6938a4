#pragma once

#include "experiment.hpp"

/// What the paper does not have. Each part is a small experiment of its own, and its tables have names of their own.
namespace darboux::experiments {

/// How far off explicit and doubled steps are, and what being right costs.
[[nodiscard]] Experiment bias_part(const Scale& scale);
/// Norms of Darboux bases against dimension.
[[nodiscard]] Experiment basis_part(const Scale& scale);
/// Gradients that implicit steps take, by fixed point and by metric Newton.
[[nodiscard]] Experiment solver_part(const Scale& scale);
/// Every method at its own best settings, in whitened coordinates.
[[nodiscard]] Experiment fair_part(const Scale& scale);
/// Where structure pays: on which kinds of targets which way to move gives more per gradient than canonical leapfrog.
[[nodiscard]] Experiment map_part(const Scale& scale);

}  // namespace darboux::experiments

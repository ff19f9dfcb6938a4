#pragma once

#include <filesystem>

#include "darboux/sample/tuning.hpp"

namespace darboux {

/// A tuning as JSON, every bit kept: {"schema": "darboux-tuning/1", "step_size": …, "steps": …, "center": […],
/// "metric": "dense", "metric_draws": …,
/// "factor": "identity" | {"diagonal": […]} | {"scales": […], "directions": [[…], …], "stretches": […]} | [[…], …], "copy_spread": …, "binding_angle": …}.
void write_tuning(const Tuning& tuning, const std::filesystem::path& file);

/// Throws InputError naming file, field and rule, also where the tuning is for another dimension.
[[nodiscard]] Tuning read_tuning(const std::filesystem::path& file, Index dim);

}  // namespace darboux

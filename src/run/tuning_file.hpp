#pragma once

#include <filesystem>
#include <string>

#include "darboux/sample/tuning.hpp"

namespace darboux {

/// What a tuning was found for: it is of no use to another posterior.
struct TunedModel {
  std::string name;
  Index dim = 0;
};

/// A tuning as JSON, every bit kept: {"schema": "darboux-tuning/1", "model": …, "dimension": …, "step_size": …, "steps": …, "center": […],
/// "metric": "dense", "metric_draws": …, "factor": "identity" | {"diagonal": […]} | {"scales": […], "directions": [[…], …],
/// "stretches": […]} | [[…], …], "copy_spread": …, "binding_angle": …}.
void write_tuning(const Tuning& tuning, const TunedModel& model, const std::filesystem::path& file);
[[nodiscard]] std::string tuning_text(const Tuning& tuning, const TunedModel& model);

/// Throws InputError naming file, field and rule, also where the tuning is for another model or dimension. Earlier versions
/// wrote neither, and only the sizes of its arrays tell.
[[nodiscard]] Tuning read_tuning(const std::filesystem::path& file, const TunedModel& model);
/// The same from memory; `name` is what messages call it.
[[nodiscard]] Tuning parse_tuning(const std::string& text, std::string name, const TunedModel& model);

}  // namespace darboux

#pragma once

#include <filesystem>

#include "report/run_summary.hpp"

namespace darboux::cli {

/// The dimension of the model is the tuning's; of a run without one, the number of its parameters.
[[nodiscard]] Index dimension_of(const std::filesystem::path& run, const RunInput& input);

}  // namespace darboux::cli

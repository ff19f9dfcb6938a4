#pragma once

#include <filesystem>
#include <span>

#include "report/run_summary.hpp"

namespace darboux {

/// Opens what paths stand for: run directories (with their manifests and statistics), other directories with Stan CSV files,
/// and such files, all of them together as the chains of one model. In a directory without a manifest, tables that are no Stan
/// CSV are passed over. Throws InputError, saying what to do next, for what is missing, or where no file of draws is left.
[[nodiscard]] RunInput open_runs(std::span<const std::filesystem::path> paths);

}  // namespace darboux

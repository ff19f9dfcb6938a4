#pragma once

#include <filesystem>

#include "draws/run_manifest.hpp"
#include "report/run_summary.hpp"

namespace darboux {

/// Of the files that a manifest lists, in the folder of the run.
[[nodiscard]] RunSummary summarise_files(const std::filesystem::path& folder, const RunManifest& manifest, int threads);
/// The worst of all quantities, for a first look at the manifest, and what is to be warned of.
void add_extremes(const RunSummary& summary, RunManifest& manifest);

}  // namespace darboux

#pragma once

#include <filesystem>
#include <span>

#include "draws/run_manifest.hpp"
#include "report/run_summary.hpp"

namespace darboux {

struct MergedRun {
  RunManifest manifest;
  RunSummary summary;
};

/// Puts the parts of a run (--chain-ids) together in a folder that did not exist before: the files of their chains, which keep their
/// ids, one manifest, and a summary over all. Throws InputError, before anything is written, unless the parts are complete, were told
/// the same, of inputs with the same checksums, have the same tuning and as many draws of each chain, and no chain is there twice.
///
/// Gradients and processor time add up; seconds are those of the part that took longest, as if all had run at the same time. Warnings
/// are those of all chains together.
[[nodiscard]] MergedRun merge_runs(std::span<const std::filesystem::path> parts, const std::filesystem::path& out,
                                   int threads = 0);

}  // namespace darboux

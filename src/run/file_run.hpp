#pragma once

#include <atomic>
#include <functional>

#include "draws/run_manifest.hpp"
#include "report/run_summary.hpp"
#include "run/run_config.hpp"

namespace darboux {

struct FileRun {
  RunManifest manifest;
  RunSummary summary;  ///< empty where the run was interrupted
};

/// A whole run, from configuration to files: plan, sample, stream draws to the folder config.out, summarise, and leave a manifest
/// (run.json) and the tuning (tuning.json) beside the draws. Bad input throws InputError and leaves nothing behind. When `stop`
/// becomes true, or the model throws (which passes through), what was drawn until then stays, complete and readable, and the
/// manifest says what happened. `on_draw` sees every draw, thinned or not, possibly from several threads at once.
[[nodiscard]] FileRun run_to_files(const RunConfig& config, const RunPlan& plan, const Sampler::OnDraw& on_draw,
                                   const std::atomic<bool>* stop);

}  // namespace darboux

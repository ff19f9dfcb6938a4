#pragma once

#include "darboux/run/sample.hpp"
#include "draws/run_manifest.hpp"
#include "report/run_summary.hpp"
#include "run/run_config.hpp"

namespace darboux {

struct FileRun {
  RunManifest manifest;
  SampleResult result;
  RunSummary summary;  ///< empty where the run was interrupted
};

/// A whole run, from plan to files: sample, stream draws to the folder config.out, summarise, and leave a manifest (run.json) and
/// the tuning (tuning.json) beside the draws. Bad input throws InputError and leaves nothing behind. When `watch.stop` becomes
/// true, or the model throws (which passes through), what was drawn until then stays, complete and readable, and the manifest
/// says what happened. `watch.sink` sees every draw, thinned or not.
[[nodiscard]] FileRun run_to_files(const RunPlan& plan, const SampleWatch& watch = {});

}  // namespace darboux

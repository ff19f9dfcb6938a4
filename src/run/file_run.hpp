#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/group.hpp"
#include "darboux/run/sample.hpp"
#include "draws/run_manifest.hpp"
#include "report/run_summary.hpp"
#include "run/checkpoint_file.hpp"
#include "run/run_config.hpp"

namespace darboux {

/// Who else sees a run, and who draws it.
struct RunWatch {
  DrawSink* sink = nullptr;                 ///< see SampleWatch
  const std::atomic<bool>* stop = nullptr;  ///< likewise; of any process
  /// The processes that draw it together, each the same plan. A process writes the files of its chains, and the first one all others; it
  /// sees the draws of its chains, and has all of the result and of the manifest but what is made of the files, which the first one has.
  /// Where one fails all throw: the others PeerFailure.
  Group* group = &alone();
  std::function<void(std::int64_t)> divergences{};  ///< see RunControl
};

struct FileRun {
  RunManifest manifest;
  SampleResult result;
  RunSummary summary;  ///< empty where the run was interrupted
};

/// A whole run, from plan to files: sample, stream draws to the folder config.out, summarise, and leave a manifest (run.json) and
/// the tuning (tuning.json) beside the draws. Bad input throws InputError and leaves nothing behind. When `watch.stop` becomes
/// true, or the model throws (which passes through), what was drawn until then stays, complete and readable, and the manifest
/// says what happened. `watch.sink` sees every draw, thinned or not.
///
/// Every few seconds, and where it is stopped, it leaves a checkpoint (checkpoint_file.hpp).
[[nodiscard]] FileRun run_to_files(const RunPlan& plan, const RunWatch& watch = {});

/// Those that draw it together, or have its rows.
[[nodiscard]] inline Group& processes_of(const RunPlan& plan, Group& group) {
  return plan.rows->is_alone() ? group : *plan.rows;
}
/// What follows on why a run over several processes has failed.
[[nodiscard]] std::string how_to_go_on(const std::string& folder);

/// What there is of a run that is gone on with.
struct EarlierRun {
  std::string started;
  std::optional<Checkpoint> checkpoint;  ///< where there is none, all is drawn again, the same as before
  std::vector<std::string> warnings;     ///< for the manifest
  int draws = 0;                         ///< of each chain, of which none may get lost
};
/// The rest of a run, in its folder: to files that are the same, to the last byte of all rows, as if it had never been stopped.
[[nodiscard]] FileRun go_on_in_files(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier,
                                     const RunWatch& watch = {});

}  // namespace darboux

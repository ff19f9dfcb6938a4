#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/file_run.hpp"

namespace darboux {

/// What may be asked for when a run is gone on with. What it was told about its end does not count any more where one of these is
/// given; the seconds are new ones in any case.
struct ResumeOptions {
  std::optional<int> draws{};          ///< of each chain, those that are there counted
  std::optional<double> target_ess{};  ///< instead
  std::optional<int> max_draws{};
  std::optional<double> max_seconds{};
  std::optional<int> threads{};
  bool log_likelihood = false;  ///< as in RunConfig: added to what the run was told
  std::optional<int> posterior_predictive{};
  /// Told, in a sentence, which program of the run is about to be loaded, or compiled and loaded: it can do whatever its user can.
  std::function<void(const std::string&)> before_loading{};
};

/// A run that is there, and how it goes on.
struct Resumption {
  std::unique_ptr<RunDirectory> directory;
  RunPlan plan;  ///< config.out is the folder as it was called then
  EarlierRun earlier;
  bool is_complete = false;        ///< there is nothing to be done
  std::vector<std::string> notes;  ///< on what is damaged and could be done without, and on what may differ
  std::vector<std::filesystem::path> useless{};  ///< checkpoints that are damaged, and go
};

/// Opens the folder of a run, whatever became of it, and keeps other processes out. Nothing is changed yet. Throws InputError,
/// saying what to do, where it cannot be gone on with: another process writes it, an input file has changed, draws are damaged.
[[nodiscard]] Resumption open_run(const std::filesystem::path& folder, const ResumeOptions& options = {},
                                  const CompilationWatch& watch = {}, const Lead& lead = Lead(alone()));
/// Whether it is a run whose rows lie with several processes, of which the first one goes on.
[[nodiscard]] bool is_run_over_rows(const std::filesystem::path& folder);
/// The same by all processes of a group.
[[nodiscard]] Resumption open_run_together(Group& group, const std::filesystem::path& folder,
                                           const ResumeOptions& options = {}, const CompilationWatch& watch = {});

/// Goes on with it.
[[nodiscard]] FileRun resume(Resumption& run, const RunWatch& watch = {});

}  // namespace darboux

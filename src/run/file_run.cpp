#include "run/file_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>

#include "core/utc_time.hpp"
#include "darboux/core/error.hpp"
#include "darboux/diagnose/ess.hpp"
#include "draws/chain_readers.hpp"
#include "draws/column_passes.hpp"
#include "draws/draw_files.hpp"
#include "draws/kept_draws.hpp"
#include "io/file.hpp"
#include "run/checkpoint_clock.hpp"
#include "run/ess_target.hpp"
#include "run/files_summary.hpp"
#include "run/model_source.hpp"
#include "run/observation_pass.hpp"
#include "run/run_record.hpp"
#include "run/tuning_file.hpp"

namespace darboux {

namespace {

/// Of all quantities in the files, as far as they are written; 0 where none has enough draws to tell. The draws stay where they
/// are, on disk: memory is bounded however long the run gets.
double smallest_bulk_ess(const RunDirectory& directory, const std::vector<DrawFile>& files) {
  std::vector<StanCsvReader> readers;
  for (const DrawFile& file : files) readers.push_back(open_chain(directory.path(), file).draws);
  SmallestEss smallest;
  for_each_column(readers, {.columns = summarised_columns(readers.front())}, [&](const ColumnOfChains& column) {
    smallest.add(ess_bulk(ChainDraws({column.chains.begin(), column.chains.end()})));
  });
  return smallest.value();
}

/// Of the exception in hand. A model may throw anything.
std::string what_is_thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return in_words(e);
  } catch (...) {
    return "the model threw something that is no std::exception";
  }
}

/// What may fail for the reason that the run failed for, a full disk say, must not hide that reason. Says why it failed.
template <class Action>
std::string attempt(const Action& action) {
  try {
    action();
  } catch (...) {
    return what_is_thrown();
  }
  return "";
}

/// What a reader finds, for where the manifest cannot say it.
std::string on_disk(const std::filesystem::path& folder, const std::vector<DrawFile>& files) {
  std::vector<std::int64_t> rows;
  for (const DrawFile& file : files)
    (void)attempt([&] { rows.push_back(open_chain(folder, file).draws.count_rows().sampling_rows); });
  std::error_code unknown;
  const auto manifest = std::filesystem::is_regular_file(folder / manifest_name, unknown)
                            ? fmt::format("a manifest that still says \"{}\"", name(RunStatus::running))
                            : std::string("no manifest");
  if (rows.empty() || *std::ranges::min_element(rows) == 0) return fmt::format("On disk are {} and no draws", manifest);
  return fmt::format("On disk are {} and {} of {} chains with at least {} draws each, which darboux summary reads",
                     manifest, rows.size(), files.size(), *std::ranges::min_element(rows));
}

/// What was drawn stays, with an end, and the manifest says what happened. There are no files where they could not be opened.
void leave_failed(const std::string& message, DrawFiles* files, RunDirectory& directory, RunManifest& manifest,
                  const SampleResult& result) {
  manifest.status = RunStatus::failed;
  manifest.message = message;
  if (files != nullptr) manifest.files = files->files();
  if (files != nullptr) (void)attempt([&] { files->finish(result); });
  if (const std::string why = attempt([&] { directory.write(manifest); }); !why.empty())
    throw Error(fmt::format("{}{}. {}", message, why == message ? "" : ". And " + why,
                            on_disk(directory.path(), manifest.files)));
}

/// Leaves the tuning beside the draws as soon as it is there.
class TuningSink final : public DrawSink {
 public:
  TuningSink(RunDirectory& directory, const RunPlan& plan, bool is_written)
      : directory_(directory),
        model_{.name = short_name(plan.config.model), .dim = plan.sample.model->dim()},
        written_(is_written) {}
  void draw(const Draw&) override {}
  [[nodiscard]] bool wants_values(Phase /*phase*/, int /*iteration*/) const override { return false; }
  void end_warmup(const Tuning& tuning) override {
    write_tuning(tuning, model_, directory_.file("tuning.json"));
    written_ = true;
  }
  /// Not where a run was stopped before.
  [[nodiscard]] bool written() const noexcept { return written_; }

 private:
  RunDirectory& directory_;
  TunedModel model_;
  bool written_;
};

/// The manifest comes first: a process that is killed from now on leaves a run that can be gone on with. What no reader of files
/// could live with leaves nothing.
std::unique_ptr<DrawFiles> open_files(RunDirectory& directory, const RunPlan& plan, RunManifest& manifest,
                                      const Checkpoint& from) {
  const Index chains = plan.sample.settings.chains;
  try {
    directory.write(manifest);
    std::unique_ptr<StanCsvSink> csv;
    std::unique_ptr<ZarrSink> zarr;
    if (writes(plan.config, DrawFormat::csv))
      csv = std::make_unique<StanCsvSink>(directory, csv_header(plan, manifest.started), chains,
                                          plan.sample.model->names(), from.files);
    if (writes(plan.config, DrawFormat::zarr))
      zarr = std::make_unique<ZarrSink>(directory.file(zarr_name), zarr_content(plan, manifest.started), chains,
                                        from.zarr);
    return std::make_unique<DrawFiles>(std::move(csv), std::move(zarr), chains);
  } catch (const InputError&) {
    std::filesystem::remove(directory.file(manifest_name));
    throw;
  } catch (const Error& e) {
    leave_failed(e.what(), nullptr, directory, manifest, {});
    throw;
  }
}

/// What settings ask for beside the draws of a complete run. Stopped in it, the run is not complete.
void add_observations(RunDirectory& directory, const RunPlan& plan, DrawFiles& files, const std::atomic<bool>* stop,
                      RunManifest& manifest) {
  if (manifest.status != RunStatus::complete) return;
  const ObservationFormats formats{.csv = writes(plan.config, DrawFormat::csv), .zarr = files.zarr_store()};
  if (write_observations(directory, plan, stop, manifest, formats)) return;
  manifest.status = RunStatus::interrupted;
  manifest.stopped_by.reset();
  directory.write(manifest);
}

FileRun run_in(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier, const SampleWatch& watch) {
  Sampler sampler(plan.sample.model, plan.sample.settings);
  const Checkpoint from = earlier.checkpoint.value_or(Checkpoint());
  FileRun run{.manifest = begin_manifest(plan, earlier.started), .result = {}, .summary = {}};
  run.manifest.warnings = earlier.warnings;
  run.manifest.decided.set("checkpoint_seconds",
                           plan.config.checkpoint_seconds.value_or(CheckpointClock::seconds_between));
  if (earlier.draws > 0) run.manifest.decided.set(least_draws_key, earlier.draws);
  const auto opened = open_files(directory, plan, run.manifest, from);
  remove_observations(directory.path());  // of fewer draws
  DrawFiles& files = *opened;
  KeptDraws kept(files, plan.config.thin, plan.config.save_warmup);
  TuningSink tuning(directory, plan, from.phase == Phase::sampling);
  std::vector<DrawSink*> all{&kept, &tuning};
  if (watch.sink != nullptr) all.push_back(watch.sink);
  SinkList sinks(all);
  run.manifest.files = files.files();
  directory.write(run.manifest);

  CheckpointClock checkpoints(directory, files, plan.config.checkpoint_seconds, identity_of(run.manifest));
  RunControl control{.stop = watch.stop,
                     .tuning = plan.sample.tuning,
                     .checkpoints = &checkpoints,
                     .state = from.state,
                     .least_draws = earlier.draws};
  std::optional<EssTarget> target;
  if (plan.config.target_ess) {
    const auto smallest_ess = [&] {
      files.flush();
      return smallest_bulk_ess(directory, files.files());
    };
    target.emplace(plan.config, smallest_ess, earlier.draws);
    control.next_look = [&](int drawn) { return target->next_look(drawn); };
  }
  try {
    run.result = sampler.run(plan.sample.starts, sinks, control);
    checkpoints.end(run.result.end == SampleEnd::complete);
    run.manifest.files = files.files();
    describe_result(plan, run.result, !target || target->reached(), run.manifest);
    if (tuning.written()) describe_tuning(run.result, run.manifest);
    directory.write(run.manifest);  // before the summary, which may take a while
  } catch (...) {
    leave_failed(what_is_thrown(), &files, directory, run.manifest, run.result);
    throw;
  }

  const std::string why = attempt([&] {
    add_observations(directory, plan, files, watch.stop, run.manifest);
    if (run.manifest.status != RunStatus::complete) return;  // who interrupts does not want to wait
    run.summary = summarise_files(directory.path(), run.manifest, plan.sample.settings.threads);
    add_extremes(run.summary, run.manifest);
    directory.write(run.manifest);
  });
  if (!why.empty())
    throw Error(fmt::format(
        "{}. The draws are all on disk; what was to be made from them is not, which darboux resume does", why));
  return run;
}

}  // namespace

FileRun run_to_files(const RunPlan& plan, const SampleWatch& watch) {
  RunDirectory directory(plan.config.out);
  return run_in(directory, plan, {.started = utc_now(), .checkpoint = {}, .warnings = {}, .draws = 0}, watch);
}

FileRun go_on_in_files(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier,
                       const SampleWatch& watch) {
  return run_in(directory, plan, earlier, watch);
}

}  // namespace darboux

#include "run/file_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>

#include "cluster/gathered.hpp"
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
/// are, on disk: of long runs one column is held at a time (column_passes.hpp).
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
    if (const ReadableRows found = count_readable_rows(folder, file); found.trouble.empty())
      rows.push_back(found.sampling);
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
                  const SampleResult& result, const Group& group) {
  manifest.status = RunStatus::failed;
  manifest.message = message;
  if (files != nullptr && group.is_alone()) manifest.files = files->files();
  if (files != nullptr) (void)attempt([&] { files->finish(result); });
  if (!group.is_first()) return;
  if (const std::string why = attempt([&] { directory.write(manifest); }); !why.empty())
    throw Error(fmt::format("{}{}. {}", message, why == message ? "" : ". And " + why,
                            on_disk(directory.path(), manifest.files)));
}

/// Leaves the tuning beside the draws as soon as it is there.
class TuningSink final : public DrawSink {
 public:
  /// `writes`: another process may do that.
  TuningSink(RunDirectory& directory, const RunPlan& plan, bool is_written, bool writes)
      : directory_(directory),
        model_{.name = short_name(plan.config.model), .dim = plan.sample.model->dim()},
        written_(is_written),
        writes_(writes) {}
  void draw(const Draw&) override {}
  [[nodiscard]] bool wants_values(Phase /*phase*/, int /*iteration*/) const override { return false; }
  void end_warmup(const SampleResult& so_far) override {
    if (writes_) write_tuning(so_far.tuning, model_, directory_.file("tuning.json"));
    written_ = true;
  }
  /// Not where a run was stopped before.
  [[nodiscard]] bool written() const noexcept { return written_; }

 private:
  RunDirectory& directory_;
  TunedModel model_;
  bool written_, writes_;
};

/// The manifest comes first: a process that is killed from now on leaves a run that can be gone on with. What no reader of files
/// could live with leaves nothing.
std::unique_ptr<DrawFiles> open_files(RunDirectory& directory, const RunPlan& plan, RunManifest& manifest,
                                      const Checkpoint& from, Group& group) {
  const Share chains = share_of(plan.sample.settings.chains, group.rank(), group.size());
  try {
    if (group.is_first()) directory.write(manifest);
    meet(group);  // the folder is there
    std::unique_ptr<StanCsvSink> csv;
    std::unique_ptr<ZarrSink> zarr;
    if (writes(plan.config, DrawFormat::csv))
      csv = std::make_unique<StanCsvSink>(directory, csv_header(plan, manifest.started), chains,
                                          plan.sample.model->names(), from.files);
    if (writes(plan.config, DrawFormat::zarr))
      zarr = std::make_unique<ZarrSink>(directory.file(zarr_name), zarr_content(plan, manifest.started), chains.count,
                                        from.zarr);
    return std::make_unique<DrawFiles>(std::move(csv), std::move(zarr), chains.count);
  } catch (const InputError&) {
    if (group.is_first()) std::filesystem::remove(directory.file(manifest_name));
    throw;
  } catch (const Error& e) {
    leave_failed(e.what(), nullptr, directory, manifest, {}, group);
    throw;
  }
}

/// What settings ask for beside the draws of a complete run. Stopped in it, the run is not complete.
void add_observations(RunDirectory& directory, const RunPlan& plan, DrawFiles& files, const std::atomic<bool>* stop,
                      RunManifest& manifest) {
  if (manifest.status != RunStatus::complete) return;
  const ObservationFormats formats{.csv = writes(plan.config, DrawFormat::csv), .zarr = files.zarr_store()};
  if (write_observations(directory, plan, stop, manifest, formats)) return files.sync_store();
  manifest.status = RunStatus::interrupted;
  manifest.stopped_by.reset();
  directory.write(manifest);
}

/// What several processes told each other; of those that only have rows what the first one told.
ValueTree describe_cluster(Group& group, const Group& rows) {
  const Traffic traffic = rows.is_alone() ? group.traffic() : rows.traffic();
  const std::int64_t bytes = rows.is_alone() ? sum(group, traffic.bytes) : traffic.bytes;
  ValueTree cluster;
  if (group.is_alone() && rows.is_alone()) return cluster;
  if (!rows.is_alone()) cluster.set("share", name(Sharding::rows));
  cluster.set("ranks", std::max(group.size(), rows.size()));
  cluster.set("exchanges", traffic.exchanges);
  cluster.set("bytes", bytes);
  cluster.set("seconds", traffic.seconds);
  return cluster;
}

/// A run from its beginning, or from where an earlier one has left it, in its parts.
class RunInFiles {
 public:
  RunInFiles(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier, const RunWatch& watch)
      : directory_(directory),
        plan_(plan),
        earlier_(earlier),
        watch_(watch),
        group_(*watch.group),
        from_(earlier.checkpoint.value_or(Checkpoint())) {}

  FileRun run() {
    with_last_words(
        processes_of(plan_, group_),
        [this] {
          begin();
          draw_or_leave();
        },
        [this](std::string& message) {
          message += how_to_go_on(directory_.path().string());
          leave(message);
          directory_.unlock();
        });
    if (group_.is_first()) finish();
    return std::move(run_);
  }

 private:
  void begin() {
    RunManifest& manifest = run_.manifest;
    manifest = begin_manifest(plan_, earlier_.started);
    manifest.warnings = earlier_.warnings;
    manifest.decided.set("checkpoint_seconds",
                         plan_.config.checkpoint_seconds.value_or(CheckpointClock::seconds_between));
    manifest.decided.set(left_checkpoints_key, earlier_.checkpoint.has_value());
    if (earlier_.draws > 0) manifest.decided.set(least_draws_key, earlier_.draws);
    files_ = open_files(directory_, plan_, manifest, from_, group_);
    if (group_.is_first()) remove_observations(directory_.path());  // of fewer draws
    manifest.files = gathered(group_, files_->files());
    if (group_.is_first()) directory_.write(manifest);
  }

  void draw_or_leave() {
    try {
      draw();
    } catch (const PeerFailure&) {  // which needs more words
      throw;
    } catch (...) {
      leave(what_is_thrown());
      throw;
    }
  }

  void leave(const std::string& message) {
    leave_failed(message, files_.get(), directory_, run_.manifest, run_.result, group_);
  }

  void draw() {
    KeptDraws kept(*files_, plan_.config.thin, plan_.config.save_warmup);
    TuningSink tuning(directory_, plan_, from_.phase == Phase::sampling, group_.is_first());
    std::vector<DrawSink*> all{&kept, &tuning};
    if (watch_.sink != nullptr) all.push_back(watch_.sink);
    SinkList sinks(all);
    CheckpointClock checkpoints(directory_, *files_, plan_.config.checkpoint_seconds, identity_of(run_.manifest),
                                group_, [this] {
                                  run_.manifest.decided.set(left_checkpoints_key, true);
                                  directory_.write(run_.manifest);
                                });
    RunControl control{.stop = watch_.stop,
                       .tuning = plan_.sample.tuning,
                       .checkpoints = &checkpoints,
                       .state = from_.state,
                       .least_draws = earlier_.draws,
                       .group = &group_,
                       .divergences = watch_.divergences};
    std::optional<EssTarget> target;
    if (plan_.config.target_ess) {
      target.emplace(plan_.config, [this] { return smallest_ess(); }, earlier_.draws);
      control.next_look = [&](int drawn) { return target->next_look(drawn); };
    }
    RunManifest& manifest = run_.manifest;
    run_.result = Sampler(plan_.sample.model, plan_.sample.settings).run(plan_.sample.starts, sinks, control);
    checkpoints.end(run_.result.end == SampleEnd::complete);  // nobody else has to do with the manifest from here on
    manifest.cluster = describe_cluster(group_, *plan_.rows);
    manifest.files = gathered(group_, files_->files());  // all are closed now
    describe_result(plan_, run_.result, !target || target->reached(), manifest);
    if (tuning.written()) describe_tuning(plan_, run_.result, manifest);
    if (group_.is_first()) directory_.write(manifest);  // before the summary, which may take a while
  }

  /// The first process looks at the files of all.
  [[nodiscard]] double smallest_ess() {
    files_->flush();
    const std::vector<DrawFile> all = gathered(group_, files_->files());
    if (group_.is_alone()) return smallest_bulk_ess(directory_, all);
    const double found =
        group_.is_first() ? smallest_bulk_ess(directory_, all) : std::numeric_limits<double>::infinity();
    return smallest(group_, found);
  }

  /// What is made of the draws of all.
  void finish() {
    RunManifest& manifest = run_.manifest;
    const std::string why = attempt([&] {
      add_observations(directory_, plan_, *files_, watch_.stop, manifest);
      if (manifest.status != RunStatus::complete) return;  // who interrupts does not want to wait
      run_.summary = summarise_files(directory_.path(), manifest, plan_.sample.settings.threads);
      add_extremes(run_.summary, manifest);
      directory_.write(manifest);
    });
    if (!why.empty())
      throw Error(fmt::format(
          "{}. The draws are all on disk; what was to be made from them is not, which darboux resume does", why));
  }

  RunDirectory& directory_;
  const RunPlan& plan_;
  const EarlierRun& earlier_;
  const RunWatch& watch_;
  Group& group_;
  Checkpoint from_;
  std::unique_ptr<DrawFiles> files_;
  FileRun run_;
};

FileRun run_in(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier, const RunWatch& watch) {
  try {
    return RunInFiles(directory, plan, earlier, watch).run();
  } catch (...) {
    watch.group->fail(what_is_thrown());
    throw;
  }
}

}  // namespace

std::string how_to_go_on(const std::string& folder) {
  return fmt::format(". What was drawn until then is kept; to go on, with any number of processes: darboux resume {}",
                     folder);
}

FileRun run_to_files(const RunPlan& plan, const RunWatch& watch) {
  const auto directory = watch.group->is_first() ? std::make_unique<RunDirectory>(plan.config.out)
                                                 : RunDirectory::of_group(plan.config.out);
  const std::string started = of_first(*watch.group, utc_now());
  return run_in(*directory, plan, {.started = started, .checkpoint = {}, .warnings = {}, .draws = 0}, watch);
}

FileRun go_on_in_files(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier, const RunWatch& watch) {
  return run_in(directory, plan, earlier, watch);
}

}  // namespace darboux

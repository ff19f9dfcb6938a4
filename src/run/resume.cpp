#include "run/resume.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "cluster/on_all.hpp"
#include "darboux/core/error.hpp"
#include "draws/chain_readers.hpp"
#include "io/checksum.hpp"
#include "run/model_source.hpp"
#include "run/plan_together.hpp"
#include "run/run_record.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

/// A run is what its input files say, too.
void require_same_inputs(const RunManifest& manifest, const RunConfig& config) {
  for (const auto& [setting, file] : input_files(config)) {
    const ValueTree* const then = manifest.inputs.find(setting);
    if (then == nullptr) continue;  // an earlier version did not look
    std::string now;
    try {
      now = checksum_of_file(file);
    } catch (const InputError& e) {
      throw InputError(fmt::format(
          "{} = {}: {}. Paths are as they were given: go to the folder in which the run was started, or put the file "
          "there",
          setting, file, e.what()));
    }
    if (text_of(*then) != now)
      throw InputError(fmt::format(
          "{} = {}: the file has changed since the run began ({} then, {} now), and draws would be of two posteriors. "
          "Put back the file as it was, or begin a new run with darboux sample",
          setting, file, text_of(*then), now));
  }
}

/// What was asked about the end of a run, with what is asked now.
void set_end(const ResumeOptions& options, RunConfig& config) {
  config.max_seconds.reset();
  if (options.draws || options.target_ess) {
    config.target_ess = options.target_ess;
    config.max_draws.reset();
  }
  if (options.draws) config.draws = *options.draws;
  if (options.max_draws) config.max_draws = options.max_draws;
}

bool asks_for_draws(const ResumeOptions& options) {
  return options.draws || options.target_ess || options.max_draws || options.max_seconds;
}

bool asks_for_observations(const ResumeOptions& options) {
  return options.log_likelihood || options.posterior_predictive;
}

bool is_done(const RunManifest& manifest, const ResumeOptions& options) {
  const bool is_summarised = manifest.min_bulk_ess || manifest.max_rhat;  // not where it was killed meanwhile
  const bool all_is_there =
      manifest.status == RunStatus::complete && manifest.stopped_by != StoppedBy::max_seconds && is_summarised;
  const bool wants_more = options.draws || options.target_ess || options.max_draws || asks_for_observations(options);
  return all_is_there && !wants_more;
}

/// Throws Error naming the first file of draws that is not what it was.
void require_files(const Checkpoint& checkpoint, RunDirectory& directory, const RunConfig& config) {
  const auto require_chains = [&](std::size_t marks) {
    if (marks != static_cast<std::size_t>(config.chains))
      throw Error(fmt::format("{}: a checkpoint is for {} chains, and the run has {}", directory.path().string(), marks,
                              config.chains));
  };
  const bool has_csv = writes(config, DrawFormat::csv);
  if (writes(config, DrawFormat::zarr)) {
    require_chains(checkpoint.zarr.size() / 2);
    const fs::path store = directory.path() / zarr_name;
    try {
      require_zarr_marks(store, checkpoint.zarr);
    } catch (const Error& e) {
      if (!has_csv) throw;
      throw Error(
          fmt::format("{}; files of Stan CSV have the same draws: remove {}, make it of them (darboux convert {} "
                      "--to zarr --output {}), and go on",
                      e.what(), store.string(), directory.path().string(), store.string()));
    }
  }
  if (!has_csv) return;
  require_chains(checkpoint.files.size());
  const Index before = config.first_chain.value_or(0);
  for (Index c = 0; c < config.chains; ++c) {
    const StanCsvFiles files = directory.chain_files(static_cast<int>(before + c + 1));
    (void)find_mark(files.draws, checkpoint.files[at(c)].draws);
    (void)find_mark(files.statistics, checkpoint.files[at(c)].statistics);
  }
}

/// How many rows of each file of draws can be read.
std::string what_can_be_kept(const RunManifest& manifest, const fs::path& folder) {
  std::vector<std::string> found;
  std::string told;  // chains of a store have one trouble
  for (const DrawFile& file : manifest.files) {
    const ReadableRows rows = count_readable_rows(folder, file);
    const bool is_new = !rows.trouble.empty() && rows.trouble != told;
    found.push_back(fmt::format("{} of {}{}", rows.warmup + rows.sampling, file.file,
                                is_new ? fmt::format(" (then: {})", rows.trouble) : ""));
    if (is_new) told = rows.trouble;
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

/// The newest checkpoint that is whole and whose draws are; none where none was left, as by a run that was killed early. Those
/// that are passed over are named.
std::optional<Checkpoint> find_checkpoint(const RunManifest& manifest, const RunConfig& config, Resumption& run) {
  RunDirectory& directory = *run.directory;
  std::vector<std::string> troubles;
  for (const std::string_view name : {newest_checkpoint, earlier_checkpoint}) {
    const fs::path file = directory.path() / name;
    if (!fs::exists(file)) continue;
    try {
      Checkpoint found = read_checkpoint(file);
      if (found.run != identity_of(manifest))
        throw Error(
            fmt::format("{} is of a run with another seed or other settings than {} names: put back both as the run "
                        "left them",
                        file.string(), manifest_name));
      require_files(found, directory, config);
      for (const std::string& trouble : troubles)
        run.notes.push_back(trouble + ": going on from the checkpoint before");
      return found;
    } catch (const Error& e) {
      if (troubles.empty() || troubles.back() != e.what()) troubles.emplace_back(e.what());
      run.useless.push_back(file);
    }
  }
  if (troubles.empty()) return std::nullopt;
  throw InputError(fmt::format(
      "{}. The run cannot be gone on with. What can be kept, and darboux summary reads: rows {}. To draw the "
      "same again, begin a new run with the same settings and seed = {}",
      fmt::join(troubles, "; "), what_can_be_kept(manifest, directory.path()), manifest.seed));
}

/// The most that there are of any chain. Who was killed could not tell the manifest.
std::int64_t rows_on_disk(const RunManifest& manifest, const fs::path& folder) {
  std::int64_t rows = 0;
  for (const DrawFile& file : manifest.files) {
    rows = std::max(rows, file.rows);
    if (manifest.status != RunStatus::complete) rows = std::max(rows, count_readable_rows(folder, file).sampling);
  }
  return rows;
}

/// What `decided` of a manifest has under a key, where it is of that type.
template <class Value>
const Value* decided(const RunManifest& manifest, std::string_view key) {
  const ValueTree* const found = manifest.decided.find(key);
  return found == nullptr ? nullptr : std::get_if<Value>(&found->value());
}

/// Draws must not get fewer, whatever ended the run: what counts is how many iterations it takes to have as many rows as can be read
/// now, though files are cut to where a checkpoint was. And one that was killed while all was drawn again has less in its files
/// than it is to have.
int draws_to_keep(const RunManifest& manifest, std::int64_t rows, const std::optional<Checkpoint>& checkpoint,
                  int thin) {
  std::int64_t draws = rows == 0 ? 0 : (rows - 1) * thin + 1;
  if (checkpoint && checkpoint->phase == Phase::sampling) draws = std::max<std::int64_t>(draws, checkpoint->iterations);
  const auto* const known = decided<std::int64_t>(manifest, least_draws_key);
  constexpr std::int64_t most = 1'000'000'000;  // as of settings: more than that is in no folder of ours
  return static_cast<int>(std::min(most, known == nullptr ? draws : std::max(draws, *known)));
}

/// Without a checkpoint all is drawn again. That is no loss where it took seconds: where checkpoints were to come soon, and the run
/// says that none came. Those that came and are gone are another thing.
void require_short(const RunManifest& manifest, std::int64_t rows, const fs::path& folder) {
  constexpr double long_time = 60.0;
  const auto* const seconds = decided<double>(manifest, "checkpoint_seconds");
  const auto* const left = decided<bool>(manifest, left_checkpoints_key);
  if (left != nullptr && *left)
    throw InputError(fmt::format(
        "{0}: the checkpoints that the run left, {1} and {2}, are gone, so that it cannot be gone on with; its draws, "
        "{3} of a chain, stay as they are, and darboux summary reads them. Put these files back, from where the "
        "folder was copied, or begin a new run with the same settings and seed = {4}",
        folder.string(), newest_checkpoint, earlier_checkpoint, rows, manifest.seed));
  if (left != nullptr && seconds != nullptr && *seconds <= long_time) return;
  throw InputError(fmt::format(
      "{}: the run left no checkpoints, {}, so that it cannot be gone on with; its draws stay as they are. "
      "Begin a new run",
      folder.string(),
      left == nullptr || seconds == nullptr ? "as runs of earlier versions"
                                            : fmt::format("which were to come every {:g} seconds", *seconds)));
}

std::vector<std::string> differences(const RunManifest& then, const RunManifest& now) {
  std::vector<std::string> found;
  for (const auto& [what, before, here] : compare_bits(then, now))
    found.push_back(
        fmt::format("The run was begun with {} {} and is gone on with {}: draws are as good, but their last bits may "
                    "differ from those of a run in one go.",
                    what, before, here));
  return found;
}

/// What is not one's own to write to is best told before anything is changed.
void require_writable(const RunManifest& manifest, const fs::path& folder) {
  for (const DrawFile& file : manifest.files)
    for (const std::string& name : {file.file, file.statistics})
      if (!name.empty() && ::faccessat(AT_FDCWD, (folder / name).c_str(), W_OK, AT_EACCESS) != 0 && errno == EACCES)
        throw InputError(
            fmt::format("{}: {}: must be a file that you may write to; copy the folder, and go on with the copy",
                        (folder / name).string(), std::generic_category().message(EACCES)));
}

/// The folder may have come from somebody else.
std::string on_loading(const RunManifest& manifest, const RunConfig& config) {
  const auto place = [](const std::string& file) { return fs::absolute(file).lexically_normal().string(); };
  return fmt::format(
      "{} is loaded now, as the run was of it, and can do whatever you can{}{}", place(config.model),
      config.stan.empty() ? "" : fmt::format("; so can what compiles it, in {}", place(config.stan)),
      manifest.inputs.find("model") != nullptr ? "" : ". Whether it has changed since the run began is not known");
}

std::string in_words(const EarlierRun& earlier) {
  if (!earlier.checkpoint) return "none";
  return fmt::format("that after {} iterations, with the checksum {:08x}", earlier.checkpoint->iterations,
                     checksum(earlier.checkpoint->state));
}

RunConfig settings_of(const RunManifest& manifest, const fs::path& file) {
  try {
    return config_of(manifest);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: asked: {}", file.string(), e.what()));
  }
}

}  // namespace

namespace {

/// Where rows lie with several processes, nobody has read all bytes of the table; what it is made of tells it from others.
void require_same_table(const RunManifest& manifest, const Model& model) {
  const ValueTree* const then = manifest.data.find(fingerprint_key);
  if (then == nullptr) return;
  for (const ModelFact& fact : model.describe())
    if (const ValueTree* const now = fact.key == "data" ? fact.value.find(fingerprint_key) : nullptr;
        now != nullptr && text_of(*now) != text_of(*then))
      throw InputError(
          "data: the table has changed since the run began, and draws would be of two posteriors. Put it back as it "
          "was, or begin a new run with darboux sample");
}

Resumption open_in(std::unique_ptr<RunDirectory> directory, const fs::path& folder, const ResumeOptions& options,
                   const CompilationWatch& watch, const Lead& lead) {
  Resumption run;
  run.directory = std::move(directory);
  const RunManifest manifest = read_manifest(folder / manifest_name);
  RunConfig config = settings_of(manifest, folder / manifest_name);
  run.is_complete = is_done(manifest, options);
  if (run.is_complete) {
    run.plan.config = std::move(config);
    return run;
  }
  if (const ValueTree* const parts = manifest.decided.find(merged_key))
    throw InputError(
        fmt::format("{}: this run was merged of {}: go on with each of them (darboux resume), and merge them again "
                    "into a new folder",
                    folder.string(), text_of(*parts)));
  require_writable(manifest, folder);
  require_same_inputs(manifest, config);
  set_end(options, config);
  if (options.threads) config.threads = options.threads;
  if (options.log_likelihood) config.log_likelihood = true;
  if (options.posterior_predictive) config.posterior_predictive = options.posterior_predictive;
  run.earlier = {.started = manifest.started,
                 .checkpoint = find_checkpoint(manifest, config, run),
                 .warnings = differences(manifest, new_manifest()),
                 .draws = 0};
  const auto& checkpoint = run.earlier.checkpoint;
  const std::int64_t rows = rows_on_disk(manifest, folder);
  if (!checkpoint) require_short(manifest, rows, folder);
  run.earlier.draws = draws_to_keep(manifest, rows, checkpoint, config.thin);
  const bool time_was_up = manifest.status == RunStatus::complete && manifest.stopped_by == StoppedBy::max_seconds;
  if (time_was_up && asks_for_observations(options) && !asks_for_draws(options)) {  // of what there is
    config.target_ess.reset();
    config.max_draws.reset();
    config.draws = run.earlier.draws;
  }
  if (most_draws(config) < run.earlier.draws)
    throw InputError(fmt::format("draws = {}: must be at least {}, which there are of a chain already",
                                 most_draws(config), run.earlier.draws));
  run.notes.insert(run.notes.end(), run.earlier.warnings.begin(), run.earlier.warnings.end());
  const RunConfig asked = config_of(manifest);
  if (is_stan(config.model) && options.before_loading) options.before_loading(on_loading(manifest, config));
  run.plan = make_plan(std::move(config), watch, checkpoint ? StartsAre::known : StartsAre::wanted, lead);
  require_same_table(manifest, *run.plan.sample.model);
  run.plan.sample.settings.max_seconds = options.max_seconds;
  // Files say what was asked for at first, where that has nothing to do with draws.
  run.plan.config.threads = asked.threads;
  run.plan.config.max_seconds = asked.max_seconds;
  if (manifest.asked.find("seed") == nullptr) run.plan.config.seed.reset();
  return run;
}

}  // namespace

Resumption open_run(const fs::path& folder, const ResumeOptions& options, const CompilationWatch& watch,
                    const Lead& lead) {
  return open_in(RunDirectory::existing(folder), folder, options, watch, lead);
}

bool is_run_over_rows(const fs::path& folder) {
  const fs::path manifest = folder / manifest_name;
  return fs::is_regular_file(manifest) && shards_rows(settings_of(read_manifest(manifest), manifest));
}

namespace {

Resumption open_by_several(Group& group, const fs::path& folder, const ResumeOptions& options,
                           const CompilationWatch& watch) {
  use_common_kernels(group);
  Resumption run;
  on_all(group, [&] {  // the first one tidies up, before the others look
    if (group.is_first()) run = open_run(folder, options, watch);
  });
  on_all(group, [&] {
    if (!group.is_first()) run = open_in(RunDirectory::of_group(folder), folder, options, {}, Lead(alone()));
  });
  if (run.is_complete) return run;
  require_suited(group, run.plan.config);
  require_same(group, "checkpoint", in_words(run.earlier));
  const int threads = threads_of_process(group);
  if (!options.threads && !run.plan.config.threads) run.plan.sample.settings.threads = threads;
  return run;
}

/// For all to be drawn again. How much it was is told before files go: a run that is killed meanwhile must not be taken for a complete
/// one, nor for one without draws.
void remove_draws(const Resumption& run) {
  RunDirectory& directory = *run.directory;
  RunManifest manifest = read_manifest(directory.path() / manifest_name);
  manifest.status = RunStatus::running;
  manifest.stopped_by.reset();
  if (run.earlier.draws > 0) manifest.decided.set(least_draws_key, run.earlier.draws);
  directory.write(manifest);
  for (Index c = 0; c < run.plan.config.chains; ++c) {
    const Index id = run.plan.config.first_chain.value_or(0) + c + 1;
    const StanCsvFiles files = directory.chain_files(static_cast<int>(id));
    fs::remove(files.draws);
    fs::remove(files.statistics);
  }
  fs::remove_all(directory.path() / zarr_name);
}

}  // namespace

Resumption open_run_together(Group& group, const fs::path& folder, const ResumeOptions& options,
                             const CompilationWatch& watch) {
  if (group.is_alone()) return open_run(folder, options, watch);
  Resumption run;
  with_last_words(
      group, [&] { run = open_by_several(group, folder, options, watch); },
      [](std::string& message) { message += nothing_is_lost; });
  return run;
}

FileRun resume(Resumption& run, const RunWatch& watch) {
  if (watch.group->is_first()) {
    for (const fs::path& damaged : run.useless) fs::remove(damaged);
    if (!run.earlier.checkpoint) remove_draws(run);
  }
  return go_on_in_files(*run.directory, run.plan, run.earlier, watch);
}

}  // namespace darboux

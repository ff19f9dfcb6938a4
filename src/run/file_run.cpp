#include "run/file_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/utc_time.hpp"
#include "darboux/core/error.hpp"
#include "darboux/diagnose/ess.hpp"
#include "draws/column_passes.hpp"
#include "draws/kept_draws.hpp"
#include "draws/stan_csv_sink.hpp"
#include "io/checksum.hpp"
#include "run/checkpoint_clock.hpp"
#include "run/ess_target.hpp"
#include "run/model_source.hpp"
#include "run/tuning_file.hpp"
#include "sample/result_in_words.hpp"

namespace darboux {

namespace {

RunManifest begin_manifest(const RunPlan& plan, const EarlierRun& earlier) {
  const SamplerSettings& s = plan.sample.settings;
  RunManifest manifest = new_manifest();
  manifest.seed = plan.sample.asked.seed.value();
  manifest.started = earlier.started;
  manifest.warnings = earlier.warnings;
  for (const auto& [setting, file] : input_files(plan.config))
    if (std::filesystem::is_regular_file(file)) manifest.inputs.set(setting, checksum_of_file(file));
  manifest.asked.set("model", plan.config.model);
  for (const auto& field : run_fields())
    if (auto value = field.get(plan.config)) manifest.asked.set(field.name, *std::move(value));
  manifest.decided.set("integrator", name(s.integrator));
  manifest.decided.set("metric", name(s.metric));
  manifest.decided.set("trajectory", name(s.trajectory.kind()));
  manifest.decided.set("threads", s.threads);
  manifest.decided.set("warmup", s.warmup);
  manifest.decided.set("target_acceptance", s.target_acceptance.value());
  manifest.decided.set("checkpoint_seconds", plan.config.checkpoint_seconds.value_or(CheckpointClock::seconds_between));
  manifest.decided.set("approximate", is_approximate(s));
  for (ModelFact& fact : plan.sample.model->describe()) manifest.decided.set(fact.key, std::move(fact.value));
  return manifest;
}

MetricShape shape_of(const SamplePlan& plan) {
  if ((plan.settings.warmup == 0 && !plan.tuning) || plan.settings.metric == Metric::identity) return MetricShape::unit;
  return plan.settings.metric == Metric::dense ? MetricShape::dense : MetricShape::diagonal;
}

StanCsvHeader csv_header(const RunPlan& plan, const std::string& started) {
  const SamplerSettings& s = plan.sample.settings;
  StanCsvHeader header{.model = short_name(plan.config.model),
                       .seed = plan.sample.asked.seed.value(),
                       .warmup_iterations = s.warmup,
                       .sampling_iterations = s.draws,
                       .thin = plan.config.thin,
                       .save_warmup = plan.config.save_warmup,
                       .adapts = s.warmup > 0 && !plan.sample.tuning,
                       .target_acceptance = s.target_acceptance.value(),
                       .max_tree_depth = plan.config.max_depth.value_or(NutsTrajectory().max_depth),
                       .metric = shape_of(plan.sample),
                       .first_step_size = s.first.step_size,
                       .data_file = plan.config.data,
                       .started = started,
                       .notes = {{"integrator", std::string(name(s.integrator))}}};
  for (const auto& field : run_fields())
    if (const auto value = field.get(plan.config); value && field.name != "integrator" && field.name != "metric")
      header.notes.emplace_back(field.name, text_of(*value));
  return header;
}

/// Of all quantities in the files, as far as they are written; 0 where none has enough draws to tell. The draws stay where they
/// are, on disk: memory is bounded however long the run gets.
double smallest_bulk_ess(const RunDirectory& directory, const std::vector<DrawFile>& files) {
  std::vector<StanCsvReader> readers;
  for (const DrawFile& file : files) readers.emplace_back(directory.path() / file.file);
  SmallestEss smallest;
  for_each_column(readers, {.columns = summarised_columns(readers.front())}, [&](const ColumnOfChains& column) {
    smallest.add(ess_bulk(ChainDraws({column.chains.begin(), column.chains.end()})));
  });
  return smallest.value();
}

RunSummary summarise_files(const RunDirectory& directory, const RunManifest& manifest) {
  RunInput input{.interrupted = manifest.status != RunStatus::complete, .gradients = manifest.sampling.gradients};
  if (const ValueTree* integrator = manifest.decided.find("integrator"))
    input.integrator = std::get<std::string>(integrator->value());
  for (const DrawFile& file : manifest.files) {
    input.draws.emplace_back(directory.path() / file.file);
    input.statistics.emplace_back(StanCsvReader(directory.path() / file.statistics));
  }
  return summarise_run(input);
}

/// The worst of all quantities, for a first look at the manifest.
void add_extremes(const RunSummary& summary, RunManifest& manifest) {
  const auto note = [](std::optional<double>& worst, double value, bool larger_is_worse) {
    if (std::isnan(value)) return;
    if (!worst || (larger_is_worse ? value > *worst : value < *worst)) worst = value;
  };
  for (const SummaryRow& row : summary.rows) {
    note(manifest.min_bulk_ess, row.values.ess_bulk, false);
    note(manifest.min_tail_ess, row.values.ess_tail, false);
    const bool is_undefined = std::isnan(row.values.rhat) && !row.constant;  // which is no sign of agreement
    note(manifest.max_rhat, is_undefined ? std::numeric_limits<double>::infinity() : row.values.rhat, true);
  }
  for (const Warning& warning : summary.warnings) manifest.warnings.push_back(warning.finding + " " + warning.advice);
}

/// A run whose time was up is complete: that is what was asked for. But without a single draw it is of no use to anybody.
void describe_end(const SampleResult& result, const std::optional<EssTarget>& target, RunManifest& manifest) {
  manifest.status = RunStatus::complete;
  switch (result.end) {
    case SampleEnd::interrupted: manifest.status = RunStatus::interrupted; return;
    case SampleEnd::out_of_time:
      manifest.stopped_by = StoppedBy::max_seconds;
      if (result.draws > 0) return;
      manifest.status = RunStatus::interrupted;
      manifest.message = "time was up before warm-up had ended: there are no draws; allow more, or a shorter warm-up";
      return;
    case SampleEnd::complete:
      manifest.stopped_by = !target             ? StoppedBy::draws
                            : target->reached() ? StoppedBy::target_ess
                                                : StoppedBy::max_draws;
      return;
  }
}

/// What has to be said before anything else, since a summary of draws alone may not show it.
void describe_stragglers(const SampleResult& result, RunManifest& manifest) {
  for (std::string& words : std::vector{absence_in_words(result), care_in_words(result), walls_in_words(result)})
    if (!words.empty()) manifest.warnings.push_back(std::move(words));
}

void describe_cost(const SampleResult& result, RunManifest& manifest) {
  manifest.warmup = {
      .seconds = result.warmup_seconds, .cpu_seconds = result.warmup_cpu_seconds, .gradients = result.warmup_gradients};
  manifest.sampling = {.seconds = result.sampling_seconds,
                       .cpu_seconds = result.sampling_cpu_seconds,
                       .gradients = result.sampling_gradients};
}

void describe_tuning(const SampleResult& result, RunManifest& manifest) {
  const Tuning& tuning = result.tuning;
  manifest.tuning.set("step_size", tuning.step_size);
  manifest.tuning.set("steps", tuning.steps);
  manifest.tuning.set("metric", name(metric_of(tuning.factor)));
  if (tuning.factor.kind() == StructuredMatrix::Kind::low_rank)
    manifest.tuning.set("metric_directions", tuning.factor.low_rank().rank());
  manifest.tuning.set("metric_draws", tuning.metric_draws);
  if (result.target_acceptance > 0.0) manifest.tuning.set("target_acceptance", result.target_acceptance);
  manifest.tuning.set("gradient_precision", name(result.gradient_precision));
  manifest.tuning.set("single_precision_is_too_rough", result.single_precision_is_too_rough);
  manifest.tuning.set("file", "tuning.json");
}

/// What may fail for the reason that the run failed for, a full disk say, must not hide that reason. Says why it failed.
template <class Action>
std::string attempt(const Action& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// Of the exception in hand. A model may throw anything.
std::string what_is_thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "the model threw something that is no std::exception";
  }
}

/// What was drawn stays, with an end, and the manifest says what happened.
void leave_failed(const std::string& message, StanCsvSink& files, RunDirectory& directory, FileRun& run) {
  run.manifest.status = RunStatus::failed;
  run.manifest.message = message;
  run.manifest.files = files.files();
  (void)attempt([&] { files.finish(run.result); });
  if (const std::string why = attempt([&] { directory.write(run.manifest); }); !why.empty())
    throw Error(fmt::format("{}{}: the manifest still says \"{}\"", message, why == message ? "" : ". And " + why,
                            name(RunStatus::running)));
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

void describe(const RunPlan& plan, const std::optional<EssTarget>& target, FileRun& run) {
  describe_end(run.result, target, run.manifest);
  describe_cost(run.result, run.manifest);
  if (std::string words = target_in_words(plan.config); !words.empty()) run.manifest.warnings.push_back(words);
  describe_stragglers(run.result, run.manifest);
  for (std::string& remark : plan.sample.model->remarks()) run.manifest.warnings.push_back(std::move(remark));
}

/// The manifest comes first: a process that is killed from now on leaves a run that can be gone on with. What no reader of files
/// could live with leaves nothing.
std::unique_ptr<StanCsvSink> open_files(RunDirectory& directory, const RunPlan& plan, const RunManifest& manifest,
                                        const std::vector<StanCsvMark>& marks) {
  directory.write(manifest);
  try {
    return std::make_unique<StanCsvSink>(directory, csv_header(plan, manifest.started), plan.sample.settings.chains,
                                         plan.sample.model->names(), marks);
  } catch (const InputError&) {
    std::filesystem::remove(directory.file(manifest_name));
    throw;
  }
}

FileRun run_in(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier, const SampleWatch& watch) {
  Sampler sampler(plan.sample.model, plan.sample.settings);
  const Checkpoint from = earlier.checkpoint.value_or(Checkpoint());
  FileRun run{.manifest = begin_manifest(plan, earlier), .result = {}, .summary = {}};
  const auto opened = open_files(directory, plan, run.manifest, from.files);
  StanCsvSink& files = *opened;
  SinkList formats({&files});  // of draws that are kept
  KeptDraws kept(formats, plan.config.thin, plan.config.save_warmup);
  TuningSink tuning(directory, plan, from.phase == Phase::sampling);
  std::vector<DrawSink*> all{&kept, &tuning};
  if (watch.sink != nullptr) all.push_back(watch.sink);
  SinkList sinks(all);
  run.manifest.files = files.files();
  directory.write(run.manifest);

  CheckpointClock checkpoints(directory, files, plan.config.checkpoint_seconds);
  RunControl control{
      .stop = watch.stop, .tuning = plan.sample.tuning, .checkpoints = &checkpoints, .state = from.state};
  std::optional<EssTarget> target;
  if (plan.config.target_ess) {
    target.emplace(plan.config, [&] {
      files.flush();
      return smallest_bulk_ess(directory, files.files());
    });
    control.next_look = [&](int drawn) { return target->next_look(drawn); };
  }
  try {
    run.result = sampler.run(plan.sample.starts, sinks, control);
    checkpoints.end(run.result.end == SampleEnd::complete);
    run.manifest.files = files.files();
    describe(plan, target, run);
    if (tuning.written()) describe_tuning(run.result, run.manifest);
    directory.write(run.manifest);  // before the summary, which may take a while
  } catch (...) {
    leave_failed(what_is_thrown(), files, directory, run);
    throw;
  }

  if (run.manifest.status == RunStatus::complete) {  // who interrupts does not want to wait
    run.summary = summarise_files(directory, run.manifest);
    add_extremes(run.summary, run.manifest);
    directory.write(run.manifest);
  }
  return run;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> input_files(const RunConfig& config) {
  std::vector<std::pair<std::string, std::string>> files;
  const auto add = [&](const char* setting, const std::string& value, std::initializer_list<std::string_view> endings) {
    if (std::ranges::any_of(endings, [&](std::string_view ending) { return value.ends_with(ending); }))
      files.emplace_back(setting, value);
  };
  if (!config.data.empty()) files.emplace_back("data", config.data);
  add("model", config.model, {".stan", ".so"});
  add("init", config.init, {".json"});
  add("structure", config.structure_source, {".json"});
  if (!config.tuning_file.empty()) files.emplace_back("tuning", config.tuning_file);
  return files;
}

FileRun run_to_files(const RunPlan& plan, const SampleWatch& watch) {
  RunDirectory directory(plan.config.out);
  return run_in(directory, plan, {.started = utc_now(), .checkpoint = {}, .warnings = {}}, watch);
}

FileRun go_on_in_files(RunDirectory& directory, const RunPlan& plan, const EarlierRun& earlier,
                       const SampleWatch& watch) {
  return run_in(directory, plan, earlier, watch);
}

}  // namespace darboux

#include "run/file_run.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "darboux/core/error.hpp"
#include "darboux/diagnose/ess.hpp"
#include "draws/column_passes.hpp"
#include "model/logistic_data.hpp"
#include "run/chain_files.hpp"
#include "run/tuning_file.hpp"

namespace darboux {

namespace {

RunManifest begin_manifest(const RunConfig& config, const RunPlan& plan) {
  RunManifest manifest = new_manifest();
  manifest.seed = plan.options.seed;
  manifest.started = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
  manifest.configuration.set("model", config.model);
  for (const auto& field : run_fields())
    if (auto value = field.get(config)) manifest.configuration.set(field.name, *std::move(value));
  if (const auto* regression = dynamic_cast<const StandardisedLogistic*>(plan.model.get()))
    manifest.configuration.set("response", regression->response());
  manifest.configuration.set("integrator", name(plan.options.integrator));
  manifest.configuration.set("metric", name(plan.options.metric));
  manifest.configuration.set("trajectory", name(plan.options.trajectory));
  return manifest;
}

/// Of all quantities in the files, as far as they are written; 0 where none has enough draws to tell. The draws stay where they
/// are, on disk: memory is bounded however long the run gets.
double smallest_bulk_ess(const RunDirectory& directory, const std::vector<DrawFile>& files) {
  std::vector<StanCsvReader> readers;
  for (const DrawFile& file : files) readers.emplace_back(directory.path() / file.file);
  std::optional<double> smallest;
  for_each_column(readers, {.columns = summarised_columns(readers.front())}, [&](const ColumnOfChains& column) {
    const double ess = ess_bulk(ChainDraws({column.chains.begin(), column.chains.end()}));
    if (!std::isnan(ess)) smallest = std::min(ess, smallest.value_or(ess));  // those that do not vary have none
  });
  return smallest.value_or(0.0);
}

/// Looks at 1, 1.5, 2.25, … times `draws`: all looks together read no more than three times what is there in the end, and they
/// are few, which matters because stopping at the first estimate that is large enough favours estimates that are too large.
class EssTarget {
 public:
  EssTarget(const RunConfig& config, const RunDirectory& directory, ChainFiles& files)
      : first_look_(config.draws), target_(config.target_ess.value()), directory_(directory), files_(files) {}

  int next_look(int drawn) {
    if (drawn == 0) return first_look_;
    files_.flush();
    reached_ = smallest_bulk_ess(directory_, files_.files()) >= target_;
    return reached_ ? drawn : drawn + (drawn + 1) / 2;
  }
  [[nodiscard]] bool reached() const noexcept { return reached_; }

 private:
  int first_look_;
  double target_;
  bool reached_ = false;
  const RunDirectory& directory_;
  ChainFiles& files_;
};

RunSummary summarise_files(const RunDirectory& directory, const RunManifest& manifest) {
  RunInput input{.interrupted = manifest.status != RunStatus::complete, .gradients = manifest.sampling.gradients};
  if (const ValueTree* integrator = manifest.configuration.find("integrator"))
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
    note(manifest.max_rhat, row.values.rhat, true);
  }
  for (const Warning& warning : summary.warnings) manifest.warnings.push_back(warning.finding + " " + warning.advice);
}

/// A run whose time was up is complete: that is what was asked for. But without a single draw it is of no use to anybody.
void describe_end(const SampleResult& result, std::optional<bool> reached_target, RunManifest& manifest) {
  manifest.status = RunStatus::complete;
  if (result.interrupted) {
    manifest.status = RunStatus::interrupted;
  } else if (result.out_of_time) {
    manifest.stopped_by = "max-seconds";
    if (result.draws > 0) return;
    manifest.status = RunStatus::interrupted;
    manifest.message = "time was up before warm-up had ended: there are no draws; allow more, or a shorter warm-up";
  } else {
    manifest.stopped_by = !reached_target ? "draws" : *reached_target ? "target-ess" : "max-draws";
  }
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

}  // namespace

FileRun run_to_files(const RunConfig& config, const RunPlan& plan, const Sampler::OnDraw& on_draw,
                     const std::atomic<bool>* stop) {
  Sampler sampler(plan.model, plan.options);
  RunDirectory directory(config.out);
  FileRun run{.manifest = begin_manifest(config, plan), .summary = {}};
  ChainFiles files(directory, config, plan);
  run.manifest.files = files.files();
  directory.write(run.manifest);

  std::optional<EssTarget> target;
  if (config.target_ess) target.emplace(config, directory, files);
  SampleResult result;
  try {
    result = sampler.run(
        plan.starts,
        {.on_draw =
             [&](const Draw& draw) {
               files.draw(draw);
               if (on_draw) on_draw(draw);
             },
         .on_frozen =
             [&](const Tuning& tuning) {
               files.end_warmup(tuning);
               write_tuning(tuning, {.name = config.model, .dim = plan.model->dim()}, directory.file("tuning.json"));
             },
         .stop = stop,
         .next_look = target ? [&](int drawn) { return target->next_look(drawn); } : Sampler::NextLook()},
        plan.tuning);
    files.finish(result);
    describe_end(result, target ? std::optional(target->reached()) : std::nullopt, run.manifest);
    run.manifest.files = files.files();
    run.manifest.warmup = {.seconds = result.warmup_seconds, .gradients = result.warmup_gradients};
    run.manifest.sampling = {.seconds = result.sampling_seconds, .gradients = result.sampling_gradients};
    run.manifest.tuning.set("step_size", result.tuning.step_size);
    run.manifest.tuning.set("steps", result.tuning.steps);
    run.manifest.tuning.set("metric", metric_in_words(result.tuning, plan.options.metric));
    run.manifest.tuning.set("metric_draws", static_cast<std::int64_t>(result.tuning.metric_draws));
    run.manifest.tuning.set("gradient_precision", name(result.gradient_precision));
    if (plan.model->traits().single_precision_gradients)
      run.manifest.tuning.set("gradients", std::string(gradients_in_words(result)));
    run.manifest.tuning.set("file", "tuning.json");
    directory.write(run.manifest);  // before the summary, which may take a while
  } catch (const std::exception& e) {
    run.manifest.status = RunStatus::failed;
    run.manifest.message = e.what();
    run.manifest.files = files.files();
    (void)attempt([&] { files.finish(result); });
    if (const std::string why = attempt([&] { directory.write(run.manifest); }); !why.empty())
      throw Error(fmt::format("{}{}: the manifest still says \"{}\"", e.what(), why == e.what() ? "" : ". And " + why,
                              name(RunStatus::running)));
    throw;
  }

  if (run.manifest.status == RunStatus::complete) {  // who interrupts does not want to wait
    run.summary = summarise_files(directory, run.manifest);
    add_extremes(run.summary, run.manifest);
    directory.write(run.manifest);
  }
  return run;
}

}  // namespace darboux

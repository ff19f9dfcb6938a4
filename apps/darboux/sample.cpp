#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "compilation.hpp"
#include "core/spelling.hpp"
#include "draws/run_directory.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "report/printable_text.hpp"
#include "report/summary_text.hpp"
#include "rerun.hpp"
#include "run/ess_target.hpp"
#include "run/file_run.hpp"
#include "run/model_source.hpp"
#include "sample/result_in_words.hpp"
#include "settings.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace {

RunConfig gather(const Settings& settings, const std::string& model) {
  RunConfig config = settings.gather();
  if (!model.empty()) config.model = model;
  if (config.model.empty())
    throw InputError(
        "which model? Name one: darboux sample MODEL. darboux models lists them; a Stan program does as well");
  return config;
}

/// What a run is about to do, in one breath, and what was decided about the model.
void announce(const RunPlan& plan) {
  const RunConfig& config = plan.config;
  const SamplerSettings& s = plan.sample.settings;
  const std::string draws =
      config.target_ess ? fmt::format("{} to {}", first_look(config), s.draws) : fmt::to_string(s.draws);
  fmt::print(
      "{} ({}): {}, {} + {} iterations, {}{} on a {} structure, {} trajectories, "
      "seed {}\n",
      short_name(config.model), counted(plan.sample.model->dim(), "parameter", "parameters"),
      counted(s.chains, "chain", "chains"), s.warmup, draws, name(s.integrator),
      is_approximate(s) ? " (APPROXIMATE)" : "", config.structure_source, name(s.trajectory.kind()),
      plan.sample.asked.seed.value());
  for (const ModelFact& fact : plan.sample.model->describe())
    if (!fact.note.empty()) fmt::print("{}\n", printable(fact.note));
}

/// Which rule ended a run, where there was more than one.
void tell_end(const RunConfig& config, const RunManifest& m) {
  const std::int64_t draws = m.files.front().rows;
  const std::string ess = m.min_bulk_ess ? fmt::format("{:.0f}", *m.min_bulk_ess) : "unknown";
  if (!m.stopped_by) {
    if (m.status == RunStatus::interrupted)
      fmt::print("{}\n", draws > 0 ? "Interrupted: what was drawn until then is kept."
                                   : "Interrupted before the first draw: there is nothing to summarise.");
    return;
  }
  switch (*m.stopped_by) {
    case StoppedBy::draws: return;
    case StoppedBy::max_seconds:
      fmt::print("Stopped by max-seconds = {:g}{}.\n", *config.max_seconds,
                 draws > 0 ? fmt::format(", with {} draws of each chain", draws) : ": " + m.message);
      return;
    case StoppedBy::target_ess:
      fmt::print("Stopped by target-ess = {:g}, with {} draws of each chain: the smallest bulk ESS is {}.\n",
                 *config.target_ess, draws, ess);
      if (const std::string words = target_in_words(config); !words.empty()) fmt::print("{}\n", words);
      return;
    case StoppedBy::max_draws:
      fmt::print("Stopped by max-draws = {}: target-ess = {:g} was NOT reached, the smallest bulk ESS is {}.\n",
                 most_draws(config), *config.target_ess, ess);
      return;
  }
}

void conclude(const RunPlan& plan, const FileRun& run) {
  constexpr std::size_t most_rows = 25;
  const RunManifest& m = run.manifest;
  if (!run.summary.rows.empty())
    fmt::print("\n{}", summary_text(run.summary, {.style = style_of_output(), .max_rows = most_rows}));
  fmt::print("\n{:.1f} + {:.1f} s, {} + {} gradients (warm-up + sampling)\n", m.warmup.seconds, m.sampling.seconds,
             m.warmup.gradients, m.sampling.gradients);
  fmt::print("Metric: {}\n", metric_in_words(run.result.tuning, plan.sample.settings.metric));
  if (plan.sample.model->traits().single_precision_gradients)
    fmt::print("Gradients: {}\n", gradients_in_words(run.result));
  for (const std::string& remark : remarks_on_warm_up(run.result, plan.sample.settings.warmup))
    fmt::print("{}\n", remark);
  for (const std::string& remark : plan.sample.model->remarks()) fmt::print("{}\n", printable(remark));
  tell_end(plan.config, m);
  if (m.files.front().rows > 0)
    fmt::print("Draws are in {0}; their table: darboux summary {1}; as a page with figures: darboux report {1}\n",
               plan.config.out, quoted(plan.config.out));
}

int sample_and_print(const RunConfig& config) {
  if (!config.out.empty()) (void)RunDirectory(config.out);  // before a program is compiled
  const RunPlan plan = make_plan(config, compilation_told());
  (void)RunDirectory(plan.config.out);  // refused before anything is said or logged; it creates nothing yet
  if (!config.quiet) announce(plan);
  catch_signals();
  Progress progress({.chains = config.chains,
                     .warmup = plan.sample.settings.warmup,
                     .draws = plan.sample.settings.draws,
                     .open_ended = config.target_ess.has_value(),
                     .on_terminal = !config.quiet,
                     .log = config.log});
  FileRun run;
  try {
    run = run_to_files(plan, {.sink = &progress, .stop = &interrupted()});
  } catch (...) {
    progress.stop();
    progress.log_end(name(RunStatus::failed), plan.config.out);
    throw;
  }
  progress.log_end(name(run.manifest.status), plan.config.out);
  if (!config.quiet) conclude(plan, run);
  if (!progress.log_failure().empty())
    throw Error(
        fmt::format("cannot write the log {}: {}. Of the draws nothing is lost", config.log, progress.log_failure()));
  return run.manifest.status == RunStatus::complete ? 0 : 1;
}

}  // namespace

Subcommand add_sample(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("sample", "draw from a model's posterior");
  const auto model = std::make_shared<std::string>();
  parser->add_option("MODEL", *model,
                     "a built-in model (darboux models lists them), or a Stan program: NAME.stan, or NAME.so");
  const auto settings = add_settings(*parser);
  parser->footer(
      "Exit status: 0 if all was drawn, or a limit that was given ended the run with draws; 1 if the run failed or was "
      "interrupted, with what was drawn kept; 2 for bad "
      "input.\n"
      "\n"
      "Examples:\n"
      "  darboux sample logistic --data my.csv --response survived\n"
      "  darboux sample schools.stan --data schools.json\n"
      "  darboux sample logistic --data my.csv --chains 16 --draws 5000 --seed 1 --out my-run\n"
      "  darboux sample logistic --data my.csv --tuning my-run/tuning.json         a short burn-in, no more\n"
      "  darboux sample fitzhugh-nagumo --structure coupled --strength 0.5 --integrator doubled\n"
      "  darboux sample logistic --data my.csv --target-ess 1000 --max-seconds 600\n"
      "  darboux sample --config my.toml --seed 2");
  return {parser, [model, settings] { return sample_and_print(gather(*settings, *model)); }};
}

}  // namespace darboux::cli

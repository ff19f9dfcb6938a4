#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "command.hpp"
#include "core/spelling.hpp"
#include "interrupt.hpp"
#include "model/logistic_data.hpp"
#include "progress.hpp"
#include "report/printable_text.hpp"
#include "report/summary_text.hpp"
#include "rerun.hpp"
#include "run/file_run.hpp"
#include "settings.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace {

RunConfig gather(const Settings& settings, const std::string& model) {
  RunConfig config = settings.gather();
  if (!model.empty()) config.model = model;
  if (config.model.empty()) throw InputError("which model? Name one: darboux sample MODEL. darboux models lists them");
  if (config.out.empty()) config.out = fmt::format("darboux-{}-{}", config.model, *config.seed);
  return config;
}

/// What a run is about to do, in one breath.
void announce(const RunConfig& config, const RunPlan& plan) {
  const SampleOptions& o = plan.options;
  const std::string draws =
      config.target_ess ? fmt::format("{} to {}", config.draws, o.draws) : fmt::to_string(o.draws);
  fmt::print(
      "{} ({}): {}, {} + {} iterations, {}{} on a {} structure, {} trajectories, "
      "seed {}\n",
      config.model, counted(plan.model->dim(), "parameter", "parameters"), counted(o.chains, "chain", "chains"),
      o.warmup, draws, name(o.integrator), is_approximate(o) ? " (APPROXIMATE)" : "", config.structure,
      name(o.trajectory), o.seed);
}

/// The column of labels may have been taken by default.
void announce_response(const RunPlan& plan) {
  if (const auto* regression = dynamic_cast<const StandardisedLogistic*>(plan.model.get()))
    fmt::print("Labels: column {} (--response chooses another)\n", printable(regression->response()));
}

/// Which rule ended a run, where there was more than one.
void tell_end(const RunConfig& config, const RunManifest& m) {
  const std::int64_t draws = m.files.front().rows;
  const std::string ess = m.min_bulk_ess ? fmt::format("{:.0f}", *m.min_bulk_ess) : "unknown";
  if (m.status == RunStatus::interrupted && m.stopped_by.empty())
    fmt::print("{}\n", draws > 0 ? "Interrupted: what was drawn until then is kept."
                                 : "Interrupted before the first draw: there is nothing to summarise.");
  if (m.stopped_by == "max-seconds" && draws > 0)
    fmt::print("Stopped by max-seconds = {:g}, with {} draws of each chain.\n", *config.max_seconds, draws);
  if (m.stopped_by == "max-seconds" && draws == 0)
    fmt::print("Stopped by max-seconds = {:g}: {}.\n", *config.max_seconds, m.message);
  if (m.stopped_by == "target-ess")
    fmt::print("Stopped by target-ess = {:g}, with {} draws of each chain: the smallest bulk ESS is {}.\n",
               *config.target_ess, draws, ess);
  if (m.stopped_by == "max-draws")
    fmt::print("Stopped by max-draws = {}: target-ess = {:g} was NOT reached, the smallest bulk ESS is {}.\n",
               most_draws(config), *config.target_ess, ess);
}

void conclude(const RunConfig& config, const FileRun& run) {
  constexpr std::size_t most_rows = 25;
  const RunManifest& m = run.manifest;
  if (!run.summary.rows.empty())
    fmt::print("\n{}", summary_text(run.summary, {.style = style_of_output(), .max_rows = most_rows}));
  fmt::print("\n{:.1f} + {:.1f} s, {} + {} gradients (warm-up + sampling)\n", m.warmup.seconds, m.sampling.seconds,
             m.warmup.gradients, m.sampling.gradients);
  if (const ValueTree* metric = m.tuning.find("metric"))
    fmt::print("Metric: {}\n", std::get<std::string>(metric->value()));
  if (const ValueTree* gradients = m.tuning.find("gradients"))
    fmt::print("Gradients: {}\n", std::get<std::string>(gradients->value()));
  tell_end(config, m);
  if (m.files.front().rows > 0)
    fmt::print("Draws are in {0}; their table: darboux summary {1}; as a page with figures: darboux report {1}\n",
               config.out, quoted(config.out));
}

}  // namespace

Subcommand add_sample(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("sample", "draw from a model's posterior");
  const auto model = std::make_shared<std::string>();
  parser->add_option("MODEL", *model, "a built-in model: darboux models lists them");
  const auto settings = add_settings(*parser);
  parser->footer(
      "Exit status: 0 if all was drawn, or a limit that was given ended the run with draws; 1 if the run failed or was "
      "interrupted, with what was drawn kept; 2 for bad "
      "input.\n"
      "\n"
      "Examples:\n"
      "  darboux sample logistic --data my.csv --response survived\n"
      "  darboux sample logistic --data my.csv --chains 16 --draws 5000 --seed 1 --out my-run\n"
      "  darboux sample logistic --data my.csv --tuning my-run/tuning.json         no warm-up this time\n"
      "  darboux sample fitzhugh-nagumo --structure coupled --strength 0.5 --integrator doubled\n"
      "  darboux sample logistic --data my.csv --target-ess 1000 --max-seconds 600\n"
      "  darboux sample --config my.toml --seed 2");
  return {parser, [model, settings] {
            const RunConfig config = gather(*settings, *model);
            const RunPlan plan = make_plan(config);
            if (!config.quiet) {
              announce(config, plan);
              announce_response(plan);
            }
            catch_signals();
            Progress progress({.chains = config.chains,
                               .warmup = plan.options.warmup,
                               .draws = plan.options.draws,
                               .open_ended = config.target_ess.has_value(),
                               .on_terminal = !config.quiet,
                               .log = config.log});
            FileRun run;
            try {
              run = run_to_files(config, plan, [&](const Draw& draw) { progress.saw(draw); }, &interrupted());
            } catch (...) {
              progress.finish();
              progress.log_end(name(RunStatus::failed), config.out);
              throw;
            }
            progress.finish();
            progress.log_end(name(run.manifest.status), config.out);
            if (!config.quiet) conclude(config, run);
            if (!progress.log_failure().empty())
              throw Error(fmt::format("cannot write the log {}: {}. Of the draws nothing is lost", config.log,
                                      progress.log_failure()));
            return run.manifest.status == RunStatus::complete ? 0 : 1;
          }};
}

}  // namespace darboux::cli

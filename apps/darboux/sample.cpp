#include <darboux/core/error.hpp>

#include "cluster/on_all.hpp"
#include "command.hpp"
#include "compilation.hpp"
#include "copies.hpp"
#include "draws/run_directory.hpp"
#include "leading.hpp"
#include "run/file_run.hpp"
#include "run/plan_together.hpp"
#include "settings.hpp"
#include "telling.hpp"

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

int sample_rows(const RunConfig& config) {
  return lead_or_follow(config.threads, [&](const Lead& lead, int threads) {
    if (!config.out.empty()) (void)RunDirectory(config.out);
    RunConfig own = config;
    own.threads = threads;
    RunPlan plan = make_plan(own, compilation_told(), StartsAre::wanted, lead);
    plan.config.threads = config.threads;
    (void)RunDirectory(plan.config.out);
    lead.leave_word(how_to_go_on(plan.config.out));
    return run_and_tell(plan, {.folder = plan.config.out, .log = config.log, .quiet = config.quiet},
                        [&](const RunWatch& watch) { return run_to_files(plan, watch); });
  });
}

int sample_chains(const RunConfig& config, Group& group) {
  const auto require_folder = [&](const std::string& folder) {  // it creates nothing yet
    on_all(group, [&] { (void)RunDirectory(folder); });
  };
  if (!config.out.empty()) require_folder(config.out);  // before a program is compiled
  const RunPlan plan = plan_together(group, config, compilation_told());
  require_folder(plan.config.out);  // refused before anything is said or logged
  return run_and_tell(plan, {.folder = plan.config.out, .log = config.log, .quiet = config.quiet, .group = &group},
                      [&](const RunWatch& watch) { return run_to_files(plan, watch); });
}

int sample_and_print(const RunConfig& config) {
  if (shards_rows(config)) return sample_rows(config);
  if (config.chain_ids.empty()) return sample_chains(config, started_group());
  return as_part([&] { return sample_chains(config, alone()); });
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
      "interrupted, with what was drawn kept (darboux resume goes on with it); 2 for bad "
      "input.\n"
      "\n"
      "Examples:\n"
      "  darboux sample logistic --data my.csv --response survived\n"
      "  darboux sample schools.stan --data schools.json\n"
      "  darboux sample logistic --data my.csv --chains 16 --draws 5000 --seed 1 --out my-run\n"
      "  darboux sample logistic --data my.csv --tuning my-run/tuning.json         a short burn-in, no more\n"
      "  darboux sample logistic --data my.csv --tuning my-run/tuning.json --seed 1 --chain-ids 5-8 --out part-2\n"
      "  darboux sample fitzhugh-nagumo --structure coupled --strength 0.5 --integrator doubled\n"
      "  darboux sample logistic --data my.csv --target-ess 1000 --max-seconds 600\n"
      "  mpirun -n 8 darboux sample logistic --data my.csv --chains 256             one run, if built with MPI\n"
      "  darboux sample --config my.toml --seed 2");
  return {parser, [model, settings] { return sample_and_print(gather(*settings, *model)); }, true};
}

}  // namespace darboux::cli

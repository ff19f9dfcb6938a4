#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <darboux/core/error.hpp>
#include <darboux/sample/file_run.hpp>
#include <random>
#include <thread>

#include "command.hpp"
#include "progress.hpp"

namespace darboux::cli {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so that the signal handler may set it

/// The first Ctrl-C or SIGTERM ends the run in good order; a second one ends the process at once.
extern "C" void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

/// What the flags said; they are applied after the configuration file, so that they win.
struct Flags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> given;
};

void add_fields(CLI::App& parser, const std::shared_ptr<Flags>& flags) {
  for (const Field<RunConfig>& field : run_fields()) {
    const auto remember = [flags, name = field.name](const std::string& value) {
      flags->given.emplace_back(name, value);
    };
    CLI::Option* option = nullptr;
    if (field.is_switch) {
      option = parser.add_flag_function("--" + field.name, [remember](std::int64_t) { remember("true"); }, field.help);
      option->disable_flag_override();  // --quiet=maybe
    } else {
      option = parser.add_option_function<std::string>("--" + field.name, remember, field.help);
      option->type_name(field.takes);
    }
    const std::string standard = field.get(RunConfig{});
    if (!field.is_switch && !standard.empty()) option->default_str(standard);
  }
}

RunConfig gather(const std::string& model, const Flags& flags) {
  RunConfig config;
  if (!flags.config_file.empty()) read_config(config, flags.config_file);
  for (const auto& [name, value] : flags.given) set_field(config, name, value);
  if (!model.empty()) config.model = model;
  if (config.model.empty()) throw InputError("which model? Name one: darboux sample MODEL. darboux models lists them");
  if (!config.seed) config.seed = std::random_device{}();
  if (!config.threads) config.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (config.out.empty()) config.out = fmt::format("darboux-{}-{}", config.model, *config.seed);
  return config;
}

/// What a run is about to do, in one breath.
void announce(const RunConfig& config, const RunPlan& plan) {
  const SampleOptions& o = plan.options;
  fmt::print("{} ({} parameters): {} chains, {} + {} iterations, {}{} on a {} structure, seed {}\n", config.model,
             plan.model->dim(), o.chains, o.warmup, o.draws, name(o.integrator),
             o.integrator == IntegratorKind::explicit_copies ? " (APPROXIMATE)" : "", config.structure, o.seed);
}

void conclude(const RunConfig& config, const FileRun& run) {
  const RunManifest& m = run.manifest;
  fmt::print("\n{} + {:.1f} s, {} + {} gradients (warm-up + sampling)\n", fmt::format("{:.1f}", m.warmup.seconds),
             m.sampling.seconds, m.warmup.gradients, m.sampling.gradients);
  if (m.status == RunStatus::interrupted) fmt::print("Interrupted: what was drawn until then is kept.\n");
  fmt::print("Draws are in {}. Again with the table: darboux summary {}\n", config.out, config.out);
}

}  // namespace

Subcommand add_sample(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("sample", "draw from a model's posterior");
  const auto model = std::make_shared<std::string>();
  const auto flags = std::make_shared<Flags>();
  parser->add_option("MODEL", *model, "a built-in model: darboux models lists them");
  parser->add_option("--config", flags->config_file, "TOML file with any of these settings (chains = 8); flags win")
      ->type_name("FILE");
  add_fields(*parser, flags);
  return {parser, [model, flags] {
            const RunConfig config = gather(*model, *flags);
            const RunPlan plan = make_plan(config);
            if (!config.quiet) announce(config, plan);
            std::signal(SIGINT, on_signal);
            std::signal(SIGTERM, on_signal);
            Progress progress({.chains = config.chains, .warmup = plan.options.warmup, .draws = plan.options.draws},
                              !config.quiet);
            const FileRun run = run_to_files(config, plan, [&](const Draw& draw) { progress.saw(draw); }, &interrupted);
            progress.finish();
            if (!config.quiet) conclude(config, run);
            return run.manifest.status == RunStatus::complete ? 0 : 1;
          }};
}

}  // namespace darboux::cli

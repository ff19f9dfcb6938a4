#include "run/resume.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "command.hpp"
#include "compilation.hpp"
#include "copies.hpp"
#include "leading.hpp"
#include "rerun.hpp"
#include "settings.hpp"
#include "telling.hpp"

namespace darboux::cli {

namespace {

struct Asked {
  std::string folder;
  std::vector<std::pair<std::string, std::string>> given;  ///< settings and values
  std::string log;
  bool quiet = false;
};

/// In the ranges of the settings of these names.
ResumeOptions options_of(const Asked& asked) {
  RunConfig read;
  ResumeOptions options;
  for (const auto& [setting, value] : asked.given) {
    set_field(read, setting, value);
    if (setting == "draws") options.draws = read.draws;
  }
  options.target_ess = read.target_ess;
  options.max_draws = read.max_draws;
  options.max_seconds = read.max_seconds;
  options.threads = read.threads;
  options.log_likelihood = read.log_likelihood;
  options.posterior_predictive = read.posterior_predictive;
  options.before_loading = [](const std::string& words) { tell({words}); };
  return options;
}

void tell_where(const EarlierRun& earlier) {
  if (!earlier.checkpoint)
    fmt::print("There is no checkpoint, as of a run that was killed in its first seconds: all is drawn again.\n");
  else
    fmt::print("Going on after {} {}.\n", earlier.checkpoint->iterations,
               earlier.checkpoint->phase == Phase::warmup ? "iterations of warm-up" : "draws of each chain");
}

int go_on_and_tell(const Asked& asked, Resumption run, Group& group) {
  const bool tells = group.is_first() && !asked.quiet;
  if (run.is_complete) {
    if (tells)
      fmt::print("The run is complete. More draws: darboux resume {} --draws N, or --target-ess N\n",
                 quoted(asked.folder));
    return 0;
  }
  if (group.is_first()) tell(run.notes);
  if (tells) tell_where(run.earlier);
  const auto& from = run.earlier.checkpoint;
  const int before = from && from->phase == Phase::sampling ? run.plan.sample.settings.warmup : 0;
  return run_and_tell(run.plan,
                      {.folder = asked.folder,
                       .log = asked.log,
                       .quiet = asked.quiet,
                       .done = from ? before + from->iterations : 0,
                       .group = &group},
                      [&](const RunWatch& watch) { return resume(run, watch); });
}

int resume_and_print(const Asked& asked) {
  Group& group = started_group();
  ResumeOptions options = options_of(asked);
  if (of_first(group, is_run_over_rows(asked.folder) ? "rows" : "") != "rows")
    return go_on_and_tell(asked, open_run_together(group, asked.folder, options, compilation_told()), group);
  return lead_or_follow(options.threads, [&](const Lead& lead, int threads) {
    options.threads = threads;
    lead.leave_word(how_to_go_on(asked.folder));
    return go_on_and_tell(asked, open_run(asked.folder, options, compilation_told(), lead), alone());
  });
}

}  // namespace

Subcommand add_resume(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("resume", "go on with a run that was interrupted or killed, or add draws");
  const auto asked = std::make_shared<Asked>();
  parser->add_option("DIR", asked->folder, "folder of the run")->required();
  const auto add = [&](const std::string& setting, const char* takes, const char* help) {
    const auto remember = [asked, setting](const std::string& value) { asked->given.emplace_back(setting, value); };
    parser->add_option_function<std::string>("--" + setting, remember, help)->type_name(takes);
  };
  add("draws", "N",
      "go on until each chain has so many draws, those that are there counted; as the run was told when absent");
  add("target-ess", "N", "or until the smallest bulk ESS of the draws that are kept is N");
  add("max-draws", "N", "of target-ess: the most draws of each chain; 100 times draws");
  add("max-seconds", "S",
      "end after this time, counted from when there are as many draws as there were; no limit when absent, whatever "
      "the run was told");
  add("threads", "N", "threads; as the run was told when absent. Draws do not depend on it");
  parser
      ->add_flag_function(
          "--log-likelihood", [asked](std::int64_t) { asked->given.emplace_back("log-likelihood", "true"); },
          "write the log likelihood of every observation at every draw, also of a run that was made without")
      ->disable_flag_override();
  add("posterior-predictive", "N", "likewise predictions, for N draws of each chain");
  parser
      ->add_option("--log", asked->log,
                   "append progress to this file, as JSON lines; - writes it to standard output, with --quiet")
      ->type_name("FILE");
  parser->add_flag("--quiet", asked->quiet, "no progress, no summary");
  parser->footer(
      "Draws are the same, to the last bit, as those of a run that was never interrupted, on processors of one class. "
      "Input files must be where they were, and what they were.\n"
      "\n"
      "Exit status: as of darboux sample; 0 if there was nothing to be done.\n"
      "\n"
      "Examples:\n"
      "  darboux resume my-run\n"
      "  darboux resume my-run --draws 5000\n"
      "  darboux resume my-run --log-likelihood\n"
      "  darboux resume my-run --target-ess 1000 --max-seconds 600\n"
      "  mpirun -n 8 darboux resume my-run                       with any number of processes, if built with MPI");
  return {parser, [asked] { return resume_and_print(*asked); }, true};
}

}  // namespace darboux::cli

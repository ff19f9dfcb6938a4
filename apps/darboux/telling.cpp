#include "telling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <darboux/core/error.hpp>

#include "core/spelling.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "report/printable_text.hpp"
#include "report/summary_text.hpp"
#include "rerun.hpp"
#include "run/ess_target.hpp"
#include "run/model_source.hpp"
#include "run/structure_choice.hpp"
#include "sample/result_in_words.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace {

std::string structure_in_words(const RunConfig& config) {
  if (config.structure_source != automatic_structure) return config.structure_source;
  return std::string(name(choose_structure().recipe));
}

/// What a run is about to do, in one breath, and what was decided about the model.
void announce(const RunPlan& plan, const Group& group) {
  const RunConfig& config = plan.config;
  const SamplerSettings& s = plan.sample.settings;
  const std::string draws =
      config.target_ess ? fmt::format("{} to {}", first_look(config), s.draws) : fmt::to_string(s.draws);
  const std::string words = fmt::format(
      "{} ({}): {}, {} + {} iterations, {}{} on a {} structure, {} trajectories, "
      "seed {}",
      short_name(config.model), counted(plan.sample.model->dim(), "parameter", "parameters"),
      counted(s.chains, "chain", "chains"), s.warmup, draws, name(s.integrator),
      is_approximate(s) ? " (APPROXIMATE)" : "", structure_in_words(config), name(s.trajectory.kind()),
      plan.sample.asked.seed.value());
  fmt::print("{}\n", printable(words));  // names may come from the folder of a run
  if (const int processes = std::max(group.size(), plan.rows->size()); processes > 1)
    fmt::print("{} processes{} with {} each\n", processes, group.is_alone() ? ", which share the rows," : "",
               counted(s.threads, "thread", "threads"));
  const Tuning& first = plan.sample.tuning ? *plan.sample.tuning : s.first;
  if (const std::string warning = instability_in_words(plan.sample.starts.fastest, first, s.order); !warning.empty())
    fmt::print("{}\n", warning);
  print_facts(*plan.sample.model);
}

/// Which rule ended a run, where there was more than one.
void tell_end(const RunPlan& plan, const std::string& folder, const RunManifest& m) {
  const RunConfig& config = plan.config;
  const std::int64_t draws = m.files.front().rows;
  const std::string ess = m.min_bulk_ess ? fmt::format("{:.0f}", *m.min_bulk_ess) : "unknown";
  if (!m.stopped_by) {
    if (m.status == RunStatus::interrupted)
      fmt::print("{} To go on: darboux resume {}\n",
                 draws > 0 ? "Interrupted: what was drawn until then is kept."
                           : "Interrupted before the first draw: there is nothing to summarise.",
                 quoted(folder));
    return;
  }
  switch (*m.stopped_by) {
    case StoppedBy::draws: return;
    case StoppedBy::max_seconds:
      fmt::print("Stopped by max-seconds = {:g}{}. To go on: darboux resume {}\n", *plan.sample.settings.max_seconds,
                 draws > 0 ? fmt::format(", with {} draws of each chain", draws) : ": " + m.message, quoted(folder));
      return;
    case StoppedBy::target_ess:
      fmt::print("Stopped by target-ess = {:g}, with {} draws of each chain: the smallest bulk ESS is {}.\n",
                 *config.target_ess, draws, ess);
      return;
    case StoppedBy::max_draws:
      fmt::print("Stopped by max-draws = {}: target-ess = {:g} was NOT reached, the smallest bulk ESS is {}.\n",
                 most_draws(config), *config.target_ess, ess);
      return;
  }
}

void conclude(const RunPlan& plan, const std::string& folder, const FileRun& run) {
  constexpr std::size_t most_rows = 25;
  const RunManifest& m = run.manifest;
  if (!run.summary.rows.empty())
    fmt::print("\n{}", summary_text(run.summary, {.style = style_of_output(), .max_rows = most_rows}));
  fmt::print("\n{:.1f} + {:.1f} s, {} + {} gradients (warm-up + sampling)\n", m.warmup.seconds, m.sampling.seconds,
             m.warmup.gradients, m.sampling.gradients);
  if (plan.config.structure_source == automatic_structure) {
    const ChosenStructure chosen = choose_structure();
    fmt::print("Structure: {}, since {}\n", name(chosen.recipe), chosen.reason);
  }
  if (!plan.sample.settings.trajectory.traits().goes_both_ways)
    fmt::print("Trajectories: {}\n", steps_in_words(run.result, plan.sample.settings));
  if (plan.sample.settings.chooses_steps)
    fmt::print("Motion: {}\n", motion_in_words(run.result, plan.config.motion.has_value()));
  fmt::print("Metric: {}\n", metric_in_words(run.result.tuning, plan.sample.settings.metric));
  if (const std::string words = coordinates_in_words(run.result.tuning); !words.empty())
    fmt::print("Coordinates: {}\n", words);
  if (plan.sample.model->traits().single_precision_gradients)
    fmt::print("Gradients: {}\n", gradients_in_words(run.result));
  std::vector<std::string> remarks = remarks_on_warm_up(run.result, plan.sample.settings.warmup);
  for (std::string& remark : plan.sample.model->remarks()) remarks.push_back(std::move(remark));
  for (const std::string& remark : remarks)  // but those that the summary has
    if (std::ranges::find(run.summary.told, remark) == run.summary.told.end()) fmt::print("{}\n", printable(remark));
  tell_end(plan, folder, m);
  if (m.files.front().rows > 0)
    fmt::print("Draws are in {0}; their table: darboux summary {1}; as a page with figures: darboux report {1}\n",
               folder, quoted(folder));
}

}  // namespace

void print_facts(const Model& model) {
  for (const ModelFact& fact : model.describe())
    if (!fact.note.empty()) fmt::print("{}\n", printable(fact.note));
}

int run_and_tell(const RunPlan& plan, const Telling& telling, const std::function<FileRun(const RunWatch&)>& run) {
  if (!telling.group->is_first()) {
    catch_signals();
    const FileRun result = run({.stop = &interrupted(), .group = telling.group});
    return result.manifest.status == RunStatus::complete ? 0 : 1;
  }
  if (!telling.quiet) announce(plan, *telling.group);
  catch_signals();
  Progress progress({.chains = plan.config.chains,
                     .first_chain = plan.sample.settings.first_chain,
                     .elsewhere = plan.config.chains - share_of(plan.config.chains, 0, telling.group->size()).count,
                     .warmup = plan.sample.settings.warmup,
                     .draws = plan.sample.settings.draws,
                     .done = telling.done,
                     .open_ended = plan.config.target_ess.has_value(),
                     .on_terminal = !telling.quiet,
                     .log = telling.log});
  const auto leave = [&] {
    progress.stop();
    progress.log_end(name(RunStatus::failed), telling.folder);
  };
  const AtLoss at_loss(processes_of(plan, *telling.group), [&](std::string&) { leave(); });
  FileRun result;
  try {
    result =
        run({.sink = &progress, .stop = &interrupted(), .group = telling.group, .divergences = [&](std::int64_t more) {
               progress.count_divergences(more);
             }});
  } catch (...) {
    leave();
    throw;
  }
  progress.log_end(name(result.manifest.status), telling.folder);
  if (!telling.quiet) conclude(plan, telling.folder, result);
  if (!progress.log_failure().empty())
    throw Error(
        fmt::format("cannot write the log {}: {}. Of the draws nothing is lost", telling.log, progress.log_failure()));
  return result.manifest.status == RunStatus::complete ? 0 : 1;
}

}  // namespace darboux::cli

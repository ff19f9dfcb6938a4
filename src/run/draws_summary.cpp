#include "run/draws_summary.hpp"

#include <numeric>

#include "darboux/core/error.hpp"
#include "report/parameter_selection.hpp"
#include "run/draws_content.hpp"
#include "sample/result_in_words.hpp"

namespace darboux {

namespace {

constexpr auto log_density = "lp__";

/// Places of the rows that are asked for; the log density is the first of all, and quantities follow.
std::vector<std::size_t> chosen_rows(const Draws& draws, const std::vector<std::string>& names,
                                     const std::string& parameters) {
  if (!parameters.empty()) {
    std::vector<std::string> others{log_density};
    others.insert(others.end(), draws.names().begin(), draws.names().end());
    return select_names(names, parameters, others);
  }
  std::vector<std::size_t> all(names.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

RunSummary run_summary(const Draws& draws, const DrawsSummaryOptions& options) {
  validate(options.extras);
  if (draws.size() == 0) throw InputError("there are no draws to summarise: the run ended before the first");
  const SamplePlan& plan = draws.content().plan;
  const MemorySink& memory = draws.content().memory;
  const SampleResult& result = draws.result();
  RunSummary run;
  run.extras = options.extras;
  run.interrupted = result.end == SampleEnd::interrupted;
  run.integrator = name(plan.settings.integrator);
  run.gradients = result.sampling_gradients;
  run.told = told_by(*plan.model, result);
  for (Index c = 0; c < draws.chains(); ++c) {
    ChainFacts& facts = run.chains.emplace_back(
        chain_facts(draws.transitions(c), plan.asked.max_depth.value_or(NutsTrajectory().max_depth)));
    facts.integrator = run.integrator;
    facts.reverse_check = plan.settings.kernel.reverse_check_rate;
    facts.sampling_seconds = result.sampling_seconds;
  }
  std::vector<std::string> names{log_density};
  const std::vector<std::string>& shown = options.names.empty() ? draws.names() : options.names;
  names.insert(names.end(), shown.begin(), shown.end());
  run.columns_in_file = names.size();
  SummaryBuilder builder(run);
  for (const std::size_t row : chosen_rows(draws, names, options.parameters))
    builder.add(builder.look_at(names[row], row == 0 ? memory.log_densities() : memory.column(row - 1)));
  builder.finish();
  return run;
}

}  // namespace darboux

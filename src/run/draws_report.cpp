#include "run/draws_report.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/utc_time.hpp"
#include "darboux/core/error.hpp"
#include "draws/stan_csv_sink.hpp"
#include "io/scratch_folder.hpp"
#include "report/run_input.hpp"
#include "report/run_report.hpp"
#include "run/draws_content.hpp"
#include "run/run_record.hpp"

namespace darboux {

namespace {

namespace fs = std::filesystem;

void hand_on(const Draws& draws, Phase phase, DrawSink& sink) {
  const MemorySink& memory = draws.content().memory;
  std::vector<double> values(memory.columns());
  for (Index chain = 0; chain < memory.chains(); ++chain) {
    const auto transitions = memory.transitions(chain, phase);
    for (std::size_t i = 0; i < transitions.size(); ++i) {
      for (std::size_t j = 0; j < values.size(); ++j) values[j] = memory.column(chain, j, phase)[i];
      sink.draw({.values = values,
                 .transition = transitions[i],
                 .chain = chain,
                 .iteration = static_cast<int>(i),
                 .phase = phase});
    }
  }
}

}  // namespace

namespace {

/// The posterior mean of each observation's likelihood.
ObservationSummary observation_summary(const Draws& draws) {
  ObservationSummary summary{.observed = draws.content().plan.model->make_observations()->observed(), .likelihood = {}};
  for (Index chain = 0; chain < draws.chains(); ++chain) {
    const Matrix terms = draws.log_likelihood(chain);
    summary.likelihood.resize(at(terms.cols()));
    for (Index k = 0; k < terms.rows(); ++k)
      for (Index i = 0; i < terms.cols(); ++i) summary.likelihood[at(i)] += std::exp(terms(k, i));
  }
  for (double& sum : summary.likelihood) sum /= static_cast<double>(draws.chains() * draws.size());
  return summary;
}

}  // namespace

Report report_of(const Draws& draws, RunConfig config, const std::string& rerun) {
  if (draws.size() == 0) throw InputError("there are no draws to report: the run ended before the first");
  const SampleResult& result = draws.result();
  ReportedRun reported;
  reported.name = config.model;
  reported.rerun = rerun;
  const RunPlan plan{.config = std::move(config), .sample = draws.content().plan};
  const ScratchFolder folder(fs::temp_directory_path());
  RunDirectory directory(folder.path());
  const std::string now = utc_now();
  StanCsvSink files(directory, csv_header(plan, now), {.first = 0, .count = draws.chains()}, draws.names());
  hand_on(draws, Phase::warmup, files);
  files.end_warmup(result);
  hand_on(draws, Phase::sampling, files);
  files.finish(result);

  RunManifest manifest = begin_manifest(plan, now);
  manifest.files = files.files();
  describe_result(plan, result, result.draws < most_draws(plan.config), manifest);
  describe_tuning(plan, result, manifest);
  directory.write(manifest);

  reported.input = open_runs(std::array{folder.path()});
  SummarisedRun summarised = summarise_for_report(reported.input);
  reported.summary = std::move(summarised.summary);
  reported.columns = std::move(summarised.columns);
  reported.manifest = std::move(manifest);
  if (plan.config.log_likelihood) reported.observations = observation_summary(draws);
  if (const auto& structure = plan.sample.settings.structure) reported.structure = facts_of(*structure);
  return run_report(reported);
}

}  // namespace darboux

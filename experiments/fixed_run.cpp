#include "fixed_run.hpp"

#include <time.h>

#include <cmath>

namespace darboux::experiments {

namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

std::span<const double> FixedRun::chain(std::size_t coordinate, Index c) const {
  const auto n = static_cast<std::size_t>(draws);
  return std::span(values[coordinate]).subspan(static_cast<std::size_t>(c) * n, n);
}

SamplerSettings fixed_settings(const FixedSetting& setting, const PoissonStructure& structure) {
  SamplerSettings s;
  s.chains = setting.chains;
  s.warmup = 0;
  s.draws = setting.draws;
  s.seed = setting.seed;
  s.structure = structure;
  s.metric = Metric::identity;
  s.trajectory = JitteredTrajectory{.length = {.steps = setting.steps}};
  s.first.step_size = setting.step_size;
  s.gradient_precision = GradientPrecision::full;  // as in the paper
  return s;
}

DarbouxBasis experiment_basis(const PoissonStructure& structure, BasisMethod method, std::uint64_t seed) {
  return method == BasisMethod::gram_schmidt ? gram_schmidt_basis(structure, {.restarts = 10, .seed = seed})
                                             : make_basis(structure, method);
}

void append(FixedRun& run, const FixedRun& more) {
  const auto add = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::size_t j = 0; j < run.values.size(); ++j) add(run.values[j], more.values[j]);
  add(run.log_density, more.log_density);
  add(run.acceptance, more.acceptance);
  add(run.energy_error, more.energy_error);
  add(run.failures, more.failures);
  add(run.gradients, more.gradients);
  run.chains += more.chains;
  run.solver_iterations += more.solver_iterations;
  run.cpu_seconds += more.cpu_seconds;
}

FixedRun run_fixed(const std::shared_ptr<const Model>& model, const SamplerSettings& settings, ConstBatch starts,
                   const std::atomic<bool>& stop) {
  const auto chains = static_cast<std::size_t>(settings.chains);
  const auto draws = static_cast<std::size_t>(settings.draws);
  FixedRun run{.chains = settings.chains,
               .draws = settings.draws,
               .values = std::vector(model->names().size(), std::vector<double>(chains * draws)),
               .log_density = std::vector<double>(chains * draws),
               .acceptance = std::vector<double>(chains),
               .energy_error = std::vector<double>(chains),
               .failures = std::vector<double>(chains),
               .gradients = std::vector<double>(chains)};
  CallbackSink record([&](const Draw& draw) {
    const auto c = static_cast<std::size_t>(draw.chain);
    const Transition& t = draw.transition;
    const std::size_t at = c * draws + static_cast<std::size_t>(draw.iteration);
    for (std::size_t j = 0; j < run.values.size(); ++j) run.values[j][at] = draw.values[j];
    run.log_density[at] = t.log_density;
    run.acceptance[c] += t.accepted ? 1.0 : 0.0;
    run.gradients[c] += static_cast<double>(t.gradients);
    run.solver_iterations += static_cast<double>(t.solver_iterations);
    if (t.status == Status::ok)
      run.energy_error[c] += std::abs(t.energy_error);
    else
      run.failures[c] += 1.0;
  });
  const double begin = thread_seconds();
  (void)Sampler(model, settings).run(starts, record, {.stop = &stop});
  run.cpu_seconds = thread_seconds() - begin;
  for (std::size_t c = 0; c < chains; ++c) {
    run.acceptance[c] /= static_cast<double>(draws);
    run.energy_error[c] /= static_cast<double>(draws) - run.failures[c];
  }
  return run;
}

}  // namespace darboux::experiments

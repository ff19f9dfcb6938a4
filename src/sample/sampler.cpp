#include "sample/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "sample/chain_pool.hpp"
#include "sample/warm_up.hpp"

namespace darboux {

namespace {

/// What warm-up begins with: the first tuning, and a preconditioner of the kind that is asked for where the starts suggest one.
Tuning first_tuning(const SamplerSettings& settings, const Starts& starts) {
  Tuning first = settings.first;
  if (!starts.shape || settings.metric == Metric::identity) return first;
  first.center = starts.shape->center;
  first.factor = starts.shape->factor;
  if (settings.metric == Metric::dense || first.factor.is_diagonal()) return first;
  const Matrix factor = first.factor.matrix();
  std::vector<double> scales;
  for (Index i = 0; i < factor.rows(); ++i) {
    double variance = 0.0;
    for (Index j = 0; j < factor.cols(); ++j) variance += factor(i, j) * factor(i, j);
    scales.push_back(std::sqrt(variance));
  }
  first.factor = StructuredMatrix::diagonal(std::move(scales));
  return first;
}

/// Iterations with everything frozen, a few at a time: what is observed of them is not wanted.
void burn_in(ChainPool& pool, int iterations) {
  constexpr int few = 100;
  for (int done = 0; done < iterations && !pool.stopped(); done += few)
    (void)pool.advance(Phase::warmup, done, std::min(few, iterations - done));
}

}  // namespace

Sampler::Sampler(std::shared_ptr<const Model> model, SamplerSettings settings)
    : model_(std::move(model)), settings_(std::move(settings)) {
  if (!settings_.target_acceptance)
    settings_.target_acceptance = default_target_acceptance(settings_.integrator, model_->traits());
  validate(settings_, model_->dim());
}

SampleResult Sampler::run(ConstBatch starts, DrawSink& sink, const RunControl& control) {
  Starts points{.q = OwnedBatch(starts.rows(), starts.lanes())};
  for (Index lane = 0; lane < starts.lanes(); ++lane)
    for (Index j = 0; j < starts.rows(); ++j) points.q(j, lane) = starts(j, lane);
  return run(points, sink, control);
}

SampleResult Sampler::run(const Starts& starts, DrawSink& sink, const RunControl& control) {
  if (starts.q.rows() != model_->dim() || starts.q.lanes() != settings_.chains)
    throw InputError(fmt::format("starts are {} × {}: must be {} × {}, one lane per chain", starts.q.rows(),
                                 starts.q.lanes(), model_->dim(), settings_.chains));
  ChainPool pool(model_, settings_, starts.q, sink);
  pool.stop_when(control.stop);
  pool.count_earlier(starts.taken.seconds);
  SampleResult result;
  const Stopwatch of_warmup;
  if (control.tuning) {
    result.tuning = *control.tuning;
  } else if (settings_.warmup == 0) {
    result.tuning = untuned(settings_);
  } else {
    WarmedUp warmed_up = warm_up(pool, *model_, settings_, first_tuning(settings_, starts));
    result.tuning = std::move(warmed_up.tuning);
    result.late_chains = std::move(warmed_up.late);
    result.absent_chains = std::move(warmed_up.absent);
    result.late_gradients = warmed_up.gradients;
    result.target_acceptance = warmed_up.target_acceptance;
    result.hopeless = warmed_up.hopeless;
    result.refused = warmed_up.refused;
  }
  if (result.tuning.center.empty()) {  // no preconditioner was asked for, or there was no time to find one
    result.tuning.center.assign(at(model_->dim()), 0.0);
    result.tuning.factor = StructuredMatrix::identity(model_->dim());
  }
  pool.set(result.tuning);
  if (control.tuning) burn_in(pool, settings_.warmup);
  Elapsed warmup = of_warmup.elapsed(), sampling;
  warmup += starts.taken;
  result.warmup_seconds = warmup.seconds;
  result.warmup_cpu_seconds = warmup.cpu_seconds;
  result.gradient_precision = pool.gradient_precision();
  result.single_precision_is_too_rough = pool.single_precision_is_too_rough();
  const std::int64_t gradients_until_now = pool.gradient_evaluations();
  result.start_gradients = starts.gradients + starts.densities;
  result.warmup_gradients = gradients_until_now + result.start_gradients + result.late_gradients;

  if (!pool.stopped()) sink.end_warmup(result.tuning);
  const auto next_goal = [&] {
    return control.next_look ? std::min(control.next_look(result.draws), settings_.draws) : settings_.draws;
  };
  int goal = next_goal();
  while (result.draws < goal && !pool.stopped()) {
    const Stopwatch watch;
    result.draws += pool.advance(Phase::sampling, result.draws, goal - result.draws).iterations;
    sampling += watch.elapsed();
    if (result.draws == goal) goal = next_goal();
  }
  result.sampling_seconds = sampling.seconds;
  result.sampling_cpu_seconds = sampling.cpu_seconds;
  result.sampling_gradients = pool.gradient_evaluations() - gradients_until_now;
  if (result.draws < goal) result.end = pool.asked_to_stop() ? SampleEnd::interrupted : SampleEnd::out_of_time;
  sink.finish(result);
  return result;
}

}  // namespace darboux

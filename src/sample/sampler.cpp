#include "sample/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "darboux/core/error.hpp"
#include "sample/chain_pool.hpp"
#include "sample/warm_up.hpp"

namespace darboux {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

}  // namespace

Sampler::Sampler(std::shared_ptr<const Model> model, SamplerSettings settings)
    : model_(std::move(model)), settings_(std::move(settings)) {
  if (!settings_.target_acceptance)
    settings_.target_acceptance = default_target_acceptance(settings_.integrator, model_->traits());
  validate(settings_, model_->dim());
}

SampleResult Sampler::run(ConstBatch starts, DrawSink& sink, const RunControl& control) {
  if (starts.rows() != model_->dim() || starts.lanes() != settings_.chains)
    throw InputError(fmt::format("starts are {} × {}: must be {} × {}, one lane per chain", starts.rows(),
                                 starts.lanes(), model_->dim(), settings_.chains));
  ChainPool pool(model_, settings_, starts, sink);
  pool.stop_when(control.stop);
  SampleResult result;
  auto begin = Clock::now();
  result.tuning = control.tuning         ? *control.tuning
                  : settings_.warmup > 0 ? warm_up(pool, settings_, model_->dim())
                                         : untuned(settings_);
  if (result.tuning.center.empty()) {  // no preconditioner was asked for, or there was no time to find one
    result.tuning.center.assign(at(model_->dim()), 0.0);
    result.tuning.factor = StructuredMatrix::identity(model_->dim());
  }
  pool.set(result.tuning);
  result.warmup_seconds = seconds_since(begin);
  result.gradient_precision = pool.gradient_precision();
  result.single_precision_is_too_rough = pool.single_precision_is_too_rough();
  result.warmup_gradients = pool.gradient_evaluations();

  if (!pool.stopped()) sink.end_warmup(result.tuning);
  const auto next_goal = [&] {
    return control.next_look ? std::min(control.next_look(result.draws), settings_.draws) : settings_.draws;
  };
  int goal = next_goal();
  while (result.draws < goal && !pool.stopped()) {
    begin = Clock::now();
    result.draws += pool.advance(Phase::sampling, result.draws, goal - result.draws).iterations;
    result.sampling_seconds += seconds_since(begin);
    if (result.draws == goal) goal = next_goal();
  }
  result.sampling_gradients = pool.gradient_evaluations() - result.warmup_gradients;
  if (result.draws < goal) result.end = pool.asked_to_stop() ? SampleEnd::interrupted : SampleEnd::out_of_time;
  sink.finish(result);
  return result;
}

}  // namespace darboux

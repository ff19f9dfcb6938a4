#include "sample/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "sample/chain_pool.hpp"
#include "sample/nuts.hpp"
#include "sample/warm_up.hpp"

namespace darboux {

Metric metric_of(const StructuredMatrix& factor) noexcept {
  switch (factor.kind()) {
    case StructuredMatrix::Kind::zero:
    case StructuredMatrix::Kind::identity: return Metric::identity;
    case StructuredMatrix::Kind::diagonal: return Metric::diagonal;
    case StructuredMatrix::Kind::low_rank: return Metric::low_rank;
    case StructuredMatrix::Kind::dense: return Metric::dense;
  }
  return Metric::dense;
}

std::string metric_in_words(const Tuning& tuning, Metric asked) {
  const StructuredMatrix& factor = tuning.factor;
  std::string words(name(metric_of(factor)));
  if (factor.kind() == StructuredMatrix::Kind::low_rank)
    words += fmt::format(" with {} direction{}", factor.low_rank().rank(), factor.low_rank().rank() == 1 ? "" : "s");
  if (tuning.metric_draws > 0) words += fmt::format(", from {} draws", tuning.metric_draws);
  if (tuning.metric_draws == 0 && asked != Metric::identity)
    return words + ": there were no draws to find another from";
  if (asked == Metric::dense && factor.is_diagonal() && tuning.metric_draws < fewest_draws_for_dense(factor.dim()))
    words += ": too few for a dense one";
  if (asked == Metric::low_rank && factor.is_diagonal())
    words += ": a low-rank one was looked for, but no direction stands out";
  return words;
}

void validate(const SampleOptions& options, Index dim) {
  const auto at_least = [](std::string_view field, auto value, auto least) {
    if (value < least) throw InputError(fmt::format("{} = {}: must be at least {}", field, value, least));
  };
  at_least("chains", options.chains, 1);
  at_least("draws", options.draws, 0);
  at_least("warmup", options.warmup, 0);
  at_least("threads", options.threads, 1);
  at_least("max_steps", options.max_steps, 1);
  if (!(options.trajectory_time > 0.0 && std::isfinite(options.trajectory_time)))
    throw InputError(fmt::format("trajectory_time = {}: must be a positive number", options.trajectory_time));
  if (options.target_acceptance && !(*options.target_acceptance > 0.0 && *options.target_acceptance < 1.0))
    throw InputError(fmt::format("target_acceptance = {}: must be between 0 and 1", *options.target_acceptance));
  if (options.max_seconds && !(*options.max_seconds > 0.0))
    throw InputError(fmt::format("max_seconds = {}: must be a positive number", *options.max_seconds));
  if (options.structure && options.structure->dim() != dim)
    throw InputError(
        fmt::format("structure is for {} dimensions: must be {}, as the model", options.structure->dim(), dim));
  validate(options.kernel);
  const PoissonStructure structure = options.structure.value_or(PoissonStructure::canonical(dim));
  Integrator integrator(options.integrator, structure, options.integrator_options);
  if (options.gradient_precision == GradientPrecision::single && !integrator.traits().accepts_any_field)
    throw InputError(fmt::format(
        "gradient_precision = single: {} moves positions along the gradient, and only a true gradient keeps "
        "volumes then; use leapfrog, magnetic-leapfrog or doubled, or mixed precision",
        name(options.integrator)));
  if (options.gradient_precision == GradientPrecision::single && options.trajectory == TrajectoryRule::nuts)
    throw InputError(
        "gradient_precision = single: nuts needs the log density, in full precision, at every step; use trajectories "
        "of a given length, or full precision");
  if (options.gradient_precision == GradientPrecision::mixed && integrator.traits().is_explicit)
    throw InputError(
        fmt::format("gradient_precision = mixed is for integrators that solve equations, but {} solves none "
                    "with this structure; use single or full, or leave it out",
                    integrator.traits().name));
  if (options.trajectory == TrajectoryRule::nuts) Nuts(std::move(integrator), structure, options.kernel);
}

bool is_approximate(const SampleOptions& options) noexcept {
  return options.integrator == IntegratorKind::explicit_copies || options.kernel.reverse_check_rate < 1.0;
}

Integrator make_integrator(const SampleOptions& options, const PoissonStructure& structure, const Tuning& tuning) {
  IntegratorOptions tuned = options.integrator_options;
  tuned.step_size = tuning.step_size;
  if (options.integrator == IntegratorKind::doubled) {
    tuned.copies.binding = BindingAngle{tuning.binding_angle};
    // Composition needs a strength that does not change with the length of its stages.
    if (tuned.order == 4) tuned.copies.binding = BindingStrength{0.5 * tuning.binding_angle / tuning.step_size};
  }
  return Integrator(options.integrator, structure, tuned);
}

std::string_view gradients_in_words(const SampleResult& result) noexcept {
  switch (result.gradient_precision) {
    case GradientPrecision::single: return "in single precision, which steer; acceptance in double, so draws are exact";
    case GradientPrecision::mixed: return "in single precision where solves begin, in double where they end";
    case GradientPrecision::full: break;
  }
  return result.single_precision_is_too_rough ? "in double precision: single would be too rough where the chains were"
                                              : "in double precision";
}

Sampler::Sampler(std::shared_ptr<const Model> model, SampleOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  if (!options_.target_acceptance)
    options_.target_acceptance = default_target_acceptance(options_.integrator, model_->traits());
  validate(options_, model_->dim());
}

SampleResult Sampler::run(ConstBatch starts, const Observers& observers, const std::optional<Tuning>& tuning) {
  if (starts.rows() != model_->dim() || starts.lanes() != options_.chains)
    throw InputError(fmt::format("starts are {} × {}: must be {} × {}, one lane per chain", starts.rows(),
                                 starts.lanes(), model_->dim(), options_.chains));
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
  };

  ChainPool pool(model_, options_, starts);
  pool.stop_when(observers.stop);
  SampleResult result;
  auto begin = Clock::now();
  if (tuning) {
    result.tuning = *tuning;
  } else if (options_.warmup > 0) {
    result.tuning = warm_up(pool, options_, model_->dim(), observers.on_draw);
  } else {
    result.tuning.step_size = options_.integrator_options.step_size;
    result.tuning.steps =
        options_.fixed_steps ? options_.kernel.steps : options_.trajectory_time / options_.integrator_options.step_size;
    result.tuning.copy_spread = options_.kernel.copy_spread;
    if (const auto* angle = std::get_if<BindingAngle>(&options_.integrator_options.copies.binding))
      result.tuning.binding_angle = angle->theta;
  }
  if (result.tuning.center.empty()) {  // no preconditioner was asked for, or there was no time to find one
    result.tuning.center.assign(static_cast<std::size_t>(model_->dim()), 0.0);
    result.tuning.factor = StructuredMatrix::identity(model_->dim());
  }
  pool.set(result.tuning);
  result.warmup_seconds = seconds_since(begin);
  result.gradient_precision = pool.gradient_precision();
  result.single_precision_is_too_rough = pool.single_precision_is_too_rough();
  result.warmup_gradients = pool.gradient_evaluations();

  if (observers.on_frozen && !pool.stopped()) observers.on_frozen(result.tuning);
  const auto next_goal = [&] {
    return observers.next_look ? std::min(observers.next_look(result.draws), options_.draws) : options_.draws;
  };
  int goal = next_goal();
  while (result.draws < goal && !pool.stopped()) {
    begin = Clock::now();
    result.draws +=
        pool.advance(options_.warmup + result.draws, goal - result.draws, observers.on_draw, false).iterations;
    result.sampling_seconds += seconds_since(begin);
    if (result.draws == goal) goal = next_goal();
  }
  result.sampling_gradients = pool.gradient_evaluations() - result.warmup_gradients;
  result.interrupted = result.draws < goal && pool.asked_to_stop();
  result.out_of_time = result.draws < goal && !result.interrupted;
  return result;
}

}  // namespace darboux

#include "sample/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "darboux/core/error.hpp"
#include "sample/archived_types.hpp"
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

/// One run, from its starts or from a state.
class Run {
 public:
  Run(const std::shared_ptr<const Model>& model, const SamplerSettings& settings, const Starts& starts, DrawSink& sink,
      const RunControl& control)
      : model_(*model),
        settings_(settings),
        starts_(starts),
        sink_(sink),
        control_(control),
        group_(*control.group),
        pool_(model, settings, starts.q, sink, group_),
        warmup_(starts.taken) {
    pool_.stop_when(control.stop);
    pool_.tell_divergences(control.divergences);
    pool_.count_earlier(starts.taken.seconds);
    result_.start_gradients = starts.gradients + starts.densities;
    result_.fastest = starts.fastest;
    result_.order = settings.order;
    if (!control.state.empty()) read_state();
    if (result_.draws < control.least_draws) pool_.hold_time();
  }

  SampleResult finish() {
    if (phase_ == Phase::warmup) warm_up_all();
    sample();
    sink_.finish(result_);
    return result_;
  }

  template <class Archive>
  void archive(Archive& fields) {
    Elapsed warmup = of_all(warmup_), sampling = of_all(sampling_);
    fields(phase_, burnt_in_, result_, warmup, sampling, gradients_of_warmup_, state_of_warmup_, pool_);
    require_sense(is_count(burnt_in_, settings_.warmup) && is_count(gradients_of_warmup_, most_gradients),
                  "a burn-in is where it never gets to");
    if constexpr (!Archive::reads) return;
    warmup_ = {.seconds = warmup.seconds, .cpu_seconds = group_.is_first() ? warmup.cpu_seconds : 0.0};
    sampling_ = {.seconds = sampling.seconds, .cpu_seconds = group_.is_first() ? sampling.cpu_seconds : 0.0};
  }

 private:
  void read_state() {
    try {
      read_bytes(control_.state, *this);
    } catch (const Error& e) {
      throw Error(
          fmt::format("the state to go on from was not left with these settings by this version: {}", e.what()));
    }
  }

  void warm_up_all() {
    if (control_.tuning) {
      result_.tuning = *control_.tuning;
    } else if (settings_.warmup == 0) {
      result_.tuning = untuned(settings_);
    } else {
      adapt();
    }
    if (result_.tuning.center.empty()) {  // no preconditioner was asked for, or there was no time to find one
      result_.tuning.center.assign(at(model_.dim()), 0.0);
      result_.tuning.factor = StructuredMatrix::identity(model_.dim());
    }
    if (burnt_in_ == 0) pool_.set(result_.tuning);
    if (control_.tuning) burn_in();
    count_time();
    const Elapsed taken = of_all(warmup_);
    result_.warmup_seconds = taken.seconds;
    result_.warmup_cpu_seconds = taken.cpu_seconds;
    result_.gradient_precision = pool_.gradient_precision();
    result_.single_precision_is_too_rough = pool_.single_precision_is_too_rough();
    gradients_of_warmup_ = pool_.gradient_evaluations();
    result_.warmup_gradients += gradients_of_warmup_ + result_.start_gradients + result_.late_gradients;
    state_of_warmup_.clear();
    phase_ = Phase::sampling;
    if (!pool_.stopped()) sink_.end_warmup(result_);
  }

  void adapt() {
    WarmUpPoints points{.offer = [&](int iterations, const auto& state) { offer_point(iterations, state); },
                        .from = state_of_warmup_};
    WarmedUp warmed_up = warm_up(pool_, model_, settings_, first_tuning(settings_, starts_), points);
    result_.tuning = std::move(warmed_up.tuning);
    result_.late_chains = std::move(warmed_up.late);
    result_.absent_chains = std::move(warmed_up.absent);
    result_.late_gradients = warmed_up.gradients;
    result_.warmup_gradients = warmed_up.gradients_of_turns;
    result_.target_acceptance = warmed_up.target_acceptance;
    result_.hopeless = warmed_up.hopeless;
    result_.narrow = warmed_up.narrow;
    result_.refused = warmed_up.refused;
    result_.foreseen = warmed_up.foreseen;
    result_.foreseen_otherwise = warmed_up.foreseen_otherwise;
    result_.scatter = warmed_up.scatter;
  }

  /// Iterations with everything frozen, a few at a time: what is observed of them is not wanted.
  void burn_in() {
    while (burnt_in_ < settings_.warmup && !pool_.stopped()) {
      burnt_in_ += pool_.advance_a_little(Phase::warmup, burnt_in_, settings_.warmup - burnt_in_);
      if (!pool_.stopped()) offer_point(burnt_in_);
    }
  }

  void sample() {
    int goal = next_goal();
    while (result_.draws < goal && !pool_.stopped()) {
      watch_ = {};
      while (result_.draws < goal && !pool_.stopped()) {
        result_.draws += pool_.advance_a_little(Phase::sampling, result_.draws, goal - result_.draws);
        if (result_.draws >= control_.least_draws) pool_.release_time();
        if (!pool_.stopped()) offer_point(result_.draws);
      }
      count_time();
      if (result_.draws == goal) goal = next_goal();
    }
    const Elapsed taken = of_all(sampling_);
    result_.sampling_seconds = taken.seconds;
    result_.sampling_cpu_seconds = taken.cpu_seconds;
    result_.sampling_gradients = pool_.gradient_evaluations() - gradients_of_warmup_;
    if (result_.draws == goal) return leave_point(result_.draws);
    result_.end = pool_.asked_to_stop() ? SampleEnd::interrupted : SampleEnd::out_of_time;
  }

  [[nodiscard]] int next_goal() const {
    return control_.next_look ? std::min(control_.next_look(result_.draws), settings_.draws) : settings_.draws;
  }

  /// Time as the first process has it, and the work of all.
  [[nodiscard]] Elapsed of_all(const Elapsed& mine) const {
    const std::vector<Index> counts(static_cast<std::size_t>(group_.size()), 2);
    const std::span<const double> all = group_.gather(std::array{mine.seconds, mine.cpu_seconds}, counts);
    Elapsed together{.seconds = all.front(), .cpu_seconds = 0.0};
    for (std::size_t i = 1; i < all.size(); i += 2) together.cpu_seconds += all[i];
    return together;
  }
  /// Since it was counted last.
  void count_time() {
    (phase_ == Phase::warmup ? warmup_ : sampling_) += watch_.elapsed();
    watch_ = {};
  }

  void offer_point(int iterations, const std::function<std::string()>& state_of_warmup = {}) {
    if (control_.checkpoints == nullptr || !control_.checkpoints->wants_state()) return;
    if (state_of_warmup) state_of_warmup_ = state_of_warmup();
    leave_point(iterations);
  }
  void leave_point(int iterations) {
    if (control_.checkpoints == nullptr) return;
    count_time();
    control_.checkpoints->take(phase_, iterations, bytes_of(*this));
  }

  const Model& model_;
  const SamplerSettings& settings_;
  const Starts& starts_;
  DrawSink& sink_;
  const RunControl& control_;
  Group& group_;
  ChainPool pool_;
  Phase phase_ = Phase::warmup;
  int burnt_in_ = 0;
  SampleResult result_;
  Elapsed warmup_, sampling_;
  Stopwatch watch_;
  std::int64_t gradients_of_warmup_ = 0;
  std::string state_of_warmup_;
};

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
  return Run(model_, settings_, starts, sink, control).finish();
}

}  // namespace darboux

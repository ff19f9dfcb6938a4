#include "sample/step_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrate/splitting.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

namespace {

template <std::size_t n>
using Small = std::array<std::array<double, n>, n>;

/// [(I − M)⁻¹]₁₁, by elimination from the last row and column upwards.
template <std::size_t n>
double first_of_inverse(const Small<n>& m) {
  Small<n> a{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[i][j] = (i == j ? 1.0 : 0.0) - m[i][j];
  for (std::size_t k = n - 1; k > 0; --k)
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) a[i][j] -= a[i][k] * a[k][j] / a[k][k];
  return 1.0 / a[0][0];
}

/// The middles of so many equal parts of (−1, 1).
template <std::size_t parts>
constexpr std::array<double, parts> middles() {
  std::array<double, parts> x{};
  for (std::size_t i = 0; i < parts; ++i) x[i] = (2.0 * static_cast<double>(i) + 1.0) / parts - 1.0;
  return x;
}

struct MeanTimes {
  double mean = 0.0, square = 0.0;  // autocorrelation times of q and of q²
};

MeanTimes autocorrelation_times(const StepPlan& plan, double acceptance, double frequency) {
  const double a = acceptance, alpha = plan.momentum_kept;
  Small<2> first{{{0.0, 0.0}, {0.0, 0.0}}};
  Small<3> second{};
  const auto places = middles<16>();
  for (const double place : places) {
    const double w = a / static_cast<double>(places.size());
    const double theta = frequency * plan.steps * plan.step_size * (1.0 + plan.step_spread * place);
    const double c = std::cos(theta), s = std::sin(theta);
    const Small<2> turn{{{c, s}, {-s, c}}};
    const Small<3> turn2{{{c * c, 2.0 * c * s, s * s}, {-c * s, c * c - s * s, c * s}, {s * s, -2.0 * c * s, c * c}}};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) first[i][j] += w * turn[i][j];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) second[i][j] += w * turn2[i][j];
  }
  first[0][0] += 1.0 - a;
  first[1][1] -= 1.0 - a;
  second[0][0] += 1.0 - a;
  second[1][1] -= 1.0 - a;
  second[2][2] += 1.0 - a;
  for (std::size_t j = 0; j < 2; ++j) first[1][j] *= alpha;
  for (std::size_t j = 0; j < 3; ++j) second[1][j] *= alpha, second[2][j] *= alpha * alpha;
  return {.mean = 2.0 * first_of_inverse(first) - 1.0, .square = 2.0 * first_of_inverse(second) - 1.0};
}

/// Three frequencies with the given mean and spread, and their weights.
struct WeightedFrequency {
  double frequency, weight;
};
std::array<WeightedFrequency, 3> frequencies(const TargetGuess& target) {
  const double off = std::min(0.7, std::sqrt(2.0) * target.frequency_spread);
  return {{{1.0 - off, 0.25}, {1.0, 0.5}, {1.0 + off, 0.25}}};
}

}  // namespace

double effective_share(const StepPlan& plan, double acceptance, const TargetGuess& target) {
  MeanTimes times;
  for (const auto& [frequency, weight] : frequencies(target)) {
    const MeanTimes here = autocorrelation_times(plan, acceptance, frequency);
    times.mean += weight * here.mean;
    times.square += weight * here.square;
  }
  const MeanTimes slowest = autocorrelation_times(plan, acceptance, target.slowest_frequency);
  return 1.0 / std::max({times.mean, times.square, slowest.mean, slowest.square, 1.0});
}

double gaussian_energy_error(const StepPlan& plan, const TargetGuess& target) {
  const Splitting& splitting = Splitting::of(plan.stages);
  double sum = 0.0;
  const auto places = middles<8>();
  for (const auto& [frequency, weight] : frequencies(target))
    for (const double place : places) {
      const double h = frequency * plan.step_size * (1.0 + plan.step_spread * place);
      const auto [angle, distortion] = oscillator_step(splitting, h);
      if (!std::isfinite(distortion)) return distortion;
      const double s = std::sin(plan.steps * angle);
      sum += weight * distortion * s * s / static_cast<double>(places.size());
    }
  return sum * static_cast<double>(target.dim);
}

double acceptance_of_energy_error(double mean) { return std::erfc(0.5 * std::sqrt(mean)); }

double energy_error_of_acceptance(double acceptance) {
  const double a = std::max(acceptance, 1e-6);
  double low = 0.0, high = 100.0;  // where fewer than one in 10⁶ are accepted
  while (high - low > 1e-14 * (1.0 + high)) {
    const double middle = 0.5 * (low + high);
    (acceptance_of_energy_error(middle) > a ? low : high) = middle;
  }
  return low;
}

TargetGuess guess_of(const Tuning& tuning, Index dim, double time) {
  const double draws = 0.5 * static_cast<double>(tuning.metric_draws);
  const bool is_dense = metric_of(tuning.factor) == Metric::dense;
  const double unknown = is_dense ? 0.5 * std::sqrt(static_cast<double>(dim) / draws) : 0.15;
  return {.dim = dim,
          .frequency_spread = std::min(0.35, unknown),
          .slowest_frequency = std::min(1.0, TrajectoryLength().time / time)};
}

Tuning with_steps(Tuning tuning, const StepPlan& plan) {
  tuning.stages = plan.stages;
  tuning.steps = plan.steps;
  tuning.step_size = plan.step_size;
  tuning.step_spread = plan.step_spread;
  tuning.momentum_kept = plan.momentum_kept;
  return tuning;
}

StepChoice::StepChoice(const Rules& rules) : rules_(rules) { make_plans(); }

void StepChoice::make_plans() {
  const Rules& rules = rules_;
  plans_.clear();
  energy_errors_.clear();
  constexpr double finer = 0.8;
  const double longest = std::min(rules.time, 1.9 / (1.0 + StepPlan().step_spread));
  for (int stages = 1; stages <= 3; ++stages) {
    if (rules.stages.value_or(stages) != stages) continue;
    for (double h = longest; h > std::min(0.05 * stages, 0.5 * rules.time) && h > rules.time / 64.0; h *= finer) {
      for (const int steps : {1, 2, static_cast<int>(std::lround(rules.time / h))}) {
        if (steps < 1 || steps * h > 1.1 * rules.time) continue;
        if (rules.whole_time && steps * h < 0.9 * rules.time) continue;
        StepPlan plan{.stages = stages, .steps = steps, .step_size = h};
        if (std::ranges::find(plans_, plan) == plans_.end()) plans_.push_back(plan);
      }
    }
  }
  for (StepPlan& plan : plans_) {
    energy_errors_.push_back(gaussian_energy_error(plan, rules.target));
    plan.momentum_kept = rules.momentum_kept.value_or(0.0);
    if (rules.momentum_kept) continue;
    const double acceptance = std::max(rules.least_acceptance, acceptance_of_energy_error(energy_errors_.back()));
    double most = 0.0;
    for (const double kept : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}) {
      StepPlan with = plan;
      with.momentum_kept = kept;
      const double share = effective_share(with, acceptance, rules.target);
      if (share <= 1.01 * most) continue;
      most = share;
      plan.momentum_kept = kept;
    }
  }
}

double StepChoice::worth(const StepPlan& plan, double acceptance) const {
  return effective_share(plan, acceptance, rules_.target) / plan.gradients();
}

double StepChoice::worth_of_search(const Tuning& tuning, double acceptance) const {
  const StepPlan as_one{
      .stages = 1, .steps = 1, .step_size = rules_.time, .momentum_kept = tuning.momentum_kept, .step_spread = 0.5};
  const double steps = std::max(1.0, rules_.time / tuning.step_size);
  return effective_share(as_one, acceptance, rules_.target) / (tuning.stages * steps);
}

/// κ, the mean of what tried plans showed.
double StepChoice::excess() const {
  double sum = 0.0;
  for (const Tried& t : tried_) {
    const StepPlan& plan = plans_[t.plan];
    const double more = energy_error_of_acceptance(t.acceptance) - energy_errors_[t.plan];
    if (std::isfinite(more)) sum += std::max(0.0, more) / std::pow(plan.step_size / plan.stages, 4.0);
  }
  return tried_.empty() ? 0.0 : sum / static_cast<double>(tried_.size());
}

const StepChoice::Tried* StepChoice::best_tried() const {
  const Tried* best = nullptr;
  double most = 0.0;
  for (const Tried& t : tried_) {
    if (t.is_stuck || t.acceptance < rules_.least_acceptance) continue;
    const double here = worth(plans_[t.plan], t.acceptance);
    if (here <= most) continue;
    most = here;
    best = &t;
  }
  return best;
}

double StepChoice::best_worth() const {
  const Tried* best = best_tried();
  return best == nullptr ? 0.0 : worth(plans_[best->plan], best->acceptance);
}

std::optional<StepPlan> StepChoice::best() const {
  const Tried* best = best_tried();
  return best == nullptr ? std::nullopt : std::optional(plans_[best->plan]);
}

std::optional<StepPlan> StepChoice::next() const {
  constexpr double worth_a_try = 1.05;
  const double kappa = excess();
  double most = worth_a_try * best_worth();
  std::optional<StepPlan> found;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    if (std::ranges::any_of(tried_, [&](const Tried& t) { return t.plan == i; })) continue;
    const StepPlan& plan = plans_[i];
    const double error = energy_errors_[i] + kappa * std::pow(plan.step_size / plan.stages, 4.0);
    const double acceptance = acceptance_of_energy_error(error);
    if (acceptance < rules_.least_acceptance) continue;
    const double here = worth(plan, acceptance);
    if (here <= most) continue;
    most = here;
    found = plan;
  }
  return found;
}

void StepChoice::observe(const StepPlan& plan, double acceptance, bool is_stuck) {
  const auto place = std::ranges::find(plans_, plan);
  tried_.push_back(
      {.plan = static_cast<std::size_t>(place - plans_.begin()), .acceptance = acceptance, .is_stuck = is_stuck});
}

}  // namespace darboux

#include "sample/warm_up_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

#include "sample/metric_estimate.hpp"

namespace darboux {

WarmUpPlan plan_warm_up(int iterations, bool gradients_tell) {
  constexpr int enough = 50;             // to settle on a step size
  constexpr std::array early{10, 20};    // windows
  constexpr int least = 10, taken = 30;  // by the first stretch without them, and by them
  WarmUpPlan plan{
      .first = iterations / 10, .windows = {}, .last = std::max(iterations / 10, std::min(enough, iterations / 2))};
  int left = iterations - plan.first - plan.last;
  if (gradients_tell && plan.first >= least + taken) {
    plan.first -= taken;
    plan.windows.assign(early.begin(), early.end());
  }
  for (int length = 25; left > 0; length *= 2) {
    const int window = left < 3 * length ? left : length;  // the next, twice as long, would not fit any more
    plan.windows.push_back(window);
    left -= window;
  }
  return plan;
}

std::vector<Stretch> stretches(const SamplerSettings& settings, int copy_trials) {
  using enum Stretch::Aim;
  const bool tune_copies =
      traits_of(settings.integrator).random_offset && settings.tune_copies && settings.warmup >= 4 * copy_trials;
  WarmUpPlan plan =
      plan_warm_up(settings.warmup - (tune_copies ? copy_trials : 0), MetricEstimate::uses_gradients(settings.metric));
  const bool is_long = !plan.windows.empty() && plan.windows.back() >= 2 * plan.last;
  const int half = settings.chooses_steps && is_long ? plan.last / 2 : 0;
  plan.last -= half;
  if (half > 0) plan.windows.back() -= half;
  std::vector<Stretch> all{{.aim = step_size, .iterations = plan.first}};
  for (const int length : plan.windows) all.push_back({.aim = metric, .iterations = length});
  if (tune_copies) all.push_back({.aim = copies, .iterations = copy_trials});
  if (half > 0) all.push_back({.aim = steps, .iterations = 2 * half});
  all.push_back({.aim = last_step_size, .iterations = plan.last});
  return all;
}

bool tries_steps(const SamplerSettings& settings) {
  return std::ranges::any_of(stretches(settings, 0),
                             [](const Stretch& each) { return each.aim == Stretch::Aim::steps; });
}

double largest_step_size(const SamplerSettings& settings) {
  const IntegratorTraits traits = traits_of(settings.integrator);
  const auto* binding = std::get_if<BindingStrength>(&settings.copies.binding);
  if (!traits.doubled_space || traits.random_offset || binding == nullptr || binding->omega == 0.0)
    return std::numeric_limits<double>::infinity();
  return 0.5 / binding->omega;
}

}  // namespace darboux

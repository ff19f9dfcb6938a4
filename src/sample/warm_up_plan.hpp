#pragma once

#include <vector>

#include "sample/sampler_settings.hpp"

namespace darboux {

/// How warm-up spends its iterations: step size only, then windows of growing length after each of which the preconditioner
/// is estimated anew from that window alone, then the step size for what was found. They add up to `iterations`. Where gradients tell
/// scales from few draws, stationary or not, two short windows are taken out of the first stretch: a step size for coordinates without
/// scales makes long trajectories.
struct WarmUpPlan {
  int first = 0;
  std::vector<int> windows;
  int last = 0;
};
[[nodiscard]] WarmUpPlan plan_warm_up(int iterations, bool gradients_tell = false);

/// Iterations with one aim.
struct Stretch {
  enum class Aim { step_size, metric, copies, steps, last_step_size } aim;
  int iterations;
};
/// The whole of warm-up, with trials of copies for `doubled` and of steps where these are to be chosen. Trials of steps take half of
/// their time from the search for a step size, which is not needed then, and half from the last window; a warm-up without a window long
/// enough for that (of fewer than 200 iterations) has none.
[[nodiscard]] std::vector<Stretch> stretches(const SamplerSettings& settings, int copy_trials);

/// Whether one of them is for trials of steps.
[[nodiscard]] bool tries_steps(const SamplerSettings& settings);

/// The largest step size to try. At a given strength ω the copies of `explicit` turn by θ = 2εω in a step, and beyond θ = 1
/// the motion is not stable.
[[nodiscard]] double largest_step_size(const SamplerSettings& settings);

}  // namespace darboux

#include "sample/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "darboux/core/random.hpp"

namespace darboux {

TrajectoryLengths::Length TrajectoryLengths::at(int iteration) const {
  const auto whole = [](double steps) { return std::max(1, static_cast<int>(std::lround(steps))); };
  constexpr double golden_ratio = 0.61803398874989485;
  const double turns =
      RandomStream({.seed = seed, .purpose = Purpose::trajectory_length}).uniform() + golden_ratio * iteration;
  const double place = turns - std::floor(turns);
  switch (spread) {
    case Spread::none: break;
    case Spread::sampling: return {.steps = whole(mean * DurationRange{}.at(place)), .step_size = step_size};
    case Spread::wide: return {.steps = whole(mean * 0.3 * std::pow(7.0, place)), .step_size = step_size};
    case Spread::step_sizes:
      return {.steps = whole(mean), .step_size = step_size * (1.0 + step_spread * (2.0 * place - 1.0))};
  }
  return {.steps = whole(mean), .step_size = step_size};
}

void Lockstep::run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition,
                   const Stopped& stopped) {
  transitions_.resize(at(block.chains()));
  for (int i = todo.first; i < todo.first + todo.count && !stopped(); ++i) {
    const auto [steps, step_size] = lengths_.at(i);
    if (step_size != kernel_.integrator().step_size()) kernel_.use_step_size(step_size);
    kernel_.transition(block, u, static_cast<std::uint64_t>(i), steps, transitions_);
    for (Index lane = 0; lane < block.chains(); ++lane)
      on_transition(lane, transitions_[at(lane)], kernel_.jumps()[at(lane)]);
  }
}

}  // namespace darboux

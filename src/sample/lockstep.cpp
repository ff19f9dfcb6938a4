#include "sample/lockstep.hpp"

#include <algorithm>
#include <cmath>

#include "darboux/core/random.hpp"

namespace darboux {

int StepCounts::at(int iteration) const {
  const auto whole = [](double steps) { return std::max(1, static_cast<int>(std::lround(steps))); };
  if (spread == Spread::none) return whole(mean);
  constexpr double golden_ratio = 0.61803398874989485;
  const double turns =
      RandomStream({.seed = seed, .purpose = Purpose::trajectory_length}).uniform() + golden_ratio * iteration;
  const double place = turns - std::floor(turns);
  return whole(mean * (spread == Spread::wide ? 0.3 * std::pow(7.0, place) : DurationRange{}.at(place)));
}

void Lockstep::run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition,
                   const Stopped& stopped) {
  transitions_.resize(at(block.chains()));
  for (int i = todo.first; i < todo.first + todo.count && !stopped(); ++i) {
    kernel_.transition(block, u, static_cast<std::uint64_t>(i), steps_.at(i), transitions_);
    for (Index lane = 0; lane < block.chains(); ++lane)
      on_transition(lane, transitions_[at(lane)], kernel_.jumps()[at(lane)]);
  }
}

}  // namespace darboux

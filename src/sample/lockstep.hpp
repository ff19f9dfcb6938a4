#pragma once

#include <cstdint>
#include <functional>

#include "sample/kernel.hpp"

namespace darboux {

/// Iterations of a run, numbered over warm-up and sampling together.
struct Iterations {
  int first = 0;
  int count = 0;
};
/// Called when a chain's iteration is done and its state in the block is that draw.
using OnTransition = std::function<void(Index lane, const Transition& transition, const JumpSums& jump)>;
using Stopped = std::function<bool()>;

/// How many steps the trajectories of a run have, iteration by iteration: the same for all chains, so that blocks stay full.
struct StepCounts {
  enum class Spread {
    none,
    sampling,  ///< durations from half of the mean to one and a half, so that none keeps meeting a period of the motion
    wide       ///< further around, to find out what is best
  };
  double mean = 10.0;
  Spread spread = Spread::sampling;
  std::uint64_t seed = 0;

  /// Multiples of the golden ratio fill the range of durations more evenly than random numbers would.
  [[nodiscard]] int at(int iteration) const;
};

/// Moves all chains of a block by the same number of steps, iteration after iteration.
class Lockstep {
 public:
  Lockstep(Kernel kernel, const StepCounts& steps) : kernel_(std::move(kernel)), steps_(steps) {}

  /// Stops between iterations when asked to.
  void run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition, const Stopped& stopped);

 private:
  Kernel kernel_;
  StepCounts steps_;
  LaneVector<Transition> transitions_;
};

}  // namespace darboux

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

/// How many steps the trajectories of a run have, and how long these are, iteration by iteration: the same for all chains, so that
/// blocks stay full. Durations vary, so that none keeps meeting a period of the motion.
struct TrajectoryLengths {
  enum class Spread {
    none,
    sampling,    ///< in numbers of steps, from half of the mean to one and a half
    wide,        ///< further around, to find out what is best
    step_sizes,  ///< in step sizes, from 1 − step_spread to 1 + step_spread times the mean: for few steps
  };
  double mean = 10.0;
  Spread spread = Spread::sampling;
  std::uint64_t seed = 0;
  double step_size = 0.0;
  double step_spread = 0.0;

  struct Length {
    int steps;
    double step_size;
  };
  /// Multiples of the golden ratio fill the range of durations more evenly than random numbers would.
  [[nodiscard]] Length at(int iteration) const;
};

/// Moves all chains of a block by the same number of the same steps, iteration after iteration.
class Lockstep {
 public:
  Lockstep(Kernel kernel, const TrajectoryLengths& lengths) : kernel_(std::move(kernel)), lengths_(lengths) {}

  /// Stops between iterations when asked to.
  void run(ChainBlock& block, Potential& u, Iterations todo, const OnTransition& on_transition, const Stopped& stopped);

 private:
  Kernel kernel_;
  TrajectoryLengths lengths_;
  LaneVector<Transition> transitions_;
};

}  // namespace darboux

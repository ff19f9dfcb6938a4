#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/archive.hpp"
#include "darboux/core/choices.hpp"
#include "darboux/structure/poisson_structure.hpp"
#include "sample/lockstep.hpp"
#include "sample/nuts.hpp"

namespace darboux {

/// What a trajectory rule claims about itself, for those who plan a run.
struct TrajectoryTraits {
  TrajectoryKind kind;
  bool takes_length = false;  ///< a time or a number of steps may be given
  bool takes_depth = false;   ///< trajectories double, at most so often
  bool needs_warmup = false;  ///< which finds the length
  /// It goes both ways in time, so that a chain has no direction, and checks every implicit step.
  bool goes_both_ways = false;
  /// It needs the log density, in full precision, at every step.
  bool needs_values = false;
  /// Chains of a block may be at different iterations: where a run stops, they have to wait for each other.
  bool chains_part = false;
};

/// How long trajectories are to be on average.
struct TrajectoryLength {
  double time = 1.5;           ///< in whitened coordinates, where a Gaussian turns once in 2π
  std::optional<int> steps{};  ///< exactly so many, whatever the time
  int most_steps = 1000;       ///< that warm-up may choose

  [[nodiscard]] double mean_steps(double step_size) const { return steps ? *steps : time / step_size; }
};

/// What moves a block of chains. One per block.
using Mover = std::variant<Lockstep, Nuts>;

/// What movers are made of.
struct MoverParts {
  Integrator integrator;
  const PoissonStructure& structure;
  const KernelOptions& kernel;  ///< but for what the tuning says
  const Tuning& tuning;
  std::uint64_t seed = 0;
  bool looks_around = false;  ///< warm-up tries durations further apart than they will be
};

/// The kernel's options as a tuning has them.
[[nodiscard]] inline KernelOptions kernel_options(const MoverParts& parts) {
  KernelOptions options = parts.kernel;
  options.momentum_kept = parts.tuning.momentum_kept;
  return options;
}

/// Trajectories of as many steps as the tuning says, for all chains, spread around that, or with steps spread as it says.
[[nodiscard]] inline Mover lockstep(MoverParts parts, TrajectoryLengths::Spread spread) {
  const Tuning& tuning = parts.tuning;
  const TrajectoryLengths lengths{.mean = tuning.steps,
                                  .spread = tuning.step_spread > 0.0 ? TrajectoryLengths::Spread::step_sizes : spread,
                                  .seed = parts.seed,
                                  .step_size = tuning.step_size,
                                  .step_spread = tuning.step_spread};
  return Lockstep(Kernel(std::move(parts.integrator), kernel_options(parts), tuning.copy_spread), lengths);
}

/// A rule owns the length of trajectories, how they vary, and what it learns about them in warm-up.
template <class T>
concept TrajectoryRuleLike =
    requires(T rule, const T& fixed, MoverParts parts, const JumpSums& seen, ArchiveWriter writer) {
      { T::traits.kind } -> std::convertible_to<TrajectoryKind>;
      { T::of(TrajectoryLength(), 10) } -> std::same_as<T>;  ///< with that length and, where it takes one, depth
      { fixed.length } -> std::convertible_to<TrajectoryLength>;
      { fixed.mover(std::move(parts)) } -> std::same_as<Mover>;
      { fixed.wants_to_look() } -> std::same_as<bool>;  ///< whether warm-up is to try many durations
      rule.observe(seen);                               ///< the transitions of one duration
      rule.settle();                                    ///< takes what was best as its length
      rule.forget();                                    ///< after a change of coordinates
      rule.archive(writer);                             ///< what warm-up changes of it
    };

}  // namespace darboux

#pragma once

#include "sample/trajectory_traits.hpp"

namespace darboux {

/// Each trajectory doubles until it turns back: see Nuts.
class NutsTrajectory {
 public:
  static constexpr TrajectoryTraits traits{.kind = TrajectoryKind::nuts,
                                           .takes_depth = true,
                                           .goes_both_ways = true,
                                           .needs_values = true,
                                           .chains_part = true};

  TrajectoryLength length;  ///< of trajectories before there are coordinates in which turning back means something
  int max_depth = 10;       ///< at most 2^max_depth steps

  [[nodiscard]] static NutsTrajectory of(const TrajectoryLength& length, int max_depth) { return {length, max_depth}; }
  [[nodiscard]] Mover mover(MoverParts parts) const;
  [[nodiscard]] bool wants_to_look() const noexcept { return false; }
  void observe(const JumpSums&) {}
  void settle() {}
  void forget() {}
  template <class Archive>
  void archive(Archive&) {}
};
static_assert(TrajectoryRuleLike<NutsTrajectory>);

}  // namespace darboux

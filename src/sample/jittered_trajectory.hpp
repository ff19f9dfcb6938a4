#pragma once

#include "sample/trajectory_traits.hpp"

namespace darboux {

/// Trajectories of a given mean length, their durations spread around it; or all of the same number of steps.
class JitteredTrajectory {
 public:
  static constexpr TrajectoryTraits traits{.kind = TrajectoryKind::jittered, .takes_length = true};

  TrajectoryLength length;

  [[nodiscard]] static JitteredTrajectory of(const TrajectoryLength& length, int /*max_depth*/) { return {length}; }
  [[nodiscard]] Mover mover(MoverParts parts) const;
  [[nodiscard]] bool wants_to_look() const noexcept { return false; }
  void observe(const JumpSums&) {}
  void settle() {}
  void forget() {}
  template <class Archive>
  void archive(Archive&) {}
};
static_assert(TrajectoryRuleLike<JitteredTrajectory>);

}  // namespace darboux

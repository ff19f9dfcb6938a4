#pragma once

#include "sample/trajectory_search.hpp"
#include "sample/trajectory_traits.hpp"

namespace darboux {

/// Trajectories of the length that warm-up finds best (TrajectorySearch), their durations spread around it.
class CheesTrajectory {
 public:
  static constexpr TrajectoryTraits traits{.kind = TrajectoryKind::chees, .needs_warmup = true};

  TrajectoryLength length;  ///< its time is the first guess

  [[nodiscard]] static CheesTrajectory of(const TrajectoryLength& length, int /*max_depth*/) {
    CheesTrajectory rule;
    rule.length = length;
    return rule;
  }
  [[nodiscard]] Mover mover(MoverParts parts) const;
  [[nodiscard]] bool wants_to_look() const noexcept { return true; }
  void observe(const JumpSums& seen) { search_.observe(seen); }
  void settle() { length.time = search_.best({}, length.time); }
  void forget() { search_.forget(); }
  template <class Archive>
  void archive(Archive& fields) {
    fields(length.time, search_);
  }

 private:
  TrajectorySearch search_{};
};
static_assert(TrajectoryRuleLike<CheesTrajectory>);

}  // namespace darboux

#pragma once

#include <concepts>
#include <utility>
#include <variant>

#include "sample/chees_trajectory.hpp"
#include "sample/jittered_trajectory.hpp"
#include "sample/nuts_trajectory.hpp"

namespace darboux {

/// How long trajectories are: one of a closed set of rules, each in a file of its own, behind one interface.
class TrajectoryRule {
 public:
  TrajectoryRule() = default;
  template <TrajectoryRuleLike Rule>
  TrajectoryRule(Rule rule) : rule_(std::move(rule)) {}  // NOLINT(google-explicit-constructor): it is one

  /// The rule of a kind, with the given length and, where it takes one, depth.
  [[nodiscard]] static TrajectoryRule of(TrajectoryKind kind, const TrajectoryLength& length, int max_depth);

  [[nodiscard]] TrajectoryTraits traits() const;
  [[nodiscard]] TrajectoryKind kind() const { return traits().kind; }
  [[nodiscard]] const TrajectoryLength& length() const;
  [[nodiscard]] Mover mover(MoverParts parts) const;

  // What warm-up asks and tells.
  [[nodiscard]] bool wants_to_look() const;
  void observe(const JumpSums& seen);
  void settle();
  void forget();
  /// Of what it knows; its kind is a setting.
  template <class Archive>
  void archive(Archive& fields) {
    std::visit([&](auto& rule) { fields(rule); }, rule_);
  }

 private:
  using Any = std::variant<JitteredTrajectory, CheesTrajectory, NutsTrajectory>;
  Any rule_;
};

/// What each kind claims.
[[nodiscard]] TrajectoryTraits traits_of(TrajectoryKind kind);

}  // namespace darboux

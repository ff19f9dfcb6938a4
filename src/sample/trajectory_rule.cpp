#include "sample/trajectory_rule.hpp"

#include "darboux/core/error.hpp"

namespace darboux {

TrajectoryRule TrajectoryRule::of(TrajectoryKind kind, const TrajectoryLength& length, int max_depth) {
  switch (kind) {
    case TrajectoryKind::jittered: return JitteredTrajectory{.length = length};
    case TrajectoryKind::chees: {
      CheesTrajectory rule;
      rule.length = length;
      return rule;
    }
    case TrajectoryKind::nuts: return NutsTrajectory{.length = length, .max_depth = max_depth};
  }
  throw Error("unknown kind of trajectory");
}

TrajectoryTraits TrajectoryRule::traits() const {
  return std::visit([](const auto& rule) { return rule.traits; }, rule_);
}

const TrajectoryLength& TrajectoryRule::length() const {
  return std::visit([](const auto& rule) -> const TrajectoryLength& { return rule.length; }, rule_);
}

Mover TrajectoryRule::mover(MoverParts parts) const {
  return std::visit([&](const auto& rule) { return rule.mover(std::move(parts)); }, rule_);
}

bool TrajectoryRule::wants_to_look() const {
  return std::visit([](const auto& rule) { return rule.wants_to_look(); }, rule_);
}
void TrajectoryRule::observe(const JumpSums& seen) {
  std::visit([&](auto& rule) { rule.observe(seen); }, rule_);
}
void TrajectoryRule::settle() {
  std::visit([](auto& rule) { rule.settle(); }, rule_);
}
void TrajectoryRule::forget() {
  std::visit([](auto& rule) { rule.forget(); }, rule_);
}

TrajectoryTraits traits_of(TrajectoryKind kind) { return TrajectoryRule::of(kind, {}, 10).traits(); }

}  // namespace darboux

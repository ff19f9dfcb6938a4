#include "sample/trajectory_rule.hpp"

#include <type_traits>

namespace darboux {

TrajectoryRule TrajectoryRule::of(TrajectoryKind kind, const TrajectoryLength& length, int max_depth) {
  static_assert(std::variant_size_v<Any> == names_of<TrajectoryKind>.size(), "a rule for every kind");
  TrajectoryRule rule;
  const auto take_if_meant = [&]<class Rule>(std::type_identity<Rule>) {
    if (Rule::traits.kind == kind) rule.rule_ = Rule::of(length, max_depth);
  };
  [&]<class... Rules>(std::type_identity<std::variant<Rules...>>) {
    (take_if_meant(std::type_identity<Rules>()), ...);
  }(std::type_identity<Any>());
  return rule;
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

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "sample/sample_plan.hpp"

namespace darboux {

/// The smallest of effective sizes that come one by one; 0 where none is known, as of quantities that do not vary.
class SmallestEss {
 public:
  void add(double ess) {
    if (!std::isnan(ess)) smallest_ = std::min(ess, smallest_.value_or(ess));
  }
  [[nodiscard]] double value() const { return smallest_.value_or(0.0); }

 private:
  std::optional<double> smallest_;
};

/// What to know about a target that is too small; empty where there is nothing to say.
[[nodiscard]] inline std::string target_in_words(const SampleOptions& asked) {
  constexpr double rough = 400.0;
  if (asked.target_ess.value_or(rough) >= rough) return {};
  return fmt::format(
      "target-ess = {:g} is below {:g}: with so few draws R-hat, intervals and effective sizes are rough.",
      *asked.target_ess, rough);
}

/// Goes on until the smallest bulk ESS is large enough. Looks at 1, 1.5, 2.25, … times first_look(): all looks together read no more
/// than three times what is there in the end, and they are few, which matters because stopping at the first estimate that is
/// large enough favours estimates that are too large.
class EssTarget {
 public:
  /// `smallest_ess` looks at what is there when it is called. There are no looks before there are `at_least` draws.
  EssTarget(const SampleOptions& asked, std::function<double()> smallest_ess, int at_least = 0)
      : first_look_(first_look(asked)),
        at_least_(at_least),
        most_(most_draws(asked)),
        target_(asked.target_ess.value()),
        smallest_ess_(std::move(smallest_ess)) {}

  /// As RunControl wants it. A run that goes on between two looks has the next one where it would have had it.
  int next_look(int drawn) {
    int look = first_look_;
    while (look < std::max(drawn, at_least_) && look < most_) look = std::min(later(look), most_);
    if (look > drawn) return look;
    reached_ = smallest_ess_() >= target_;
    return reached_ ? drawn : later(drawn);
  }
  [[nodiscard]] bool reached() const noexcept { return reached_; }

 private:
  static int later(int look) { return look + (look + 1) / 2; }

  int first_look_, at_least_, most_;
  double target_;
  std::function<double()> smallest_ess_;
  bool reached_ = false;
};

}  // namespace darboux

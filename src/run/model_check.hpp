#pragma once

#include <optional>
#include <vector>

#include "integrate/motion_check.hpp"
#include "model/gradient_check.hpp"
#include "sample/sample_plan.hpp"

namespace darboux {

/// Whether a model and the integrator chosen for it do what they should, before anybody trusts a long run.
struct ModelCheck {
  GradientCheck gradient;
  /// The motion at the step size that a short warm-up found, and at it halved, over the same time. Empty where
  /// the gradient is wrong: nothing built on it would mean anything.
  struct Motion {
    double step_size = 0.0;
    int steps = 0;
    MotionCheck seen;
  };
  std::vector<Motion> motions;
  IntegratorTraits
      integrator;  ///< its order as it is used here: `doubled` keeps the angle of its binding, not the strength

  /// By how much halving the step size divides the energy error, as a power of 2, from the two smaller step sizes: 2 for an
  /// integrator of second order.
  [[nodiscard]] std::optional<double> observed_order() const;
  /// The largest error after returning.
  [[nodiscard]] double return_error() const;
  /// What is to be true of it: exactly reversible, or to the threshold of the reverse check.
  static constexpr double return_threshold = 1e-6;
  [[nodiscard]] bool passed() const;
};
/// Points are the starts of the plan's chains and, for the motion, where its chains are after a warm-up of a few hundred
/// iterations.
[[nodiscard]] ModelCheck check_model(const SamplePlan& plan);

}  // namespace darboux

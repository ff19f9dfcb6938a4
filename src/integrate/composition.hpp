#pragma once

#include <cmath>
#include <vector>

#include "integrate/traits.hpp"

namespace darboux {

/// A symmetric step of order 2, plain or composed to order 4. Suzuki's composition runs five steps with
///
///     γ, γ, 1 − 4γ, γ, γ   times dt,   γ = 1/(4 − 4^{1/3}),
///
/// which cancels the third-order error; the middle one goes back in time.
template <IntegratorStep Step>
class Composition {
 public:
  /// `make(step_size)` builds the step for a given size.
  template <class Make>
  Composition(int order, double step_size, Make&& make) {
    if (order == 2) {
      stages_ = {{1.0, 0}};
      steps_.push_back(make(step_size));
      return;
    }
    const double gamma = 1.0 / (4.0 - std::cbrt(4.0));
    const double middle = 1.0 - 4.0 * gamma;
    stages_ = {{gamma, 0}, {gamma, 0}, {middle, 1}, {gamma, 0}, {gamma, 0}};
    steps_.push_back(make(gamma * step_size));
    steps_.push_back(make(std::abs(middle) * step_size));
  }

  [[nodiscard]] IntegratorTraits traits() const {
    IntegratorTraits t = steps_.front().traits();
    t.order = stages_.size() == 1 ? 2 : 4;
    t.gradients_per_step *= static_cast<int>(stages_.size());
    return t;
  }

  void start(PhaseBlock& z, Potential& u, LaneSteps dt) { steps_.front().start(z, u, dt); }
  void step(PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
    if (stages_.size() == 1) return take(steps_.front(), z, u, dt, with_value);
    for (const Stage& stage : stages_) {
      stage_dt_.assign(dt.begin(), dt.end());
      for (double& h : stage_dt_) h *= stage.factor;
      // The value at the end of the last stage only: a gradient that comes with a value is in double, and one between stages
      // must be as it is when the trajectory goes back.
      take(steps_[stage.step], z, u, stage_dt_, with_value && &stage == &stages_.back());
    }
  }
  void finish(PhaseBlock& z, LaneSteps dt) { steps_.front().finish(z, dt); }

 private:
  static void take(Step& step, PhaseBlock& z, Potential& u, LaneSteps dt, bool with_value) {
    if constexpr (StepWithValue<Step>)
      step.step(z, u, dt, with_value);
    else
      step.step(z, u, dt);
  }

  struct Stage {
    double factor;
    std::size_t step;
  };
  std::vector<Stage> stages_;
  std::vector<Step> steps_;  // the distinct ones
  LaneVector<double> stage_dt_;
};

}  // namespace darboux

#pragma once

#include <cmath>
#include <vector>

#include "integrate/splitting.hpp"
#include "integrate/traits.hpp"

namespace darboux {

/// A symmetric step of order 2, plain or composed to order 4, of five steps (`composition`).
template <IntegratorStep Step>
class Composition {
 public:
  /// `make(step_size)` builds the step for a given size.
  template <class Make>
  Composition(int order, double step_size, Make&& make) {
    for (const double fraction : composition(order)) {
      const bool goes_back = fraction < 0.0;
      stages_.push_back({.factor = fraction, .step = goes_back ? 1U : 0U});
      if (stages_.size() == 1 || goes_back) steps_.push_back(make(std::abs(fraction) * step_size));
    }
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

#pragma once

#include "darboux/model/model.hpp"

namespace darboux {

/// A Gaussian bent along a parabola (of Rosenbrock's type): q₁ ~ N(0, s²), q₂ | q₁ ~ N(b(q₁² − s²), 1), and any further
/// coordinates are standard normal:
///     log density = −q₁²/(2s²) − ½ (q₂ − b(q₁² − s²))² − ½ Σ_{i>2} q_i².
/// E q = 0, var q₁ = s², var q₂ = 1 + 2b²s⁴, and the two are uncorrelated.
class Banana final : public Model {
 public:
  explicit Banana(Index dim = 2, double scale = 2.0, double bend = 0.5);

  [[nodiscard]] double scale() const noexcept { return scale_; }
  [[nodiscard]] double bend() const noexcept { return bend_; }

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override { return {.start = StartMethod::uniform}; }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Index dim_;
  double scale_, bend_;
};

}  // namespace darboux

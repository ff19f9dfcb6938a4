#pragma once

#include "darboux/model/model.hpp"

namespace darboux {

/// Independent coordinates, each the logarithm of a standard exponential variable:
///     log density = Σ_i (q_i − exp q_i),   gradient_i = 1 − exp q_i.
/// Mean −γ = −0.57722, variance π²/6 = 1.64493, and not symmetric: it shows errors of direction that a symmetric target
/// cannot.
class Skewed final : public Model {
 public:
  explicit Skewed(Index dim);

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    return {.log_concave = true, .start = StartMethod::uniform};
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Index dim_;
};

}  // namespace darboux

#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"

namespace darboux {

/// Rubin's eight schools, an effect y_j of coaching with a known standard error σ_j in each:
///     y_j ~ N(θ_j, σ_j²),   θ_j ~ N(μ, τ²),   μ ~ N(0, 5²),   τ ~ Cauchy⁺(0, 5).
/// A draw reports mu, tau, theta[1], …, theta[8]. With ℓ = log τ, whose Jacobian adds ℓ to the log density,
///   centred, q = (μ, ℓ, θ):                     −½ Σ (y_j − θ_j)²/σ_j² − ½ Σ (θ_j − μ)²/τ² − 8ℓ − ½ μ²/25 − log(1 + τ²/25) + ℓ
///   non-centred, q = (μ, ℓ, η), θ = μ + τ η:    −½ Σ (y_j − θ_j)²/σ_j² − ½ Σ η_j²                − ½ μ²/25 − log(1 + τ²/25) + ℓ
class EightSchools final : public Model {
 public:
  enum class Form { centred, non_centred };
  using Effects = std::array<double, 8>;

  static constexpr Effects rubins_effects{28, 8, -3, 7, -1, 1, 18, 12};
  static constexpr std::array<double, 8> standard_errors{15, 10, 16, 11, 9, 11, 10, 18};

  /// With other effects than Rubin's where they are simulated.
  explicit EightSchools(Form form, const Effects& effects = rubins_effects) : form_(form), effects_(effects) {}

  [[nodiscard]] Index dim() const noexcept override { return 10; }
  [[nodiscard]] std::vector<std::string> names() const override;
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> q) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Form form_;
  Effects effects_;
};

}  // namespace darboux

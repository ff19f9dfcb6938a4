#pragma once

#include <span>
#include <string>
#include <vector>

#include "darboux/model/model.hpp"

namespace darboux {

/// Neal's funnel: v ~ N(0, s²), x_i | v ~ N(0, eᵛ) for the other coordinates. A draw reports v, x[1], x[2], ….
///   centred, q = (v, x):                  log density = −v²/(2s²) − ½ Σ_i (x_i² e⁻ᵛ + v)
///   non-centred, v = s q₁, x = e^{v/2} z: log density = −½ ‖q‖², the same distribution in easy coordinates (q₁, z)
class Funnel final : public Model {
 public:
  enum class Form { centred, non_centred };
  explicit Funnel(Index dim, Form form = Form::centred, double scale = 3.0);

  [[nodiscard]] Form form() const noexcept { return form_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    return {.log_concave = form_ == Form::non_centred, .start = StartMethod::uniform};
  }
  [[nodiscard]] std::vector<std::string> names() const override;
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> q) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Index dim_;
  Form form_;
  double scale_;
};

}  // namespace darboux

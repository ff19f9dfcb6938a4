#pragma once

#include <vector>

#include "darboux/model/model.hpp"

namespace darboux {

/// A mixture of spherical Gaussians N(c_k, s² I) with weights w_k:
///     log density = log Σ_k w_k exp(−‖q − c_k‖²/(2s²)),
///     gradient    = Σ_k r_k (c_k − q)/s²,   r_k the share of component k in the sum.
class Mixture final : public Model {
 public:
  /// The two-dimensional target ½ N((2.5, −2.5), I) + ½ N((−2.5, 2.5), I).
  Mixture();
  /// The weights must be positive; they are divided by their sum.
  Mixture(std::vector<double> weights, std::vector<std::vector<double>> centers, double scale = 1.0);

  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }
  [[nodiscard]] const std::vector<std::vector<double>>& centers() const noexcept { return centers_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }

  [[nodiscard]] Index dim() const noexcept override { return std::ssize(centers_.front()); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return {.start = StartMethod::uniform}; }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  std::vector<double> weights_;
  std::vector<std::vector<double>> centers_;
  double scale_;
};

}  // namespace darboux

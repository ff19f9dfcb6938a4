#pragma once

#include <vector>

#include "darboux/linalg/matrix.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// The Gaussian N(μ, Σ), given by its covariance Σ or its precision P = Σ⁻¹:
///     log density = −½ (q − μ)ᵀ P (q − μ),   gradient = −P (q − μ).
/// A diagonal P costs n products instead of n².
class Gaussian final : public Model {
 public:
  [[nodiscard]] static Gaussian standard(Index dim);
  [[nodiscard]] static Gaussian from_scales(std::vector<double> mean, const std::vector<double>& scales);
  [[nodiscard]] static Gaussian from_covariance(std::vector<double> mean, Matrix covariance);
  [[nodiscard]] static Gaussian from_precision(std::vector<double> mean, Matrix precision);

  [[nodiscard]] const std::vector<double>& mean() const noexcept { return mean_; }
  [[nodiscard]] const Matrix& precision() const noexcept { return precision_; }
  [[nodiscard]] const Matrix& covariance() const noexcept { return covariance_; }

  [[nodiscard]] Index dim() const noexcept override { return std::ssize(mean_); }
  [[nodiscard]] ModelTraits traits() const noexcept override {
    return {.log_concave = true, .start = StartMethod::uniform};
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Gaussian(std::vector<double> mean, Matrix precision, Matrix covariance);

  std::vector<double> mean_;
  Matrix precision_, covariance_;
  StructuredMatrix tagged_precision_;
};

}  // namespace darboux

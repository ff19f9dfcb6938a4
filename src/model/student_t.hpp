#pragma once

#include "darboux/model/model.hpp"

namespace darboux {

/// The multivariate, spherical Student t with ν degrees of freedom and scale s: all coordinates share one heavy-tailed
/// length, q = s z √(ν/χ²_ν) with z standard normal (they are uncorrelated, not independent):
///     log density = −½ (ν + n) log(1 + ‖q‖²/(ν s²)),   gradient = −(ν + n) q/(ν s² + ‖q‖²).
/// Variance s² ν/(ν − 2) of each coordinate for ν > 2; infinite below.
class StudentT final : public Model {
 public:
  StudentT(Index dim, double degrees_of_freedom, double scale = 1.0);

  [[nodiscard]] double degrees_of_freedom() const noexcept { return degrees_of_freedom_; }
  [[nodiscard]] double scale() const noexcept { return scale_; }

  [[nodiscard]] Index dim() const noexcept override { return dim_; }
  [[nodiscard]] ModelTraits traits() const noexcept override { return {.start = StartMethod::uniform}; }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  Index dim_;
  double degrees_of_freedom_, scale_;
};

}  // namespace darboux

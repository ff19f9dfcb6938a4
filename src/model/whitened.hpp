#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/linalg/matrix.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// The preconditioner: another model in affine coordinates, q = μ + L x with L the identity, diagonal, of low rank beside a
/// diagonal, or any invertible matrix (mostly a Cholesky factor of the posterior covariance):
///     log density(x) = inner(μ + L x),   gradient = Lᵀ ∇inner;   the constant log|det L| is dropped.
/// What a draw reports (names, constrain) stays that of the inner model.
class Whitened final : public Model {
 public:
  /// Throws InputError unless the sizes match and L is finite and invertible.
  Whitened(std::shared_ptr<const Model> inner, std::vector<double> center, StructuredMatrix factor);
  /// With the lower Cholesky factor of a covariance.
  [[nodiscard]] static Whitened from_covariance(std::shared_ptr<const Model> inner, std::vector<double> center,
                                                const Matrix& covariance);
  /// With the lower Cholesky factor of the inverse of a precision, such as the Fisher information at the mode.
  [[nodiscard]] static Whitened from_precision(std::shared_ptr<const Model> inner, std::vector<double> center,
                                               const Matrix& precision);

  [[nodiscard]] const Model& inner() const noexcept { return *inner_; }
  [[nodiscard]] const std::vector<double>& center() const noexcept { return center_; }
  [[nodiscard]] const StructuredMatrix& factor() const noexcept { return factor_; }

  /// q = μ + L x, and back.
  [[nodiscard]] std::vector<double> to_inner(std::span<const double> x) const;
  void to_inner(std::span<const double> x, std::span<double> q) const;
  [[nodiscard]] std::vector<double> from_inner(std::span<const double> q) const;
  /// L⁻ᵀ g: a gradient with respect to x as one with respect to q.
  [[nodiscard]] std::vector<double> gradient_to_inner(std::span<const double> gradient) const;

  [[nodiscard]] Index dim() const noexcept override { return inner_->dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return inner_->traits(); }
  [[nodiscard]] std::vector<std::string> names() const override { return inner_->names(); }
  [[nodiscard]] Index natural_size() const override { return inner_->natural_size(); }
  void constrain(std::span<const double> x, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> x) const override;
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> x) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  std::shared_ptr<const Model> inner_;
  std::vector<double> center_;
  StructuredMatrix factor_, inverse_factor_;
};

}  // namespace darboux

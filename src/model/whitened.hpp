#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/linalg/matrix.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/model.hpp"
#include "model/bent_coordinates.hpp"

namespace darboux {

/// The preconditioner: another model in affine coordinates, q = μ + L x with L the identity, diagonal, of low rank beside a
/// diagonal, or any invertible matrix (mostly a Cholesky factor of the posterior covariance):
///     log density(x) = inner(μ + L x),   gradient = Lᵀ ∇inner;   the constant log|det L| is dropped.
/// Its coordinates may be bent one by one besides: with x = x(y), the model is one of y,
///     log density(y) = inner(μ + L x(y)) + Σ log dx_i/dy_i,   gradient_i = (Lᵀ ∇inner)_i dx_i/dy_i + d log(dx_i/dy_i)/dy_i.
/// What a draw reports (names, constrain) stays that of the inner model.
class Whitened final : public Model {
 public:
  /// Throws InputError unless the sizes match, L is finite and invertible and the shapes, if there are any, are increasing.
  Whitened(std::shared_ptr<const Model> inner, std::vector<double> center, StructuredMatrix factor,
           const std::vector<MarginalShape>& shapes = {});
  /// With the lower Cholesky factor of a covariance.
  [[nodiscard]] static Whitened from_covariance(std::shared_ptr<const Model> inner, std::vector<double> center,
                                                const Matrix& covariance);
  /// With the lower Cholesky factor of the inverse of a precision, such as the Fisher information at the mode.
  [[nodiscard]] static Whitened from_precision(std::shared_ptr<const Model> inner, std::vector<double> center,
                                               const Matrix& precision);

  [[nodiscard]] const Model& inner() const noexcept { return *inner_; }
  [[nodiscard]] const std::vector<double>& center() const noexcept { return center_; }
  [[nodiscard]] const StructuredMatrix& factor() const noexcept { return factor_; }

  /// q = μ + L x(y), and back.
  [[nodiscard]] std::vector<double> to_inner(std::span<const double> y) const;
  /// Lane by lane. The two must not overlap.
  void to_inner(ConstBatch y, Batch q) const;
  [[nodiscard]] std::vector<double> from_inner(std::span<const double> q) const;
  /// The gradient of U = −log density at y as that of the inner U with respect to q: L⁻ᵀ g where nothing is bent, otherwise the
  /// Jacobian's share is taken back first.
  [[nodiscard]] std::vector<double> potential_gradient_to_inner(std::span<const double> y,
                                                                std::span<const double> gradient) const;
  /// Lane by lane; what is given is overwritten. None of them may overlap.
  void potential_gradient_to_inner(ConstBatch y, Batch gradient, Batch inner) const;

  /// Σ log dx_i/dy_i of every lane, by which its log density is that of the inner model and more.
  void log_jacobian(ConstBatch y, std::span<double> out) const;

  [[nodiscard]] Index dim() const noexcept override { return inner_->dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override;
  [[nodiscard]] std::vector<std::string> names() const override { return inner_->names(); }
  [[nodiscard]] Index natural_size() const override { return inner_->natural_size(); }
  void constrain(std::span<const double> y, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> y) const override;
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> y) const override;
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override;

 private:
  std::shared_ptr<const Model> inner_;
  std::vector<double> center_;
  StructuredMatrix factor_, inverse_factor_, transposed_inverse_;
  BentCoordinates bent_;
};

}  // namespace darboux

#include "model/whitened.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "scratch_batch.hpp"

namespace darboux {

namespace {

/// q = μ + L x.
void from_white(const std::vector<double>& center, const StructuredMatrix& factor, ConstBatch x, Batch q) {
  for (Index j = 0; j < q.rows(); ++j) std::fill_n(q.row(j), q.lanes(), center[static_cast<std::size_t>(j)]);
  factor.add_product(x, q);
}

class WhitenedEvaluator final : public Evaluator {
 public:
  WhitenedEvaluator(std::shared_ptr<const Model> inner, std::vector<double> center, StructuredMatrix factor,
                    BentCoordinates bent)
      : inner_model_(std::move(inner)),
        inner_(inner_model_->make_evaluator()),
        center_(std::move(center)),
        factor_(std::move(factor)),
        transposed_factor_(factor_.transposed()),
        bent_(std::move(bent)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    const Index n = std::ssize(center_), lanes = query.q.lanes();
    check_shapes(n, query, answer);
    const Batch q = q_.get(n, lanes);
    from_white(center_, factor_, straight(query), q);
    const Batch inner_gradient = query.gradient ? gradient_.get(n, lanes) : Batch();
    inner_->evaluate({.q = q,
                      .active = query.active,
                      .value = query.value,
                      .gradient = query.gradient,
                      .single_precision = query.single_precision},
                     {.log_density = answer.log_density, .gradient = inner_gradient, .status = answer.status});
    if (query.gradient) transposed_factor_.multiply(inner_gradient, answer.gradient);
    if (!bent_.empty()) change_variables(query, answer);
  }

 private:
  /// x(y).
  ConstBatch straight(const Query& query) {
    if (bent_.empty()) return query.q;
    const Batch x = x_.get(query.q.rows(), query.q.lanes());
    bent_.to_straight(query.q, x, derivatives_, query.gradient, query.value);
    return x;
  }
  void change_variables(const Query& query, const Answer& answer) {
    if (query.gradient) bent_.change_gradient(derivatives_, answer.gradient);
    if (!query.value) return;
    for (Index lane = 0; lane < query.q.lanes(); ++lane)
      answer.log_density[at(lane)] += derivatives_.sum_log_slopes[at(lane)];
  }

  std::shared_ptr<const Model> inner_model_;  // outlives its evaluator
  std::unique_ptr<Evaluator> inner_;
  std::vector<double> center_;
  StructuredMatrix factor_, transposed_factor_;
  BentCoordinates bent_;
  BentCoordinates::Derivatives derivatives_;
  ScratchBatch x_, q_, gradient_;
};

}  // namespace

Whitened::Whitened(std::shared_ptr<const Model> inner, std::vector<double> center, StructuredMatrix factor,
                   const std::vector<MarginalShape>& shapes)
    : inner_(std::move(inner)), center_(std::move(center)), factor_(std::move(factor)) {
  if (!inner_) throw InputError("inner: null, must be a model");
  check::size("center", std::ssize(center_), dim());
  check::finite("center", center_);
  if (factor_.dim() != dim())
    throw InputError(fmt::format("factor is {0} × {0}: must be {1} × {1}", factor_.dim(), dim()));
  if (factor_.kind() == StructuredMatrix::Kind::dense) check::finite("factor", factor_.matrix());
  auto inverted = factor_.inverse();
  if (!inverted) throw InputError("factor: must be invertible, but is singular to working precision");
  inverse_factor_ = *std::move(inverted);
  transposed_inverse_ = inverse_factor_.transposed();
  bent_ = BentCoordinates(shapes, dim());
}

Whitened Whitened::from_covariance(std::shared_ptr<const Model> inner, std::vector<double> center,
                                   const Matrix& covariance) {
  check::positive_definite("covariance", covariance);
  return {std::move(inner), std::move(center), StructuredMatrix::from(cholesky(covariance).value())};
}

Whitened Whitened::from_precision(std::shared_ptr<const Model> inner, std::vector<double> center,
                                  const Matrix& precision) {
  return from_covariance(std::move(inner), std::move(center), check::positive_definite_inverse("precision", precision));
}

ModelTraits Whitened::traits() const noexcept {
  ModelTraits traits = inner_->traits();
  if (!bent_.empty()) traits.log_concave = false;  // may be lost
  return traits;
}

std::vector<double> Whitened::to_inner(std::span<const double> y) const {
  check::size("x", std::ssize(y), dim());
  std::vector<double> q(y.size());
  to_inner(ConstBatch(y.data(), dim(), 1, 1), Batch(q.data(), dim(), 1, 1));
  return q;
}

void Whitened::to_inner(ConstBatch y, Batch q) const {
  if (bent_.empty()) return from_white(center_, factor_, y, q);
  OwnedBatch x(dim(), y.lanes());
  bent_.to_straight(y, x);
  from_white(center_, factor_, x, q);
}

std::vector<double> Whitened::from_inner(std::span<const double> q) const {
  check::size("q", std::ssize(q), dim());
  std::vector<double> offset(q.begin(), q.end()), x(q.size());
  std::transform(q.begin(), q.end(), center_.begin(), offset.begin(), std::minus<>());
  inverse_factor_.multiply({offset.data(), dim(), 1, 1}, {x.data(), dim(), 1, 1});
  bent_.from_straight({x.data(), dim(), 1, 1});
  return x;
}

std::vector<double> Whitened::potential_gradient_to_inner(std::span<const double> y,
                                                          std::span<const double> gradient) const {
  check::size("x", std::ssize(y), dim());
  check::size("gradient", std::ssize(gradient), dim());
  std::vector<double> of_y(gradient.begin(), gradient.end()), inner(gradient.size());
  potential_gradient_to_inner({y.data(), dim(), 1, 1}, {of_y.data(), dim(), 1, 1}, {inner.data(), dim(), 1, 1});
  return inner;
}

void Whitened::potential_gradient_to_inner(ConstBatch y, Batch gradient, Batch inner) const {
  bent_.potential_gradient_to_straight(y, gradient);
  transposed_inverse_.multiply(gradient, inner);
}

void Whitened::log_jacobian(ConstBatch y, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  if (bent_.empty()) return;
  BentCoordinates::Derivatives derivatives;
  OwnedBatch x(dim(), y.lanes());
  bent_.to_straight(y, x, derivatives, false, true);
  std::ranges::copy(derivatives.sum_log_slopes, out.begin());
}

void Whitened::constrain(std::span<const double> y, const DrawKey& key, std::span<double> out) const {
  inner_->constrain(to_inner(y), key, out);
}

void Whitened::unconstrain(std::span<const double> natural, std::span<double> y) const {
  std::vector<double> q(y.size());
  inner_->unconstrain(natural, q);
  std::ranges::copy(from_inner(q), y.begin());
}

bool Whitened::draw_prior(const RandomKey& key, std::span<double> y) const {
  std::vector<double> q(y.size());
  if (!inner_->draw_prior(key, q)) return false;
  std::ranges::copy(from_inner(q), y.begin());
  return true;
}

std::unique_ptr<Evaluator> Whitened::make_evaluator() const {
  return std::make_unique<WhitenedEvaluator>(inner_, center_, factor_, bent_);
}

}  // namespace darboux

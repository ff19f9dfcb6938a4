#include "darboux/model/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "darboux/linalg/dense.hpp"

namespace darboux {

namespace {

constexpr std::size_t tile = 8;     // lanes that are computed together; narrower blocks are padded
constexpr Index rows_at_once = 32;  // of the design: their products and residuals stay in the first-level cache
using Tile = std::array<double, tile>;

/// log(1 + eᵗ) and its derivative 1/(1 + e⁻ᵗ), from e^{−|t|}.
double softplus(double t, double exp_minus_abs) { return std::max(t, 0.0) + std::log1p(exp_minus_abs); }
double sigmoid(double t, double exp_minus_abs) { return (t < 0.0 ? exp_minus_abs : 1.0) / (1.0 + exp_minus_abs); }

/// Always computes whole tiles of lanes, in one order of summation, so that a lane's bits depend on nothing but itself.
class LogisticEvaluator final : public Evaluator {
 public:
  explicit LogisticEvaluator(std::shared_ptr<const LogisticRegression::Data> data)
      : data_(std::move(data)), q_(columns()), gradient_(columns()) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(data_->design.cols(), query, answer);
    for (Index lane = 0; lane < query.q.lanes(); lane += Index{tile}) {
      const Index width = std::min(Index{tile}, query.q.lanes() - lane);
      if (!any_on(query.active, lane, width)) continue;
      load(query.q, lane, width);
      if (query.gradient)
        query.value ? run<true, true>() : run<false, true>();
      else
        run<true, false>();
      if (query.value) std::copy_n(value_.begin(), width, answer.log_density.begin() + lane);
      if (query.gradient)
        for (std::size_t j = 0; j < columns(); ++j)
          std::copy_n(gradient_[j].begin(), width, answer.gradient.row(static_cast<Index>(j)) + lane);
    }
    set_ok(query.active, answer.status);
  }

 private:
  [[nodiscard]] std::size_t columns() const noexcept { return static_cast<std::size_t>(data_->design.cols()); }

  static bool any_on(LaneMask active, Index first, Index width) noexcept {
    for (Index l = first; l < first + width; ++l)
      if (is_on(active, l)) return true;
    return false;
  }

  void load(ConstBatch q, Index lane, Index width) {
    for (std::size_t j = 0; j < columns(); ++j) {
      q_[j].fill(0.0);
      std::copy_n(q.row(static_cast<Index>(j)) + lane, width, q_[j].begin());
    }
  }

  template <bool with_value, bool with_gradient>
  void run() {
    const double precision = data_->prior_precision;
    value_.fill(0.0);
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t l = 0; l < tile; ++l) {
        if constexpr (with_value) value_[l] -= 0.5 * precision * q_[j][l] * q_[j][l];
        if constexpr (with_gradient) gradient_[j][l] = -precision * q_[j][l];
      }
    for (Index first = 0; first < data_->design.rows(); first += rows_at_once) {
      const Index count = std::min(rows_at_once, data_->design.rows() - first);
      predict(first, count);
      add_terms<with_value, with_gradient>(first, count);
      if constexpr (with_gradient) add_gradient(first, count);
    }
  }

  /// terms = X q for these rows.
  void predict(Index first, Index count) {
    for (Index i = 0; i < count; ++i) {
      const double* x = row(first + i);
      Tile sum{};
      for (std::size_t j = 0; j < columns(); ++j)
        for (std::size_t l = 0; l < tile; ++l) sum[l] += x[j] * q_[j][l];
      terms_[static_cast<std::size_t>(i)] = sum;
    }
  }

  /// Adds the log likelihood of these rows, and turns terms from x_iβ into its derivative by x_iβ.
  template <bool with_value, bool with_gradient>
  void add_terms(Index first, Index count) {
    for (Index i = 0; i < count; ++i) {
      const double sign = data_->signs[static_cast<std::size_t>(first + i)];
      Tile& term = terms_[static_cast<std::size_t>(i)];
      for (std::size_t l = 0; l < tile; ++l) {
        const double t = -sign * term[l];
        const double e = std::exp(-std::abs(t));
        if constexpr (with_value) value_[l] -= softplus(t, e);
        if constexpr (with_gradient) term[l] = sign * sigmoid(t, e);
      }
    }
  }

  /// gradient += Xᵀ terms for these rows.
  void add_gradient(Index first, Index count) {
    for (std::size_t j = 0; j < columns(); ++j) {
      Tile sum = gradient_[j];
      for (Index i = 0; i < count; ++i) {
        const double x = row(first + i)[j];
        const Tile& term = terms_[static_cast<std::size_t>(i)];
        for (std::size_t l = 0; l < tile; ++l) sum[l] += x * term[l];
      }
      gradient_[j] = sum;
    }
  }

  [[nodiscard]] const double* row(Index i) const noexcept { return data_->design.data() + i * data_->design.cols(); }

  std::shared_ptr<const LogisticRegression::Data> data_;
  std::vector<Tile> q_, gradient_;
  Tile value_{};
  std::array<Tile, static_cast<std::size_t>(rows_at_once)> terms_{};
};

Matrix with_intercept(const Matrix& features) {
  Matrix design(features.rows(), features.cols() + 1, 1.0);
  design.set_block(0, 1, features);
  return design;
}

}  // namespace

LogisticRegression::LogisticRegression(const Matrix& features, std::vector<double> y, const Options& options) {
  check::dimension("number of rows of x", features.rows());
  check::finite("x", features);
  check::size("y", std::ssize(y), features.rows());
  check::positive("prior_scale", options.prior_scale);
  if (!options.names.empty()) check::size("names", std::ssize(options.names), features.cols());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != 0.0 && y[i] != 1.0) throw InputError(fmt::format("y in row {} is {}: must be 0 or 1", i + 1, y[i]));
    y[i] = 2.0 * y[i] - 1.0;
  }
  if (options.intercept) names_.emplace_back("intercept");
  for (Index j = 0; j < features.cols(); ++j)
    names_.push_back(options.names.empty() ? fmt::format("beta[{}]", j + 1)
                                           : options.names[static_cast<std::size_t>(j)]);
  check::dimension("number of coefficients", std::ssize(names_));
  data_ = std::make_shared<const Data>(Data{.design = options.intercept ? with_intercept(features) : features,
                                            .signs = std::move(y),
                                            .prior_precision = 1.0 / (options.prior_scale * options.prior_scale)});
}

Matrix LogisticRegression::fisher_information(std::span<const double> beta) const {
  check::size("beta", std::ssize(beta), dim());
  check::finite("beta", beta);
  const Matrix& x = design();
  Matrix weighted = x;
  for (Index i = 0; i < x.rows(); ++i) {
    double t = 0.0;
    for (Index j = 0; j < dim(); ++j) t += x(i, j) * beta[static_cast<std::size_t>(j)];
    const double e = std::exp(-std::abs(t));
    for (Index j = 0; j < dim(); ++j) weighted(i, j) *= e / ((1.0 + e) * (1.0 + e));
  }
  Matrix out = x.transposed() * weighted + prior_precision() * Matrix::identity(dim());
  return 0.5 * (out + out.transposed());
}

std::vector<double> LogisticRegression::mode() const {
  constexpr int most_steps = 100, most_halvings = 60;
  const Index n = dim();
  const auto evaluator = make_evaluator();
  Matrix beta(n, 1), gradient(n, 1);
  Status status{};
  const auto evaluate = [&](const Matrix& at, bool with_gradient) {
    double log_density = 0.0;
    evaluator->evaluate(
        {.q = {at.data(), n, 1, 1}, .active = {}, .value = true, .gradient = with_gradient},
        {.log_density = {&log_density, 1}, .gradient = {gradient.data(), n, 1, 1}, .status = {&status, 1}});
    return log_density;
  };
  double best = evaluate(beta, true);
  for (int step = 0; step < most_steps; ++step) {
    const auto covariance = inverse(fisher_information({beta.data(), static_cast<std::size_t>(n)}));
    if (!covariance) throw Error("logistic regression: the Fisher information is singular to working precision");
    Matrix move = *covariance * gradient;
    const double decrement = (gradient.transposed() * move)(0, 0);  // twice the gain to expect
    // Close to the maximum the gain drowns in rounding, long before the gradient does: such steps are taken in full.
    const double least = best - 1e-12 * (1.0 + std::abs(best));
    for (int halving = 0; !(evaluate(beta + move, false) >= least) && halving < most_halvings; ++halving) move *= 0.5;
    beta += move;
    best = evaluate(beta, true);
    if (decrement < 1e-20) break;  // convergence is quadratic: this step has reached rounding
  }
  return {beta.data(), beta.data() + n};
}

bool LogisticRegression::draw_prior(const RandomKey& key, std::span<double> q) const {
  RandomStream(key).fill_normal(q);
  for (double& beta : q) beta /= std::sqrt(prior_precision());
  return true;
}

std::unique_ptr<Evaluator> LogisticRegression::make_evaluator() const {
  return std::make_unique<LogisticEvaluator>(data_);
}

}  // namespace darboux

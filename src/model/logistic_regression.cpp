#include "darboux/model/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "darboux/linalg/dense.hpp"
#include "logistic_kernel.hpp"

namespace darboux {

namespace {

constexpr Index panel_rows = LogisticTask::panel_rows;

/// Where the entry of row i and column j is.
std::size_t place(Index i, Index j, Index columns) {
  return static_cast<std::size_t>((i / panel_rows * columns + j) * panel_rows + i % panel_rows);
}

/// Gathers the lanes that are asked for: what a lane gets does not depend on those beside it, so the others cost nothing.
class LogisticEvaluator final : public Evaluator {
 public:
  explicit LogisticEvaluator(std::shared_ptr<const LogisticRegression::Data> data)
      : data_(std::move(data)), kernel_(DARBOUX_KERNEL(evaluate_logistic)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(data_->columns, query, answer);
    lanes_.clear();
    for (Index lane = 0; lane < query.q.lanes(); ++lane)
      if (is_on(query.active, lane)) lanes_.push_back(lane);
    make_room();
    for_each_coefficient([&](std::size_t at, Index j, Index lane) { beta_[at] = query.q(j, lane); });
    kernel_({.panels = data_->panels.data(),
             .signs = data_->signs.data(),
             .panel_count = data_->signs.size() / LogisticTask::panel_rows,
             .columns = columns(),
             .lanes = lanes_.size(),
             .beta = beta_.data(),
             .gradient = query.gradient ? gradient_.data() : nullptr,
             .log_likelihood = query.value ? value_.data() : nullptr,
             .scratch = scratch_.data()});
    if (query.value) store_value(answer.log_density);
    if (query.gradient)
      for_each_coefficient([&](std::size_t at, Index j, Index lane) {
        answer.gradient(j, lane) = gradient_[at] - data_->prior_precision * beta_[at];
      });
    set_ok(query.active, answer.status);
  }

 private:
  [[nodiscard]] std::size_t columns() const noexcept { return static_cast<std::size_t>(data_->columns); }

  void make_room() {
    if (lanes_.size() <= value_.size()) return;
    value_.resize(lanes_.size());
    beta_.resize(lanes_.size() * columns());
    gradient_.resize(lanes_.size() * columns());
    scratch_.resize(LogisticTask::scratch_size(columns(), lanes_.size()));
  }

  /// visit(place in the kernel's arrays, coordinate, lane)
  template <class Visit>
  void for_each_coefficient(Visit visit) const {
    const std::size_t in_groups = lanes_.size() / LogisticTask::group * LogisticTask::group;
    for (std::size_t first = 0; first < in_groups; first += LogisticTask::group)
      for_each_coefficient_of<LogisticTask::group>(first, visit);
    for (std::size_t first = in_groups; first < lanes_.size(); ++first) for_each_coefficient_of<1>(first, visit);
  }
  template <std::size_t width, class Visit>
  void for_each_coefficient_of(std::size_t first, Visit& visit) const {
    std::array<Index, width> lanes;
    std::copy_n(lanes_.begin() + static_cast<Index>(first), width, lanes.begin());
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t l = 0; l < width; ++l) visit(first * columns() + j * width + l, static_cast<Index>(j), lanes[l]);
  }

  void store_value(std::span<double> log_density) {
    for (std::size_t k = 0; k < lanes_.size(); ++k) log_density[static_cast<std::size_t>(lanes_[k])] = value_[k];
    for_each_coefficient([&](std::size_t at, Index, Index lane) {
      log_density[static_cast<std::size_t>(lane)] -= 0.5 * data_->prior_precision * beta_[at] * beta_[at];
    });
  }

  std::shared_ptr<const LogisticRegression::Data> data_;
  decltype(&baseline::evaluate_logistic) kernel_;
  std::vector<Index> lanes_;  // that are asked for
  std::vector<double> beta_, gradient_, value_;
  std::vector<double, CacheLineAllocator<double>> scratch_;
};

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
  const Index columns = std::ssize(names_), ones = options.intercept ? 1 : 0;
  const Index padded_rows = (features.rows() + panel_rows - 1) / panel_rows * panel_rows;
  Data data{.rows = features.rows(),
            .columns = columns,
            .panels = std::vector<double, CacheLineAllocator<double>>(static_cast<std::size_t>(padded_rows * columns)),
            .signs = {y.begin(), y.end()},
            .prior_precision = 1.0 / (options.prior_scale * options.prior_scale)};
  data.signs.resize(static_cast<std::size_t>(padded_rows));
  for (Index i = 0; i < features.rows(); ++i)
    for (Index j = 0; j < columns; ++j)
      data.panels[place(i, j, columns)] = -y[static_cast<std::size_t>(i)] * (j < ones ? 1.0 : features(i, j - ones));
  data_ = std::make_shared<const Data>(std::move(data));
}

Matrix LogisticRegression::design() const {
  Matrix x(data_->rows, data_->columns);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) = -data_->signs[static_cast<std::size_t>(i)] * data_->panels[place(i, j, x.cols())];
  return x;
}

std::vector<double> LogisticRegression::signs() const {
  return {data_->signs.begin(), data_->signs.begin() + data_->rows};
}

Matrix LogisticRegression::fisher_information(std::span<const double> beta) const {
  check::size("beta", std::ssize(beta), dim());
  check::finite("beta", beta);
  const Matrix x = design();
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

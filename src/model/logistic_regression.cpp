#include "darboux/model/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "logistic_rows.hpp"

namespace darboux {

namespace {

/// Where the entry of row i and column j is.
template <class Number>
std::size_t place(Index i, Index j, Index columns) {
  constexpr Index panel_rows = LogisticTask<Number>::panel_rows;
  return static_cast<std::size_t>((i / panel_rows * columns + j) * panel_rows + i % panel_rows);
}
template <class Number>
std::size_t padded(Index rows) {
  constexpr auto panel_rows = LogisticTask<Number>::panel_rows;
  return (static_cast<std::size_t>(rows) + panel_rows - 1) / panel_rows * panel_rows;
}

}  // namespace

std::vector<std::string> coefficient_names(const LogisticOptions& options, Index features) {
  std::vector<std::string> names;
  if (options.intercept) names.emplace_back("intercept");
  for (Index j = 0; j < features; ++j)
    names.push_back(options.names.empty() ? fmt::format("beta[{}]", j + 1)
                                          : options.names[static_cast<std::size_t>(j)]);
  return names;
}

std::vector<double> prior_precisions(const LogisticOptions& options, Index coefficients) {
  const double intercept_scale = options.prior_intercept.value_or(options.prior_scale);
  std::vector<double> precisions(static_cast<std::size_t>(coefficients),
                                 1.0 / (options.prior_scale * options.prior_scale));
  if (options.intercept) precisions[0] = 1.0 / (intercept_scale * intercept_scale);
  return precisions;
}

bool draw_normal_prior(std::span<const double> precisions, const RandomKey& key, std::span<double> q) {
  RandomStream(key).fill_normal(q);
  for (std::size_t j = 0; j < q.size(); ++j) q[j] /= std::sqrt(precisions[j]);
  return true;
}

LogisticRegression::Data design_of(const Matrix& features, std::span<const double> signs, bool intercept) {
  const Index ones = intercept ? 1 : 0, columns = features.cols() + ones;
  const std::size_t padded_rows = padded<double>(features.rows());
  LogisticRegression::Data data{
      .rows = features.rows(),
      .columns = columns,
      .panels = std::vector<double, CacheLineAllocator<double>>(padded_rows * static_cast<std::size_t>(columns)),
      .signs = {signs.begin(), signs.end()},
      .prior_precisions = {},
      .single = std::make_unique<LogisticRegression::SinglePrecision>()};
  data.signs.resize(padded_rows);
  for (Index i = 0; i < features.rows(); ++i)
    for (Index j = 0; j < columns; ++j)
      data.panels[place<double>(i, j, columns)] =
          -signs[static_cast<std::size_t>(i)] * (j < ones ? 1.0 : features(i, j - ones));
  return data;
}

LogisticRegression::LogisticRegression(const Matrix& features, std::vector<double> y, const Options& options) {
  check::dimension("number of rows of x", features.rows());
  check::finite("x", features);
  check::size("y", std::ssize(y), features.rows());
  check::positive("prior_scale", options.prior_scale);
  check::positive("prior_intercept", options.prior_intercept.value_or(options.prior_scale));
  if (!options.names.empty()) check::size("names", std::ssize(options.names), features.cols());
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] != 0.0 && y[i] != 1.0) throw InputError(fmt::format("y in row {} is {}: must be 0 or 1", i + 1, y[i]));
    y[i] = 2.0 * y[i] - 1.0;
  }
  names_ = coefficient_names(options, features.cols());
  check::dimension("number of coefficients", std::ssize(names_));
  Data data = design_of(features, y, options.intercept);
  data.prior_precisions = darboux::prior_precisions(options, std::ssize(names_));
  data_ = std::make_shared<const Data>(std::move(data));
}

const std::vector<float, CacheLineAllocator<float>>& LogisticRegression::SinglePrecision::panels(const Data& data) {
  std::call_once(once_, [&] {
    panels_.resize(padded<float>(data.rows) * static_cast<std::size_t>(data.columns));
    for (Index i = 0; i < data.rows; ++i)
      for (Index j = 0; j < data.columns; ++j)
        panels_[place<float>(i, j, data.columns)] = static_cast<float>(data.panels[place<double>(i, j, data.columns)]);
  });
  return panels_;
}

/// Two chains cost each hardly more than sixteen, unless reading the design is what takes time: then more have to share it.
ModelTraits LogisticRegression::traits() const noexcept {
  using Task = LogisticTask<double>;
  const bool in_cache = data_->panels.size() / Task::panel_rows <= Task::columns_in_last_cache;
  return {.least_lanes = in_cache ? 2 : 8,
          .log_concave = true,
          .start = StartMethod::uniform,
          .single_precision_gradients = true};
}

Matrix LogisticRegression::design(Index first, Index rows) const {
  Matrix x(rows, data_->columns);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) =
          -data_->signs[static_cast<std::size_t>(first + i)] * data_->panels[place<double>(first + i, j, x.cols())];
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
  Matrix out = x.transposed() * weighted;
  for (Index j = 0; j < dim(); ++j) out(j, j) += prior_precisions()[static_cast<std::size_t>(j)];
  return 0.5 * (out + out.transposed());
}

std::vector<double> LogisticRegression::mode(int most_steps) const {
  check::dimension("most_steps", most_steps);
  constexpr int most_halvings = 60;
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
  double decrement = 0.0;  // twice the gain to expect of a step
  for (int step = 0; step < most_steps; ++step) {
    const auto covariance = inverse(fisher_information({beta.data(), static_cast<std::size_t>(n)}));
    if (!covariance) throw Error("logistic regression: the Fisher information is singular to working precision");
    Matrix move = *covariance * gradient;
    decrement = (gradient.transposed() * move)(0, 0);
    // Close to the maximum the gain drowns in rounding, long before the gradient does: such steps are taken in full.
    const double least = best - 1e-12 * (1.0 + std::abs(best));
    for (int halving = 0; !(evaluate(beta + move, false) >= least) && halving < most_halvings; ++halving) move *= 0.5;
    beta += move;
    best = evaluate(beta, true);
    if (decrement < 1e-20) break;  // convergence is quadratic: this step has reached rounding
  }
  constexpr double enough = 1e-8;  // some 1e-4 posterior standard deviations; rounding may leave more than 1e-20
  if (!(decrement < enough))
    throw Error(fmt::format("logistic regression: no mode was found in {} steps; a smaller prior scale makes it easier",
                            most_steps));
  return {beta.data(), beta.data() + n};
}

bool LogisticRegression::draw_prior(const RandomKey& key, std::span<double> q) const {
  return draw_normal_prior(prior_precisions(), key, q);
}

std::unique_ptr<Evaluator> LogisticRegression::make_evaluator() const {
  return logistic_evaluator(rows_here(data_), prior_precisions());
}

}  // namespace darboux

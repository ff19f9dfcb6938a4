#include "model/logistic_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "io/column_names.hpp"
#include "model/logistic_findings.hpp"

namespace darboux {

namespace {

/// What is taken out of predictors with such means and standard deviations, whose two values are so far apart; 0 where there are more.
Standardisation taken_out(Standardisation moments, std::span<const double> ranges, bool shift, Standardising how) {
  if (!shift) std::ranges::fill(moments.means, 0.0);
  if (how == Standardising::all) return moments;
  for (std::size_t j = 0; j < ranges.size(); ++j)
    if (ranges[j] > 0.0) moments.scales[j] = ranges[j];
  return moments;
}

Matrix standardised(Matrix features, const Standardisation& taken) {
  take_out(taken, features);
  return features;
}

}  // namespace

LogisticOptions logistic_options(const RegressionTable& table, const RegressionOptions& options) {
  LogisticOptions out{
      .intercept = options.intercept, .prior_scale = options.prior_scale, .prior_intercept = options.prior_intercept};
  for (const Predictor& predictor : table.predictors) out.names.push_back(predictor.name);
  return out;
}

Standardisation taken_out(const Standardisation& moments, std::span<const Predictor> predictors,
                          const RegressionOptions& options) {
  std::vector<double> ranges;
  for (const Predictor& predictor : predictors) ranges.push_back(predictor.range);
  return taken_out(moments, ranges, options.intercept, options.standardise);
}

StandardisedRegression::StandardisedRegression(const Matrix& features, const LogisticOptions& options,
                                               Standardising how)
    : how_(how),
      prior_scale_(options.prior_scale),
      prior_intercept_(options.prior_intercept.value_or(options.prior_scale)),
      intercept_(options.intercept),
      moments_(moments_of(features)),
      taken_(taken_out(moments_, ranges_of_two_values(features), intercept_, how)) {}

StandardisedRegression::StandardisedRegression(RegressionTable table, const RegressionOptions& options,
                                               Standardisation moments)
    : table_(std::move(table)),
      how_(options.standardise),
      prior_scale_(options.prior_scale),
      prior_intercept_(options.prior_intercept),
      intercept_(options.intercept),
      moments_(std::move(moments)),
      taken_(taken_out(moments_, table_.predictors, options)) {}

StandardisedLogistic::StandardisedLogistic(Matrix features, std::vector<double> y, const LogisticOptions& options,
                                           Standardising how)
    : StandardisedRegression(features, options, how),
      given_(features.rows() * (features.cols() + (has_intercept() ? 1 : 0)) <= most_kept ? features : Matrix()),
      inner_(darboux::standardised(std::move(features), taken()), std::move(y), options) {}

StandardisedLogistic::StandardisedLogistic(RegressionTable table, const RegressionOptions& options)
    : StandardisedLogistic(std::move(table.features), table.outcome.labels, logistic_options(table, options),
                           options.standardise) {
  table.outcome.labels.clear();
  set_table(std::move(table));
}

std::vector<std::string> StandardisedLogistic::remarks() const {
  if (response().empty()) return {};
  std::call_once(findings_->once, [&] { findings_->texts = findings_about(inner_, table(), has_intercept()); });
  return findings_->texts;
}

std::vector<ModelData> StandardisedLogistic::kept_data() const {
  ModelData y{.name = response().empty() ? "y" : response(), .whole = true, .values = inner_.signs()};
  for (double& sign : y.values) sign = 0.5 * (1.0 + sign);
  y.axes.push_back({.name = stan_column_name(y.name) + "_dim_0", .size = std::ssize(y.values)});
  if (given_.rows() == 0) return {std::move(y)};
  const ModelData::Axis column{.name = named_axis()->axis, .size = dim(), .labels = names()};
  ModelData x{.name = "X", .observed = false, .axes = {y.axes.front(), column}};
  x.values.reserve(at(given_.rows() * dim()));
  for (Index i = 0; i < given_.rows(); ++i) {
    if (has_intercept()) x.values.push_back(1.0);
    for (Index j = 0; j < given_.cols(); ++j) x.values.push_back(given_(i, j));
  }
  return {std::move(y), std::move(x)};
}

void StandardisedRegression::constrain(std::span<const double> q, const DrawKey& /*key*/, std::span<double> out) const {
  const std::size_t first = intercept_ ? 1 : 0;
  double b0 = q[0];
  for (std::size_t j = 0; j < taken_.scales.size(); ++j) {
    out[first + j] = q[first + j] / taken_.scales[j];
    b0 -= taken_.means[j] * out[first + j];
  }
  if (intercept_) out[0] = b0;
}

void StandardisedRegression::unconstrain(std::span<const double> natural, std::span<double> q) const {
  const std::size_t first = intercept_ ? 1 : 0;
  double beta0 = natural[0];
  for (std::size_t j = 0; j < taken_.scales.size(); ++j) {
    beta0 += taken_.means[j] * natural[first + j];
    q[first + j] = natural[first + j] * taken_.scales[j];
  }
  if (intercept_) q[0] = beta0;
}

namespace {

/// Draws report coefficients on the scale of the data; the regression is on the standardised one.
class StandardisedObservations final : public Observations {
 public:
  explicit StandardisedObservations(const StandardisedLogistic& model)
      : model_(model), inner_(model.standardised().make_observations()), beta_(at(model.dim())) {}

  [[nodiscard]] Index size() const noexcept override { return inner_->size(); }
  [[nodiscard]] std::vector<double> observed() const override { return inner_->observed(); }
  void log_likelihood(std::span<const double> draw, std::span<double> out) override {
    model_.unconstrain(draw, beta_);
    inner_->log_likelihood(beta_, out);
  }
  void predict(std::span<const double> draw, RandomStream& random, std::span<double> out) override {
    model_.unconstrain(draw, beta_);
    inner_->predict(beta_, random, out);
  }

 private:
  const StandardisedLogistic& model_;
  std::unique_ptr<Observations> inner_;
  std::vector<double> beta_;
};

}  // namespace

std::unique_ptr<Observations> StandardisedLogistic::make_observations() const {
  return std::make_unique<StandardisedObservations>(*this);
}

RegressionOptions logistic_data_options(const ModelOptions& o) {
  if (o.data.empty()) throw InputError("model logistic needs data: give a CSV file with --data FILE");
  RegressionOptions options{.response = o.response,
                            .positive = o.positive,
                            .columns = o.columns,
                            .drop = o.drop,
                            .category = o.category,
                            .reference = o.reference,
                            .na = o.na.value_or(MissingValues::refuse),
                            .separator = o.separator,
                            .decimal = o.decimal.value_or(DecimalSign::point),
                            .intercept = o.intercept.value_or(true)};
  options.prior_scale = o.prior_scale.value_or(options.prior_scale);
  options.prior_intercept = o.prior_intercept.value_or(options.prior_intercept);
  options.standardise = o.standardise.value_or(options.standardise);
  if (!options.intercept && o.prior_intercept)
    throw InputError("prior-intercept is given, and no-intercept too: give one of them");
  return options;
}

StandardisedLogistic logistic_from_table(CsvTable table, const LogisticDataOptions& options) {
  check::positive("prior_scale", options.prior_scale);
  check::positive("prior_intercept", options.prior_intercept);
  return {regression_table(std::move(table), options), options};
}

StandardisedLogistic logistic_from_file(const std::string& file, const LogisticDataOptions& options) {
  check::positive("prior_scale", options.prior_scale);
  check::positive("prior_intercept", options.prior_intercept);
  return {read_regression_table(file, options), options};
}

}  // namespace darboux

#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "darboux/model/logistic_regression.hpp"
#include "model/regression_table.hpp"
#include "model/standardise.hpp"

namespace darboux {

/// Coefficients are one array, by the columns of the table.
inline const NamedAxis coefficient_axis{.array = "beta", .axis = "column"};

/// A regression that samples on a standardised scale and reports on that of the data. With m_j the mean of predictor j and
/// s_j what Standardising divides it by, chains move in the coefficients β of (x_j − m_j)/s_j, where the prior N(0, prior_scale²)
/// holds for each, and N(0, prior_intercept²) for the intercept; a draw reports
///     b_j = β_j / s_j,   b_0 = β_0 − Σ_j m_j b_j,
/// which predict the same for x itself. Without an intercept m_j = 0: features are scaled but not shifted, since a shift
/// would need the intercept that was not wanted.
class StandardisedRegression : public Model {
 public:
  /// Name of the column with the outcome; empty where the data are no table.
  [[nodiscard]] const std::string& response() const noexcept { return table_.outcome.column; }
  /// `data` and `prior`, and the settings in force, with lines for people. Nothing where the data are no table.
  [[nodiscard]] std::vector<ModelFact> describe() const override;
  [[nodiscard]] std::optional<NamedAxis> named_axis() const override { return coefficient_axis; }
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> q) const override;

 protected:
  StandardisedRegression(const Matrix& features, const LogisticOptions& options, Standardising how);
  /// Of a table, by the means and standard deviations of its predictors.
  StandardisedRegression(RegressionTable table, const RegressionOptions& options, Standardisation moments);

  [[nodiscard]] const RegressionTable& table() const noexcept { return table_; }
  [[nodiscard]] const Standardisation& taken() const noexcept { return taken_; }
  [[nodiscard]] const Standardisation& moments() const noexcept { return moments_; }
  [[nodiscard]] bool has_intercept() const noexcept { return intercept_; }
  /// Without features and labels, which are elsewhere.
  void set_table(RegressionTable table) { table_ = std::move(table); }

 private:
  [[nodiscard]] ValueTree data_facts() const;
  [[nodiscard]] ValueTree prior_facts() const;
  [[nodiscard]] std::string prior_in_words() const;

  RegressionTable table_;
  Standardising how_;
  double prior_scale_, prior_intercept_;
  bool intercept_;
  Standardisation moments_;
  Standardisation taken_;
};

/// Logistic regression of that kind, with its rows.
class StandardisedLogistic final : public StandardisedRegression {
 public:
  /// Throws InputError as LogisticRegression does, and for constant features.
  StandardisedLogistic(Matrix features, std::vector<double> y, const LogisticOptions& options = {},
                       Standardising how = Standardising::numbers);
  /// Of a table, of which it can tell.
  StandardisedLogistic(RegressionTable table, const RegressionOptions& options);

  /// The regression on the standardised features.
  [[nodiscard]] const LogisticRegression& standardised() const noexcept { return inner_; }

  [[nodiscard]] Index dim() const noexcept override { return inner_.dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return inner_.traits(); }
  /// What is odd about the table (findings_about).
  [[nodiscard]] std::vector<std::string> remarks() const override;
  [[nodiscard]] std::vector<std::string> names() const override { return inner_.names(); }
  /// The labels, and X with X b = logit p(y = 1 | b) for what draws report, a column for each coefficient; without X where it has
  /// more than `most_kept` entries.
  [[nodiscard]] std::vector<ModelData> kept_data() const override;
  static constexpr Index most_kept = Index{1} << 20;  ///< 8 MB
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override {
    return inner_.draw_prior(key, q);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override { return inner_.make_evaluator(); }
  /// The rows of the table, in its order. The model must outlive it.
  [[nodiscard]] std::unique_ptr<Observations> make_observations() const override;

 private:
  /// Found when they are first asked for, and once: that may take a second.
  struct Findings {
    std::once_flag once;
    std::vector<std::string> texts;
  };

  Matrix given_;  // the features as they are, which standardising rounds; empty where they are too many to keep
  LogisticRegression inner_;
  std::shared_ptr<Findings> findings_ = std::make_shared<Findings>();
};

using LogisticDataOptions = RegressionOptions;

/// What options of models say of it. Throws InputError where there are no data, or options exclude each other.
[[nodiscard]] RegressionOptions logistic_data_options(const ModelOptions& options);

/// How coefficients are called and what their prior is.
[[nodiscard]] LogisticOptions logistic_options(const RegressionTable& table, const RegressionOptions& options);
/// What standardising takes out of predictors with such means and standard deviations.
[[nodiscard]] Standardisation taken_out(const Standardisation& moments, std::span<const Predictor> predictors,
                                        const RegressionOptions& options);

/// The regression of a table's outcome on its other columns (regression_table.hpp).
[[nodiscard]] StandardisedLogistic logistic_from_table(CsvTable table, const LogisticDataOptions& options = {});
[[nodiscard]] StandardisedLogistic logistic_from_file(const std::string& file, const LogisticDataOptions& options = {});

}  // namespace darboux

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/logistic_regression.hpp"
#include "io/csv.hpp"
#include "model/standardise.hpp"

namespace darboux {

/// Logistic regression that samples on a standardised scale and reports on that of the data. With m_j and s_j the mean and
/// the standard deviation (divisor n) of feature j, chains move in the coefficients β of (x_j − m_j)/s_j, where the prior
/// N(0, prior_scale²) holds for each, the intercept included; a draw reports
///     b_j = β_j / s_j,   b_0 = β_0 − Σ_j m_j b_j,
/// which predict the same for x itself. Without an intercept m_j = 0: features are scaled but not shifted, since a shift
/// would need the intercept that was not wanted.
class StandardisedLogistic final : public Model {
 public:
  /// Throws InputError as LogisticRegression does, and for constant features.
  StandardisedLogistic(Matrix features, std::vector<double> y, const LogisticOptions& options = {});

  /// The regression on the standardised features.
  [[nodiscard]] const LogisticRegression& standardised() const noexcept { return inner_; }
  /// Name of the column with the labels; empty where the data are no table.
  [[nodiscard]] const std::string& response() const noexcept { return response_; }
  void set_response(std::string name) { response_ = std::move(name); }

  [[nodiscard]] Index dim() const noexcept override { return inner_.dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return inner_.traits(); }
  [[nodiscard]] std::vector<ModelFact> describe() const override;
  [[nodiscard]] std::vector<std::string> names() const override { return inner_.names(); }
  /// Coefficients are one array, by the columns of the table.
  [[nodiscard]] std::optional<NamedAxis> named_axis() const override { return NamedAxis{"beta", "column"}; }
  /// The labels, and X with X b = logit p(y = 1 | b) for what draws report, a column for each coefficient; without X where it has
  /// more than `most_kept` entries.
  [[nodiscard]] std::vector<ModelData> kept_data() const override;
  static constexpr Index most_kept = Index{1} << 20;  ///< 8 MB
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override;
  void unconstrain(std::span<const double> natural, std::span<double> q) const override;
  [[nodiscard]] bool draw_prior(const RandomKey& key, std::span<double> q) const override {
    return inner_.draw_prior(key, q);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override { return inner_.make_evaluator(); }
  /// The rows of the table, in its order. The model must outlive it.
  [[nodiscard]] std::unique_ptr<Observations> make_observations() const override;

 private:
  std::string response_;
  bool intercept_;
  Matrix given_;  // the features as they are, which standardising rounds; empty where they are too many to keep
  Standardisation taken_;
  LogisticRegression inner_;
};

struct LogisticDataOptions {
  /// Name of the column with the labels; when empty, y if there is one, or else the first.
  std::string response{};    // NOLINT(readability-redundant-member-init): may be left out of {.intercept = …}
  bool intercept = true;     ///< add a column of ones
  double prior_scale = 1.0;  ///< standard deviation of every coefficient's prior, on the standardised scale
};

/// The regression of a table's response on all its other columns. Numbers are features as they are, under the header's name;
/// a text column with levels a < b < … becomes the indicators column[b], … of all levels but the first. Throws InputError
/// naming file, line or column, value and rule: for a response other than 0 and 1, missing or infinite values, constant columns,
/// text columns with more than 100 levels, names that coincide.
[[nodiscard]] StandardisedLogistic logistic_from_table(const CsvTable& table, const LogisticDataOptions& options = {});

}  // namespace darboux

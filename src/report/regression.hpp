#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "draws/run_manifest.hpp"

/// What the manifest of a logistic regression says of its data and its prior.
namespace darboux {

/// Chains report b_j, the change of the log odds for one unit more of a predictor. Readers compare predictors by a step that means the
/// same for all of them: one standard deviation of a number, or from one of two values, or from the baseline, to the other.
struct PredictorFacts {
  std::string name;    ///< of the coefficient, as in the table of the data
  std::string column;  ///< of the file
  std::string kind;    ///< "number", "two-valued" or "indicator"
  std::string level;   ///< of an indicator; empty else
  double mean = 0.0, sd = 1.0, scale = 1.0;
  double step = 1.0;      ///< in units of the file
  std::string step_text;  ///< "1 sd = 12.1", "b instead of a", "0 to 1"
};

struct CategoryFacts {
  std::string column, baseline;
  std::vector<std::string> levels;
  std::vector<std::int64_t> rows;  ///< of each level
};

struct OutcomeFacts {
  std::string column, positive, negative;
  std::int64_t positives = 0, negatives = 0;
  bool asked = false;  ///< whether the column was named by somebody
};

struct RegressionFacts {
  std::string file, checksum;  ///< the second is empty where no one read all of the file
  std::int64_t rows = 0, rows_left_out = 0;
  OutcomeFacts outcome;
  bool all_by_sd = false;  ///< predictors of two values and indicators, too, were divided by their standard deviations
  std::vector<PredictorFacts> predictors;
  std::vector<CategoryFacts> categories;
  std::vector<std::string> left_out;  ///< columns
  std::vector<std::string> remarks;   ///< how the file was read, where not as usual
  std::string prior;                  ///< in words
  /// Of the parameters, in their order, by the names that draws have; the intercept is the first where there is one.
  struct Prior {
    std::string name;
    double sd = 0.0;               ///< marginally, of what is reported
    double standardised_sd = 0.0;  ///< of what chains move in: of the intercept, at the mean of the predictors
  };
  std::vector<Prior> priors;
};

/// None where the manifest tells nothing of predictors: of another model, or of an earlier version.
[[nodiscard]] std::optional<RegressionFacts> regression_of(const RunManifest& manifest);

}  // namespace darboux

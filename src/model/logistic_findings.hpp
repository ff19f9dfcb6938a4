#pragma once

#include <string>
#include <vector>

#include "darboux/model/logistic_regression.hpp"
#include "model/regression_table.hpp"

namespace darboux {

/// What is odd about the data of a regression, in sentences with what to do: levels with fewer than five rows, predictors that are others
/// in disguise (to rounding, or with R² > 0.99), a number that counts the rows, and outcomes that predictors separate, so that the
/// prior alone holds coefficients back. `model` is the regression on standardised features.
[[nodiscard]] std::vector<std::string> findings_about(const LogisticRegression& model, const RegressionTable& table,
                                                      bool intercept);
/// Those of them that need no rows: rare levels and a number that counts the rows.
[[nodiscard]] std::vector<std::string> findings_of_facts(const RegressionTable& table);

}  // namespace darboux

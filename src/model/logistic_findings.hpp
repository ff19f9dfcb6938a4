#pragma once

#include <string>
#include <vector>

#include "darboux/model/logistic_regression.hpp"
#include "model/regression_table.hpp"

namespace darboux {

/// How large a table may be for what takes all of its rows, in rows × coefficients². A product of matrices of 10⁸ takes some 0.02 s.
struct FindingLimits {
  double product =
      1e11;  ///< for one product, which tells of collinear predictors; it is as many gradients as half the coefficients
  double little = 1e8;  ///< rows among which separation is looked for, which takes tens of products: always so many,
  double much = 1e9;    ///< and never more than these
};

/// What is odd about the data of a regression, in sentences with what to do: levels with fewer than five rows, predictors that are others
/// in disguise (to rounding, or with R² > 0.99), a number that counts the rows, and outcomes that predictors separate, so that the
/// prior alone holds coefficients back. `model` is the regression on standardised features.
[[nodiscard]] std::vector<std::string> findings_about(const LogisticRegression& model, const RegressionTable& table,
                                                      bool intercept, const FindingLimits& limits = {});
/// Those of them that need no rows: rare levels and a number that counts the rows.
[[nodiscard]] std::vector<std::string> findings_of_facts(const RegressionTable& table);

}  // namespace darboux

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "darboux/model/logistic_regression.hpp"

namespace darboux {

/// A β with t_i x_iβ ≥ 0 in all rows and > 0 in some: along it the likelihood of a logistic regression grows without end, and the
/// prior alone bounds the coefficients.
struct Separation {
  std::vector<double> way;  ///< β
  Index rows = 0;           ///< where t_i x_iβ > 0: whose outcome it tells without error
  bool is_of_all = true;  ///< false where only some of the rows were found to be separated, and whether all are is open
};

/// The design in blocks of rows, told the first: of a large table there is no room for a copy.
void for_each_block_of_rows(const LogisticRegression& model, const std::function<void(Index, const Matrix&)>& visit);

/// None where the rows are not separated. It is looked for among `few` of them, evenly spread: where these are not separated, all are
/// not. A β that separates these either separates all, or gets some of the others wrong, of which the worst then join them.
[[nodiscard]] std::optional<Separation> find_separation(const LogisticRegression& model, Index few);

}  // namespace darboux

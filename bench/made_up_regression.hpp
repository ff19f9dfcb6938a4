#pragma once

#include <darboux/core/random.hpp>
#include <darboux/model/logistic_regression.hpp>
#include <utility>
#include <vector>

namespace darboux::bench {

/// Standard normal features and an intercept, `columns` in all; labels are coin flips.
inline LogisticRegression made_up_regression(Index rows, Index columns) {
  RandomStream random({.seed = 2});
  Matrix x(rows, columns - 1);
  random.fill_normal({x.data(), static_cast<std::size_t>(rows * (columns - 1))});
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) y.push_back(random.uniform() < 0.5 ? 0.0 : 1.0);
  return {x, std::move(y)};
}

}  // namespace darboux::bench

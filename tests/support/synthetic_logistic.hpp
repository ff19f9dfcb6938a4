#pragma once

#include <memory>
#include <vector>

#include "darboux/core/random.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "darboux/model/standardise.hpp"
#include "darboux/model/whitened.hpp"

namespace darboux::testing {

struct SyntheticLogistic {
  std::shared_ptr<const LogisticRegression> model;
  std::shared_ptr<const Whitened> whitened;  ///< at the mode, with the inverse Fisher information there
};

/// Two classes, each a mixture of two Gaussians in its first two features (after Ripley's synthetic data); all features
/// are correlated through three common factors. The rows are made from a fixed seed.
inline SyntheticLogistic synthetic_logistic(Index rows = 1000, Index features = 20, std::uint64_t seed = 20240) {
  constexpr Index factors = 3;
  constexpr double center_of[2][2][2] = {{{-1.4, 0.6}, {0.6, 0.6}},
                                         {{-0.6, 1.4}, {0.8, 1.4}}};  // [class][part][feature]
  RandomStream random({.seed = seed});
  Matrix loading(features, factors);
  for (Index j = 0; j < features; ++j)
    for (Index f = 0; f < factors; ++f) loading(j, f) = random.normal();
  Matrix x(rows, features);
  std::vector<double> y;
  for (Index i = 0; i < rows; ++i) {
    const int label = random.uniform() < 0.5 ? 0 : 1;
    const int part = random.uniform() < 0.5 ? 0 : 1;
    double common[factors];
    for (double& value : common) value = random.normal();
    for (Index j = 0; j < features; ++j) {
      x(i, j) = j < 2 ? center_of[label][part][j] : 0.1 * label;
      for (Index f = 0; f < factors; ++f) x(i, j) += loading(j, f) * common[f];
      x(i, j) += 0.7 * random.normal();
    }
    y.push_back(label);
  }
  standardise(x);
  auto model = std::make_shared<const LogisticRegression>(x, std::move(y));
  const std::vector<double> mode = model->mode();
  auto whitened =
      std::make_shared<const Whitened>(Whitened::from_precision(model, mode, model->fisher_information(mode)));
  return {.model = std::move(model), .whitened = std::move(whitened)};
}

}  // namespace darboux::testing

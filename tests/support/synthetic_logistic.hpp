#pragma once

#include <memory>
#include <vector>

#include "darboux/core/random.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "model/standardise.hpp"
#include "model/whitened.hpp"

namespace darboux::testing {

struct SyntheticLogistic {
  std::shared_ptr<const LogisticRegression> model;
  std::shared_ptr<const Whitened> whitened;  ///< at the mode, with the inverse Fisher information there
};

/// How the first two features tell the classes apart: as Ripley's synthetic data do, with little noise, or through noise and
/// the factors common to all features, which makes the posterior more nearly Gaussian.
enum class Classes { separated, blurred };

/// Two classes, each a mixture of two Gaussians in its first two features (after Ripley's synthetic data); the others are
/// correlated through three common factors. The rows are made from a fixed seed.
inline SyntheticLogistic synthetic_logistic(Index rows = 1000, Index features = 20,
                                            Classes classes = Classes::blurred) {
  constexpr Index factors = 3;
  const bool blurred = classes == Classes::blurred;
  const double spread = blurred ? 2.0 : 1.0, noise = blurred ? 0.7 : 0.17;
  constexpr double center_of[2][2][2] = {{{-0.7, 0.3}, {0.3, 0.3}},
                                         {{-0.3, 0.7}, {0.4, 0.7}}};  // [class][part][feature]
  RandomStream random({.seed = 20240});
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
      x(i, j) = j < 2 ? spread * center_of[label][part][j] : 0.1 * label;
      for (Index f = 0; f < factors && (blurred || j >= 2); ++f) x(i, j) += loading(j, f) * common[f];
      x(i, j) += noise * random.normal();
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

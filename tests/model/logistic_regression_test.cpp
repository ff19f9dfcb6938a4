#include "darboux/model/logistic_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "darboux/linalg/dense.hpp"
#include "darboux/model/standardise.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"
#include "support/synthetic_logistic.hpp"

namespace darboux {
namespace {

using testing::evaluate;
using testing::gradient_at;
using testing::log_density_at;
using testing::message_of;
using testing::synthetic_logistic;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One feature with entries ±1, so that β sets |xβ| directly.
LogisticRegression one_feature() {
  return {Matrix{{1.0}, {1.0}, {-1.0}}, {1.0, 0.0, 1.0}, {.intercept = false, .prior_scale = 1e6}};
}

TEST(LogisticRegression, StableForLargePredictors) {
  for (const double beta : {-1000.0, -300.0, -40.0, 0.0, 1e-9, 40.0, 300.0, 1000.0}) {
    const auto softplus = [](long double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); };
    const auto sigmoid = [](long double t) { return t > 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); };
    const long double b = beta, prior = 1e-12L;
    const long double value = -2 * softplus(b) - softplus(-b) - prior * b * b / 2;
    // Rows: (x = 1, y = 1), (x = 1, y = 0), (x = −1, y = 1).
    const long double slope = sigmoid(-b) - 2 * sigmoid(b) - prior * b;
    EXPECT_NEAR(log_density_at(one_feature(), {beta}) / static_cast<double>(value), 1.0, 1e-14) << beta;
    EXPECT_NEAR(gradient_at(one_feature(), {beta})[0] / static_cast<double>(slope), 1.0, 1e-14) << beta;
  }
}

TEST(LogisticRegression, TinyResidualsKeepTheirRelativeAccuracy) {
  // A single row classified with certainty: the residual is e^{−600}, which y − σ would round to 0.
  const LogisticRegression model(Matrix{{1.0}}, {1.0}, {.intercept = false, .prior_scale = 1e150});
  EXPECT_NEAR(gradient_at(model, {600.0})[0] / std::exp(-600.0), 1.0, 1e-12);
  EXPECT_NEAR(log_density_at(model, {600.0}) / -std::exp(-600.0), 1.0, 1e-12);
}

TEST(LogisticRegression, ModeIsStationary) {
  const auto data = synthetic_logistic();
  const std::vector<double> mode = data.model->mode();
  const double scale = spectral_norm(data.model->fisher_information(mode));
  for (const double g : gradient_at(*data.model, mode)) EXPECT_LT(std::abs(g), 1e-10 * scale);
}

TEST(LogisticRegression, ModeIsFoundWhereFullNewtonStepsDiverge) {
  const LogisticRegression model({{3.7, 0.0, -6.6},
                                  {-59.1, 0.0, -0.9},
                                  {6.5, 1.6, -1.0},
                                  {4.1, -5.9, -1.6},
                                  {0.0, -850.4, -8.2},
                                  {5.2, 0.7, -0.2},
                                  {2.1, 0.2, -0.6},
                                  {0.9, -0.1, -0.2}},
                                 {0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0}, {.prior_scale = 200.0});
  for (const double g : gradient_at(model, model.mode())) EXPECT_LT(std::abs(g), 1e-10);
}

TEST(LogisticRegression, FisherInformationIsMinusTheHessian) {
  const auto data = synthetic_logistic(200, 4);
  const std::vector<double> beta{0.3, -0.5, 0.2, 1.0, -0.7};
  const Matrix fisher = data.model->fisher_information(beta);
  const double h = 1e-5;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    std::vector<double> left = beta, right = beta;
    left[j] -= h;
    right[j] += h;
    const auto low = gradient_at(*data.model, left), high = gradient_at(*data.model, right);
    for (std::size_t i = 0; i < beta.size(); ++i)
      EXPECT_NEAR(fisher(static_cast<Index>(i), static_cast<Index>(j)), (low[i] - high[i]) / (2.0 * h), 1e-6);
  }
}

TEST(LogisticRegression, LaplaceWhitenedPosteriorHasUnitCurvatureAtItsMode) {
  const auto data = synthetic_logistic();
  const double h = 1e-4;
  for (Index j = 0; j < data.whitened->dim(); ++j) {
    std::vector<double> left(static_cast<std::size_t>(data.whitened->dim())), right = left;
    left[static_cast<std::size_t>(j)] = -h;
    right[static_cast<std::size_t>(j)] = h;
    const auto low = gradient_at(*data.whitened, left), high = gradient_at(*data.whitened, right);
    for (Index i = 0; i < data.whitened->dim(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      EXPECT_NEAR((low[row] - high[row]) / (2.0 * h), i == j ? 1.0 : 0.0, 1e-6);
    }
  }
}

TEST(LogisticRegression, SyntheticDataAreAsDescribed) {
  const auto data = synthetic_logistic();
  EXPECT_EQ(data.model->design().rows(), 1000);
  EXPECT_EQ(data.model->dim(), 21);
  double successes = 0.0;
  for (const double sign : data.model->signs()) successes += 0.5 * (1.0 + sign);
  EXPECT_NEAR(successes, 500.0, 60.0);
}

TEST(LogisticRegression, NamesFollowTheColumns) {
  const Matrix x{{1.0, 2.0}};
  using Names = std::vector<std::string>;
  EXPECT_EQ(LogisticRegression(x, {1.0}).names(), (Names{"intercept", "beta[1]", "beta[2]"}));
  EXPECT_EQ(LogisticRegression(x, {1.0}, {.intercept = false, .names = {"age", "height"}}).names(),
            (Names{"age", "height"}));
}

TEST(LogisticRegression, RefusesBadArguments) {
  const Matrix x{{1.0, 2.0}, {3.0, 4.0}};
  const auto refusal = [](const Matrix& features, std::vector<double> y, const LogisticOptions& options = {}) {
    return message_of<InputError>([&] { LogisticRegression(features, y, options); });
  };
  EXPECT_EQ(refusal(x, {1.0, 2.0}), "y in row 2 is 2: must be 0 or 1");
  EXPECT_EQ(refusal(x, {nan, 1.0}), "y in row 1 is nan: must be 0 or 1");
  EXPECT_EQ(refusal(x, {1.0}), "y has 1 entries: must have 2");
  EXPECT_EQ(refusal(Matrix{{1.0, nan}}, {1.0}), "x(1, 2) = nan: must be finite");
  EXPECT_EQ(refusal(x, {1.0, 0.0}, {.prior_scale = 0.0}), "prior_scale = 0: must be positive and finite");
  EXPECT_EQ(refusal(x, {1.0, 0.0}, {.prior_scale = nan}), "prior_scale = nan: must be positive and finite");
  EXPECT_EQ(refusal(x, {1.0, 0.0}, {.names = {"only one"}}), "names has 1 entries: must have 2");
  EXPECT_EQ(refusal(Matrix(), {}), "number of rows of x = 0: must be at least 1");
  EXPECT_EQ(refusal(Matrix(2, 0), {1.0, 0.0}, {.intercept = false}), "number of coefficients = 0: must be at least 1");
  EXPECT_EQ(
      message_of<InputError>([&] { return LogisticRegression(x, {1.0, 0.0}).fisher_information(std::vector{1.0}); }),
      "beta has 1 entries: must have 3");
}

TEST(Standardise, GivesMeanZeroAndVarianceOneWithDivisorN) {
  Matrix x{{1.0, 1e8}, {2.0, 1e8 + 1.0}, {6.0, 1e8 + 5.0}};
  const Matrix original = x;
  const Standardisation taken = standardise(x);
  EXPECT_DOUBLE_EQ(taken.means[0], 3.0);
  EXPECT_DOUBLE_EQ(taken.scales[0], std::sqrt((4.0 + 1.0 + 9.0) / 3.0));
  for (Index j = 0; j < 2; ++j) {
    double mean = 0.0, square = 0.0;
    for (Index i = 0; i < 3; ++i) {
      const auto column = static_cast<std::size_t>(j);
      mean += x(i, j) / 3.0;
      square += x(i, j) * x(i, j) / 3.0;
      EXPECT_DOUBLE_EQ(taken.means[column] + taken.scales[column] * x(i, j), original(i, j));
    }
    EXPECT_NEAR(mean, 0.0, 1e-8);
    EXPECT_NEAR(square, 1.0, 1e-8);
  }
}

TEST(Standardise, RefusesConstantAndBadColumns) {
  const auto refusal = [](Matrix x) { return message_of<InputError>([&] { standardise(x); }); };
  EXPECT_EQ(refusal({{1.0, 0.1}, {2.0, 0.1}, {3.0, 0.1}}), "column 2 is constant (0.1): it cannot be standardised");
  EXPECT_EQ(refusal({{1.0}}), "column 1 is constant (1): it cannot be standardised");
  EXPECT_EQ(refusal({{0.3 - 0.2}, {0.1}}), "column 1 is constant (0.09999999999999998): it cannot be standardised");
  EXPECT_EQ(refusal({{1.0}, {nan}}), "x(2, 1) = nan: must be finite");
  EXPECT_EQ(refusal(Matrix()), "number of rows = 0: must be at least 1");
}

}  // namespace
}  // namespace darboux

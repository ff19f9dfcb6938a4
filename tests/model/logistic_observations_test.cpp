#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "darboux/core/error.hpp"
#include "darboux/model/logistic_regression.hpp"
#include "model/gaussian.hpp"
#include "model/logistic_data.hpp"
#include "support/every_cpu.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::log_density_at;

struct Data {
  Matrix x;
  std::vector<double> y;
};

Data some_data(Index rows, Index columns) {
  Data data{.x = Matrix(rows, columns), .y = {}};
  RandomStream random({.seed = static_cast<std::uint64_t>(100 * rows + columns)});
  random.fill_normal({data.x.data(), at(rows * columns)});
  for (Index i = 0; i < rows; ++i) data.y.push_back(random.uniform() < 0.4 ? 1.0 : 0.0);
  return data;
}

std::vector<double> log_likelihood_at(const Model& model, const std::vector<double>& draw) {
  const auto observations = model.make_observations();
  std::vector<double> out(at(observations->size()));
  observations->log_likelihood(draw, out);
  return out;
}

TEST(LogisticObservations, EachTermIsRightToItsLastDigitsHoweverLarge) {
  const LogisticRegression model(Matrix{{1.0}, {1.0}, {-1.0}}, {1.0, 0.0, 1.0}, {.intercept = false});
  // −log(1 + eᵗ), in extended precision.
  const auto log_sigmoid_of_minus = [](long double t) {
    return t > 0 ? -t - std::log1p(std::exp(-t)) : -std::log1p(std::exp(t));
  };
  testing::on_every_cpu([&](CpuKind kind) {
    for (double beta = -707.0; beta < 707.0; beta += 1.37) {
      const std::vector<double> got = log_likelihood_at(model, {beta});
      const double signs[] = {-1.0, 1.0, 1.0};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto expected = static_cast<double>(log_sigmoid_of_minus(signs[i] * beta));
        EXPECT_NEAR(got[i] / expected, 1.0, 1e-15) << beta << ", row " << i << ", " << name(kind);
      }
    }
    EXPECT_EQ(log_likelihood_at(model, {1e6})[1], -1e6);
  });
}

TEST(LogisticObservations, TheirSumAndTheLogPriorAreTheLogDensity) {
  for (const Index rows : {1, 23, 24, 25, 505})
    for (const Index columns : {1, 3, 9}) {
      const Data data = some_data(rows, columns);
      const LogisticRegression model(data.x, data.y, {.prior_scale = 2.0});
      testing::on_every_cpu([&](CpuKind kind) {
        const auto beta = testing::lane_of(testing::normal_points(columns + 1, 1, 0.7, 3), 0);
        const std::vector<double> terms = log_likelihood_at(model, beta);
        double log_prior = 0.0;  // up to its constant, −½ (columns + 1) log(2π 2²)
        for (const double b : beta) log_prior -= 0.5 * b * b / 4.0;
        const double sum = std::accumulate(terms.begin(), terms.end(), log_prior);
        EXPECT_NEAR(sum, log_density_at(model, beta), 1e-15 * (10.0 + static_cast<double>(rows)))
            << rows << " x " << columns << ", " << name(kind);
      });
    }
}

/// What the command line samples: chains move on a standardised scale, and draws are on that of the data.
TEST(LogisticObservations, OfDrawsOnTheScaleOfTheData) {
  for (const bool intercept : {true, false}) {
    Data data = some_data(60, 2);
    for (Index i = 0; i < 60; ++i) data.x(i, 1) = 50.0 + 7.0 * data.x(i, 1);
    const StandardisedLogistic model(data.x, data.y, {.intercept = intercept});
    const auto q = testing::lane_of(testing::normal_points(model.dim(), 1, 1.0, 5), 0);
    std::vector<double> draw(q.size());
    model.constrain(q, {}, draw);
    const std::vector<double> terms = log_likelihood_at(model, draw);
    double log_prior = 0.0;
    for (const double b : q) log_prior -= 0.5 * b * b;
    EXPECT_NEAR(std::accumulate(terms.begin(), terms.end(), log_prior), log_density_at(model, q), 1e-12);
    EXPECT_EQ(model.make_observations()->observed(), data.y);
  }
}

/// Of R draws, row i has a 1 in R p_i ± √(R p_i (1 − p_i)) of them, and rows vary on their own: so does their sum.
TEST(LogisticObservations, PredictionsHaveTheProbabilitiesOfTheModel) {
  constexpr int draws = 20'000;
  constexpr std::size_t rows = 30;
  const Data data = some_data(rows, 2);
  const LogisticRegression model(data.x, data.y);
  const std::vector<double> beta{-0.8, 1.1, -0.6};
  const auto observations = model.make_observations();
  std::vector<double> ones(rows), y(rows);
  double squares_of_sums = 0.0, mean_of_sum = 0.0, variance_of_sum = 0.0;
  std::vector<double> p(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const Matrix x = model.design();
    double eta = 0.0;
    for (std::size_t j = 0; j < 3; ++j) eta += x(static_cast<Index>(i), static_cast<Index>(j)) * beta[j];
    p[i] = 1.0 / (1.0 + std::exp(-eta));
    mean_of_sum += p[i];
    variance_of_sum += p[i] * (1.0 - p[i]);
  }
  for (int k = 0; k < draws; ++k) {
    RandomStream random(
        {.seed = 1, .purpose = Purpose::posterior_predictive, .iteration = static_cast<std::uint64_t>(k)});
    observations->predict(beta, random, y);
    double sum = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_TRUE(y[i] == 0.0 || y[i] == 1.0);
      ones[i] += y[i];
      sum += y[i];
    }
    squares_of_sums += (sum - mean_of_sum) * (sum - mean_of_sum);
  }
  double chi_square = 0.0;
  for (std::size_t i = 0; i < rows; ++i)
    chi_square += std::pow(ones[i] - draws * p[i], 2) / (draws * p[i] * (1.0 - p[i]));
  EXPECT_LT(chi_square, 30.0 + 5.0 * std::sqrt(60.0));  // 30 degrees of freedom
  // The mean of draws squares of nearly normal numbers: a relative error of √(2/draws).
  EXPECT_NEAR(squares_of_sums / draws / variance_of_sum, 1.0, 5.0 * std::sqrt(2.0 / draws));
}

TEST(LogisticObservations, RefuseDrawsOfAnotherSize) {
  const auto observations = LogisticRegression(Matrix{{1.0}}, {1.0}).make_observations();
  std::vector<double> one(1);
  EXPECT_THROW(observations->log_likelihood(std::vector{1.0}, one), InputError);
  std::vector<double> two(2);
  EXPECT_THROW(observations->log_likelihood(std::vector{1.0, 2.0}, two), InputError);
}

TEST(Observations, AreNoneOfAModelThatSaysNothingOfThem) {
  EXPECT_EQ(Gaussian::standard(2).make_observations(), nullptr);
}

}  // namespace
}  // namespace darboux

#include "darboux/model/logistic_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "linalg/dense.hpp"
#include "model/standardise.hpp"
#include "support/every_cpu.hpp"
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
  testing::on_every_cpu([](CpuKind) {
    for (const double beta : {-1000.0, -300.0, -40.0, 0.0, 1e-9, 40.0, 300.0, 1000.0}) {
      const auto softplus = [](long double t) {
        return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t));
      };
      const auto sigmoid = [](long double t) {
        return t > 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t));
      };
      const long double b = beta, prior = 1e-12L;
      const long double value = -2 * softplus(b) - softplus(-b) - prior * b * b / 2;
      // Rows: (x = 1, y = 1), (x = 1, y = 0), (x = −1, y = 1).
      const long double slope = sigmoid(-b) - 2 * sigmoid(b) - prior * b;
      EXPECT_NEAR(log_density_at(one_feature(), {beta}) / static_cast<double>(value), 1.0, 1e-14) << beta;
      EXPECT_NEAR(gradient_at(one_feature(), {beta})[0] / static_cast<double>(slope), 1.0, 1e-14) << beta;
    }
  });
}

TEST(LogisticRegression, TinyResidualsKeepTheirRelativeAccuracy) {
  // A single row classified with certainty: the residual is e^{−600}, which y − σ would round to 0.
  const LogisticRegression model(Matrix{{1.0}}, {1.0}, {.intercept = false, .prior_scale = 1e150});
  testing::on_every_cpu([&](CpuKind) {
    EXPECT_NEAR(gradient_at(model, {600.0})[0] / std::exp(-600.0), 1.0, 1e-12);
    EXPECT_NEAR(log_density_at(model, {600.0}) / -std::exp(-600.0), 1.0, 1e-12);
  });
}

TEST(LogisticRegression, ResidualsAreRightToTheLastBits) {
  // One row with x = 1 and y = 0: the gradient is −1/(1 + e^{−β}), up to a prior that vanishes.
  const LogisticRegression model(Matrix{{1.0}}, {0.0}, {.intercept = false, .prior_scale = 1e160});
  testing::on_every_cpu([&](CpuKind kind) {
    for (double beta = -707.0; beta < 40.0; beta += 0.3712345) {
      const long double e = std::exp(-std::abs(static_cast<long double>(beta)));
      const long double expected = -(beta < 0.0 ? e : 1.0L) / (1.0L + e);
      EXPECT_NEAR(gradient_at(model, {beta})[0] / static_cast<double>(expected), 1.0, 5e-16) << name(kind) << beta;
    }
  });
}

/// Data of any shape, and the formulas in extended precision, as plainly as possible.
struct PlainLogistic {
  Matrix x;
  std::vector<double> y;

  PlainLogistic(Index rows, Index columns) : x(rows, columns) {
    RandomStream random({.seed = static_cast<std::uint64_t>(1000 * rows + columns)});
    random.fill_normal({x.data(), static_cast<std::size_t>(rows * columns)});
    for (Index i = 0; i < rows; ++i) y.push_back(random.uniform() < 0.5 ? 0.0 : 1.0);
  }
  /// The log density, and after it the gradient.
  [[nodiscard]] std::vector<long double> at(const std::vector<double>& beta) const {
    std::vector<long double> out(beta.size() + 1);
    for (Index i = 0; i < x.rows(); ++i) {
      long double eta = 0.0L;
      for (std::size_t j = 0; j < beta.size(); ++j) eta += 1.0L * x(i, static_cast<Index>(j)) * beta[j];
      const double label = y[static_cast<std::size_t>(i)];
      out[0] += label * eta - std::max(eta, 0.0L) - std::log1p(std::exp(-std::abs(eta)));
      for (std::size_t j = 0; j < beta.size(); ++j)
        out[j + 1] += (label - 1.0L / (1.0L + std::exp(-eta))) * x(i, static_cast<Index>(j));
    }
    for (std::size_t j = 0; j < beta.size(); ++j) {
      out[0] -= 0.5L * beta[j] * beta[j];
      out[j + 1] -= beta[j];
    }
    return out;
  }
};

TEST(LogisticRegression, AllShapesOfDataAndBlocksOnEveryProcessor) {
  for (const Index rows : {1, 23, 24, 25, 241, 480, 505, 1000})
    for (const Index columns : {1, 2, 3, 6, 9, 21}) {
      const PlainLogistic plain(rows, columns);
      const LogisticRegression model(plain.x, plain.y, {.intercept = false});
      for (const Index lanes : {1, 3, 4, 9}) {
        const OwnedBatch q = testing::normal_points(columns, lanes, 0.5, static_cast<std::uint64_t>(lanes));
        testing::on_every_cpu([&](CpuKind kind) {
          const auto got = evaluate(model, q);
          for (Index l = 0; l < lanes; ++l) {
            const auto expected = plain.at(testing::lane_of(q, l));
            const auto near = [&](double is, long double wanted) {
              ASSERT_NEAR(is, static_cast<double>(wanted), 2e-15 * (10.0 + static_cast<double>(rows)))
                  << rows << " x " << columns << ", lane " << l << " of " << lanes << ", " << name(kind);
            };
            near(got.log_density[static_cast<std::size_t>(l)], expected[0]);
            for (Index j = 0; j < columns; ++j) near(got.gradient(j, l), expected[static_cast<std::size_t>(j + 1)]);
            const auto alone = evaluate(model, testing::as_batch(testing::lane_of(q, l)));
            ASSERT_EQ(alone.log_density[0], got.log_density[static_cast<std::size_t>(l)]);
            for (Index j = 0; j < columns; ++j) ASSERT_EQ(alone.gradient(j, 0), got.gradient(j, l)) << name(kind);
          }
        });
      }
    }
}

/// How one chain goes through a design depends on the cache that holds it; its numbers do not.
TEST(LogisticRegression, OneChainAndSeveralAgreeWhateverCacheHoldsTheDesign) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{100, 50}, {6000, 21}, {21000, 100}}) {
    const PlainLogistic plain(rows, columns);
    const LogisticRegression model(plain.x, plain.y);
    const OwnedBatch q = testing::normal_points(model.dim(), 5, 0.1, 7);
    testing::on_every_cpu([&](CpuKind kind) {
      const auto together = evaluate(model, q);
      for (const Index l : {0, 4}) {
        const auto alone = evaluate(model, testing::as_batch(testing::lane_of(q, l)));
        EXPECT_EQ(alone.log_density[0], together.log_density[static_cast<std::size_t>(l)]) << name(kind);
        for (Index j = 0; j < model.dim(); ++j)
          ASSERT_EQ(alone.gradient(j, 0), together.gradient(j, l)) << rows << " x " << columns << ", " << name(kind);
      }
    });
  }
}

TEST(LogisticRegression, SinglePrecisionIsCloseAndOnlyForGradientsAlone) {
  for (const Index rows : {1, 47, 48, 49, 700, 2100})
    for (const Index columns : {1, 5, 21}) {
      const PlainLogistic plain(rows, columns);
      const LogisticRegression model(plain.x, plain.y, {.intercept = false});
      const OwnedBatch q = testing::normal_points(columns, 6, 0.5, 4);
      testing::on_every_cpu([&](CpuKind kind) {
        const auto evaluator = model.make_evaluator();
        const auto ask = [&](ConstBatch at, bool value) {
          testing::Evaluated out{.log_density = std::vector<double>(static_cast<std::size_t>(at.lanes())),
                                 .gradient = OwnedBatch(columns, at.lanes()),
                                 .status = std::vector<Status>(static_cast<std::size_t>(at.lanes()))};
          evaluator->evaluate({.q = at, .active = {}, .value = value, .single_precision = true},
                              {.log_density = out.log_density, .gradient = out.gradient, .status = out.status});
          return out;
        };
        const auto exact = evaluate(model, q), with_value = ask(q, true), single = ask(q, false);
        EXPECT_EQ(with_value.log_density, exact.log_density);
        double difference = 0.0;
        for (Index l = 0; l < 6; ++l) {
          const auto alone = ask(testing::as_batch(testing::lane_of(q, l)), false);
          for (Index j = 0; j < columns; ++j) {
            EXPECT_EQ(with_value.gradient(j, l), exact.gradient(j, l));
            EXPECT_EQ(alone.gradient(j, 0), single.gradient(j, l)) << name(kind);
            EXPECT_NEAR(single.gradient(j, l), exact.gradient(j, l), 1e-6 * (10.0 + static_cast<double>(rows)))
                << rows << " x " << columns << ", " << name(kind);
            difference += std::abs(single.gradient(j, l) - exact.gradient(j, l));
          }
        }
        EXPECT_GT(difference, 0.0) << "it was computed in double precision";
      });
    }
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

/// Nobody may take where the search ended for the mode.
TEST(LogisticRegression, ModeThatIsNotReachedIsNone) {
  const auto data = synthetic_logistic();
  EXPECT_TRUE(
      testing::mentions(message_of<Error>([&] { (void)data.model->mode(2); }), {"no mode was found in 2 steps"}));
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

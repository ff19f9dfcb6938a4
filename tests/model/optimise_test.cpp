#include "model/optimise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "darboux/core/error.hpp"
#include "darboux/model/differentiate.hpp"
#include "model/banana.hpp"
#include "model/gaussian.hpp"
#include "model/mixture.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"
#include "support/synthetic_logistic.hpp"

namespace darboux {
namespace {

using testing::difference;
using testing::message_of;
using testing::normal_points;
using testing::synthetic_logistic;
using Point = std::vector<double>;

/// The promise that ends a climb, 1e-10, comes from an estimate of the curvature: what is left to gain is of that size or a few
/// times as much, and a distance of less than 1e-3 standard deviations.
TEST(Climb, ReachesTheMeanOfAGaussianWithScalesFarApart) {
  const Point mean{1.0, -2.0, 30.0, 0.5}, sd{0.01, 1.0, 100.0, 3.0};
  for (const Summit& summit : climb(Gaussian::from_scales(mean, sd), normal_points(4, 20, 3.0, 1))) {
    EXPECT_TRUE(summit.converged);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(summit.q[j], mean[j], 1e-3 * sd[j]) << j;
    EXPECT_GT(summit.log_density, -5e-7);
    EXPECT_LT(summit.gradients, 100);
  }
}

TEST(Climb, FollowsACurvedRidge) {
  const Banana model(2, 10.0, 0.5);  // the mode of (q₁, q₂) is (0, −b s²)
  for (const Summit& summit : climb(model, normal_points(2, 4, 5.0, 2))) {
    EXPECT_TRUE(summit.converged);
    EXPECT_NEAR(summit.q[0], 0.0, 1e-3);
    EXPECT_NEAR(summit.q[1], -50.0, 1e-3);
  }
}

TEST(Climb, FindsTheModeThatNewtonFinds) {
  const auto data = synthetic_logistic();
  const Point expected = data.model->mode();
  const Summit summit = climb(*data.model, normal_points(21, 1, 1.0, 3))[0];
  EXPECT_TRUE(summit.converged);
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(summit.q[j], expected[j], 1e-5);
}

TEST(Climb, StepsBackFromWhereTheModelRefuses) {
  const auto model =
      differentiate(1, [](const auto& q) {  // maximum at 2; a first step of 1 from 0.5 is fine, from 1e-3 not
        using std::log;
        if (q[0] <= 0.0 || q[0] > 2.5) throw Reject();
        return 2.0 * log(q[0]) - q[0];
      });
  OwnedBatch starts(1, 4);
  starts(0, 0) = 1e-3;
  starts(0, 1) = 2.4;
  starts(0, 2) = -1.0;
  starts(0, 3) = 1.9;
  const auto summits = climb(model, starts);
  for (const std::size_t l : {0U, 1U, 3U}) {
    EXPECT_TRUE(summits[l].converged);
    EXPECT_NEAR(summits[l].q[0], 2.0, 1e-4);
  }
  EXPECT_FALSE(summits[2].converged);
  EXPECT_EQ(summits[2].log_density, -INFINITY);
  EXPECT_EQ(summits[2].gradients, 1);
}

TEST(Climb, LanesDoNotKnowOfEachOther) {
  const Banana model(3, 2.0, 0.5);
  const OwnedBatch starts = normal_points(3, 7, 3.0, 4);
  const auto together = climb(model, starts);
  for (Index l = 0; l < 7; ++l) {
    const Summit alone = climb(model, testing::as_batch(testing::lane_of(starts, l)))[0];
    EXPECT_EQ(alone.q, together[static_cast<std::size_t>(l)].q);
    EXPECT_EQ(alone.gradients, together[static_cast<std::size_t>(l)].gradients);
  }
}

TEST(Climb, EndsAfterTheStepsItIsGiven) {
  const Banana model(2, 10.0, 0.5);
  const Summit summit = climb(model, normal_points(2, 1, 5.0, 2), {.most_steps = 3})[0];
  EXPECT_FALSE(summit.converged);
  EXPECT_TRUE(std::isfinite(summit.log_density));
}

TEST(BestClimb, TakesTheHigherOfTwoModes) {
  const Mixture model({0.2, 0.8}, {{-5.0, 0.0}, {5.0, 0.0}}, 1.0);
  OwnedBatch starts = normal_points(2, 12, 0.5, 5);
  for (Index l = 0; l < 12; ++l) starts(0, l) += l == 7 ? 5.0 : -5.0;  // most start at the lower one
  const Summit best = best_climb(model, starts);
  EXPECT_TRUE(best.converged);
  EXPECT_NEAR(best.q[0], 5.0, 1e-4);
}

TEST(BestClimb, SaysWhenItCannotStart) {
  const FunctionModel model(1, [](std::span<const double>, std::span<double>) -> double { throw Reject(); });
  EXPECT_NE(message_of<Error>([&] { (void)best_climb(model, OwnedBatch(1, 3)); }).find("finite at none"),
            std::string::npos);
}

TEST(NegativeHessian, IsThePrecisionOfAGaussianAndTheFisherInformation) {
  const Matrix precision{{2e6, -500.0, 0.3}, {-500.0, 1.5, 0.002}, {0.3, 0.002, 1e-4}};
  const auto gaussian = Gaussian::from_precision({1.0, -2.0, 0.5}, precision);
  const Matrix got = negative_hessian(gaussian, Point{1.1, 0.0, 3.0}).value();
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(got(i, j), precision(i, j), 1e-7 * std::sqrt(precision(i, i) * precision(j, j)));
  const auto data = synthetic_logistic(200, 4);
  const Point beta{0.3, -0.5, 0.2, 1.0, -0.7};
  EXPECT_LT(difference(negative_hessian(*data.model, beta).value(), data.model->fisher_information(beta)), 1e-4);
}

TEST(NegativeHessian, IsNothingAtTheEdgeOfTheSupport) {
  const auto model = differentiate(1, [](const auto& q) {
    if (q[0] < 0.0) throw Reject();
    return -q[0];
  });
  EXPECT_FALSE(negative_hessian(model, Point{0.0}).has_value());
}

}  // namespace
}  // namespace darboux

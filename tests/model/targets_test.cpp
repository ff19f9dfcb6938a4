/// What is particular to one of the built-in targets: extremes, coordinates, arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "model/banana.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

using testing::gradient_at;
using testing::log_density_at;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Gaussian, CovarianceAndPrecisionAreInverse) {
  const Matrix covariance{{4.0, 1.0, 0.5}, {1.0, 3.0, -0.2}, {0.5, -0.2, 2.0}};
  const Gaussian by_covariance = Gaussian::from_covariance({1.0, 2.0, 3.0}, covariance);
  EXPECT_LT(max_abs(covariance * by_covariance.precision() - Matrix::identity(3)), 1e-14);
  const Gaussian by_precision = Gaussian::from_precision({1.0, 2.0, 3.0}, by_covariance.precision());
  EXPECT_LT(max_abs(by_precision.covariance() - covariance), 1e-14);
  EXPECT_EQ(by_precision.mean(), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_TRUE(by_precision.traits().log_concave);
}

TEST(Gaussian, DiagonalPathEqualsTheDenseOne) {
  const Gaussian scales = Gaussian::from_scales({1.0, -1.0}, {0.5, 4.0});
  const Gaussian dense = Gaussian::from_precision({1.0, -1.0}, {{4.0, 1e-30}, {1e-30, 1.0 / 16.0}});
  const std::vector<double> q{0.3, 7.0};
  EXPECT_DOUBLE_EQ(log_density_at(scales, q), log_density_at(dense, q));
  EXPECT_DOUBLE_EQ(gradient_at(scales, q)[1], gradient_at(dense, q)[1]);
  EXPECT_EQ(scales.covariance(), Matrix::diagonal({0.25, 16.0}));
}

TEST(Gaussian, RefusesBadArguments) {
  const auto covariance = [](std::vector<double> mean, const Matrix& m) {
    return message_of<InputError>([&] { return Gaussian::from_covariance(mean, m); });
  };
  EXPECT_EQ(covariance({0.0, nan}, Matrix::identity(2)), "mean[2] = nan: must be finite");
  EXPECT_EQ(covariance({0.0}, Matrix::identity(2)), "covariance is 2 × 2: must be 1 × 1");
  EXPECT_EQ(covariance({}, Matrix()), "size of mean = 0: must be at least 1");
  EXPECT_EQ(covariance({0.0, 0.0}, {{1.0, 0.5}, {0.25, 1.0}}),
            "covariance: must be symmetric, but (2, 1) = 0.25 and (1, 2) = 0.5");
  EXPECT_EQ(covariance({0.0, 0.0}, {{1.0, 2.0}, {2.0, 1.0}}), "covariance: must be positive definite");
  EXPECT_EQ(covariance({0.0, 0.0}, {{1.0, 0.0}, {0.0, infinity}}), "covariance(2, 2) = inf: must be finite");
  EXPECT_EQ(message_of<InputError>([] { return Gaussian::from_precision({0.0}, Matrix{{-1.0}}); }),
            "precision: must be positive definite");
  EXPECT_EQ(message_of<InputError>([] { return Gaussian::from_scales({0.0, 0.0}, {1.0, 0.0}); }),
            "scales[2] = 0: must be positive and finite");
  EXPECT_EQ(message_of<InputError>([] { return Gaussian::from_scales({0.0, 0.0}, {1.0}); }),
            "scales has 1 entries: must have 2");
  EXPECT_EQ(message_of<InputError>([] { return Gaussian::standard(0); }), "dimension = 0: must be at least 1");
}

TEST(Skewed, TailsAreThoseOfAnExponentialVariable) {
  EXPECT_DOUBLE_EQ(log_density_at(Skewed(1), {-1e6}), -1e6);
  EXPECT_DOUBLE_EQ(gradient_at(Skewed(1), {-1e6})[0], 1.0);
  EXPECT_DOUBLE_EQ(gradient_at(Skewed(1), {30.0})[0], 1.0 - std::exp(30.0));
  EXPECT_EQ(log_density_at(Skewed(2), {0.0, 1e4}), -infinity);
  EXPECT_EQ(message_of<InputError>([] { Skewed(-3); }), "dimension = -3: must be at least 1");
}

TEST(Mixture, FarTailsAreThoseOfTheNearestComponent) {
  // exp(−‖q‖²/2) underflows at a distance of 39; the logarithm must not notice.
  const std::vector<double> q{1e4, -1e4 + 5.0};
  const double a = 1e4 - 2.5, b = -1e4 + 7.5;
  EXPECT_DOUBLE_EQ(log_density_at(Mixture(), q), std::log(0.5) - 0.5 * (a * a + b * b));
  EXPECT_DOUBLE_EQ(gradient_at(Mixture(), q)[0], -a);
  EXPECT_DOUBLE_EQ(gradient_at(Mixture(), q)[1], -b);
  // Far away, but halfway between the two.
  EXPECT_DOUBLE_EQ(gradient_at(Mixture(), {1e3, 1e3})[0], -1e3);
}

TEST(Mixture, WeightsMatter) {
  const Mixture model({1.0, 99.0}, {{-6.0}, {6.0}});
  EXPECT_NEAR(log_density_at(model, {6.0}) - log_density_at(model, {-6.0}), std::log(99.0), 1e-12);
  EXPECT_DOUBLE_EQ(model.weights()[0], 0.01);
}

TEST(Mixture, RefusesBadArguments) {
  const auto refusal = [](std::vector<double> weights, std::vector<std::vector<double>> centers, double scale = 1.0) {
    return message_of<InputError>([&] { Mixture(weights, centers, scale); });
  };
  EXPECT_EQ(refusal({}, {}), "number of centers = 0: must be at least 1");
  EXPECT_EQ(refusal({1.0}, {{}}), "size of centers[1] = 0: must be at least 1");
  EXPECT_EQ(refusal({1.0, 1.0}, {{0.0, 0.0}, {1.0}}), "centers[2] has 1 entries: must have 2");
  EXPECT_EQ(refusal({1.0, 1.0}, {{0.0}, {nan}}), "centers[2][1] = nan: must be finite");
  EXPECT_EQ(refusal({1.0}, {{0.0}, {1.0}}), "weights has 1 entries: must have 2");
  EXPECT_EQ(refusal({1.0, -1.0}, {{0.0}, {1.0}}), "weights[2] = -1: must be positive and finite");
  EXPECT_EQ(refusal({1e308, 1e308}, {{0.0}, {1.0}}), "sum of weights = inf: must be finite");
  EXPECT_EQ(refusal({1.0}, {{0.0}}, 0.0), "scale = 0: must be positive and finite");
}

TEST(Banana, RefusesBadArguments) {
  EXPECT_EQ(message_of<InputError>([] { Banana(1); }), "dimension = 1: must be at least 2");
  EXPECT_EQ(message_of<InputError>([] { Banana(2, -1.0); }), "scale = -1: must be positive and finite");
  EXPECT_EQ(message_of<InputError>([] { Banana(2, 1.0, nan); }), "bend = nan: must be finite");
}

TEST(Funnel, ExtremesOfTheNeckAndTheMouth) {
  // Neck: v = −20, x of a typical size e^{−10}, and far outside. Mouth: v = 20.
  const Funnel model(3);
  const double e10 = std::exp(10.0), e20 = std::exp(20.0);
  EXPECT_NEAR(log_density_at(model, {-20.0, 1.0 / e10, -1.0 / e10}), -400.0 / 18.0 - 0.5 * (2.0 - 40.0), 1e-12);
  EXPECT_NEAR(gradient_at(model, {-20.0, 1.0 / e10, 0.0})[1], -e10, 1e-10 * e10);
  EXPECT_NEAR(log_density_at(model, {-20.0, 1.0, 0.0}) / (-400.0 / 18.0 - 0.5 * (e20 - 40.0)), 1.0, 1e-14);
  EXPECT_NEAR(gradient_at(model, {-20.0, 1.0, 0.0})[0] / (20.0 / 9.0 + 0.5 * (e20 - 2.0)), 1.0, 1e-14);
  EXPECT_NEAR(log_density_at(model, {20.0, e10, 0.0}), -400.0 / 18.0 - 0.5 * (1.0 + 40.0), 1e-12);
  EXPECT_NEAR(gradient_at(model, {20.0, e10, 0.0})[0], -20.0 / 9.0 + 0.5 * (1.0 - 2.0), 1e-12);
}

TEST(Funnel, BothFormsAreOneDistribution) {
  // log p(q) = log p(v, x) + log |d(v, x)/dq|, and dx/dz = e^{v/2}, dv/dq₁ = s.
  const Funnel centred(4, Funnel::Form::centred, 2.0), easy(4, Funnel::Form::non_centred, 2.0);
  const auto excess = [&](const std::vector<double>& q) {
    std::vector<double> natural(q.size());
    easy.constrain(q, {}, natural);
    return log_density_at(easy, q) - (log_density_at(centred, natural) + 3.0 * natural[0] / 2.0);
  };
  for (const double v : {-10.0, -1.0, 0.5, 10.0})
    EXPECT_NEAR(excess({v, 1.0, -2.0, 0.3}), excess({0.0, 0.0, 0.0, 0.0}), 1e-10);
}

TEST(Funnel, ReportsNaturalUnits) {
  const Funnel easy(3, Funnel::Form::non_centred);
  std::vector<double> out(3);
  easy.constrain(std::vector<double>{2.0, 1.0, -2.0}, {}, out);
  EXPECT_DOUBLE_EQ(out[0], 6.0);
  EXPECT_DOUBLE_EQ(out[1], std::exp(3.0));
  EXPECT_DOUBLE_EQ(out[2], -2.0 * std::exp(3.0));
  EXPECT_EQ(easy.names(), (std::vector<std::string>{"v", "x[1]", "x[2]"}));
  EXPECT_FALSE(Funnel(3).traits().log_concave);
  EXPECT_EQ(message_of<InputError>([] { Funnel(1); }), "dimension = 1: must be at least 2");
  EXPECT_EQ(message_of<InputError>([] { Funnel(2, Funnel::Form::centred, infinity); }),
            "scale = inf: must be positive and finite");
}

TEST(StudentT, HeavyTailsAndLimits) {
  EXPECT_NEAR(log_density_at(StudentT(1, 1.0), {1e100}), -2.0 * 100.0 * std::log(10.0), 1e-10);
  EXPECT_DOUBLE_EQ(gradient_at(StudentT(1, 1.0), {1e100})[0], -2e-100);
  EXPECT_NEAR(log_density_at(StudentT(2, 1e12), {1.0, 2.0}), -2.5, 1e-10);  // towards the Gaussian
}

TEST(StudentT, RefusesBadArguments) {
  EXPECT_EQ(message_of<InputError>([] { StudentT(0, 1.0); }), "dimension = 0: must be at least 1");
  EXPECT_EQ(message_of<InputError>([] { StudentT(1, 0.0); }), "degrees_of_freedom = 0: must be positive and finite");
  EXPECT_EQ(message_of<InputError>([] { StudentT(1, 1.0, nan); }), "scale = nan: must be positive and finite");
}

}  // namespace
}  // namespace darboux

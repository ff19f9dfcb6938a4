#include "model/whitened.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "darboux/core/error.hpp"
#include "darboux/model/function_model.hpp"
#include "linalg/dense.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/skewed.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"
#include "support/random_structures.hpp"

namespace darboux {
namespace {

using testing::evaluate;
using testing::gradient_at;
using testing::log_density_at;
using testing::message_of;

const Matrix covariance{{4.0, 1.0, 0.5}, {1.0, 3.0, -0.2}, {0.5, -0.2, 2.0}};
const std::vector<double> center{1.0, -2.0, 3.0};

TEST(Whitened, GaussianBecomesStandard) {
  const auto inner = std::make_shared<const Gaussian>(Gaussian::from_covariance(center, covariance));
  const Whitened both[] = {Whitened::from_covariance(inner, center, covariance),
                           Whitened::from_precision(inner, center, inner->precision())};
  for (const Whitened& model : both) {
    const std::vector<double> x{0.3, -1.0, 2.0};
    EXPECT_NEAR(log_density_at(model, x), -0.5 * (0.09 + 1.0 + 4.0), 1e-13);
    const std::vector<double> gradient = gradient_at(model, x);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(gradient[j], -x[j], 1e-13);
    EXPECT_EQ(model.factor()(0, 2), 0.0) << "the factor is lower triangular";
    EXPECT_TRUE(model.traits().log_concave);
  }
}

TEST(Whitened, ChangesCoordinatesThereAndBack) {
  const auto inner = std::make_shared<const Skewed>(3);
  const Whitened model(inner, center, StructuredMatrix::from({{1.0, 2.0, 0.0}, {-1.0, 0.5, 0.0}, {3.0, 0.0, 2.0}}));
  const std::vector<double> x{1.0, 10.0, 100.0};
  const std::vector<double> q = model.to_inner(x);
  EXPECT_EQ(q, (std::vector<double>{22.0, 2.0, 206.0}));
  const std::vector<double> back = model.from_inner(q);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back[j], x[j], 1e-12);
}

TEST(Whitened, ALowRankFactorIsAsGoodAsItsMatrix) {
  const auto inner = std::make_shared<const Skewed>(5);
  const auto factor = StructuredMatrix::from(testing::random_low_rank(5, 2, 3));
  const std::vector<double> at{1.0, -0.5, 0.2, 0.3, -1.0}, x{0.3, -1.0, 0.4, 0.1, -0.2};
  const Whitened sparse(inner, at, factor), dense(inner, at, StructuredMatrix::from(factor.matrix()));
  EXPECT_NEAR(log_density_at(sparse, x), log_density_at(dense, x), 1e-12);
  const std::vector<double> g = gradient_at(sparse, x), expected = gradient_at(dense, x);
  const std::vector<double> back = sparse.from_inner(sparse.to_inner(x));
  const std::vector<double> of_inner = sparse.potential_gradient_to_inner(x, g),
                            true_gradient = gradient_at(*inner, sparse.to_inner(x));
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(g[j], expected[j], 1e-12);
    EXPECT_NEAR(back[j], x[j], 1e-13);
    EXPECT_NEAR(of_inner[j], true_gradient[j], 1e-12);
    EXPECT_NEAR(dense.potential_gradient_to_inner(x, g)[j], true_gradient[j], 1e-12);
  }
}

TEST(Whitened, GradientIsTheTransposedFactorTimesTheInnerOne) {
  const auto inner = std::make_shared<const Skewed>(2);
  const Matrix l{{1.0, 3.0}, {0.0, 2.0}};
  const Whitened model(inner, {0.1, 0.2}, StructuredMatrix::from(l));
  const std::vector<double> x{-0.4, -0.3};
  const std::vector<double> g = gradient_at(*inner, model.to_inner(x));
  EXPECT_DOUBLE_EQ(gradient_at(model, x)[0], 1.0 * g[0]);
  EXPECT_DOUBLE_EQ(gradient_at(model, x)[1], 3.0 * g[0] + 2.0 * g[1]);
  EXPECT_EQ(log_density_at(model, x), log_density_at(*inner, model.to_inner(x)));
}

const std::vector<MarginalShape> shapes{{0.2, 1.3, 0.6, 0.8}, {}, {-0.1, 0.7, -0.5, 1.4}};

/// The density of y is that of q times dq/dy, whatever the map is thought to be: by differences of q itself.
TEST(Whitened, BentCoordinatesHaveTheDensityOfTheTransformedVariable) {
  const auto inner = std::make_shared<const Skewed>(3);
  const StructuredMatrix l = StructuredMatrix::from({{1.0, 0.0, 0.0}, {-0.4, 0.5, 0.0}, {0.3, 0.2, 0.8}});
  const Whitened model(inner, {0.1, 0.2, -0.3}, l, shapes);
  const auto log_density_of_y = [&](const std::vector<double>& y) {
    Matrix jacobian(3, 3);
    constexpr double h = 1e-5;
    for (Index j = 0; j < 3; ++j) {
      std::vector<double> up = y, down = y;
      up[at(j)] += h;
      down[at(j)] -= h;
      const std::vector<double> high = model.to_inner(up), low = model.to_inner(down);
      for (Index i = 0; i < 3; ++i) jacobian(i, j) = (high[at(i)] - low[at(i)]) / (2.0 * h);
    }
    // Lower triangular, as L is.
    return log_density_at(*inner, model.to_inner(y)) +
           std::log(jacobian(0, 0) * jacobian(1, 1) * jacobian(2, 2) / (1.0 * 0.5 * 0.8));
  };
  for (const double scale : {0.2, 1.0, 3.0}) {
    const std::vector<double> y{scale, -0.7 * scale, -1.1 * scale};
    EXPECT_NEAR(log_density_at(model, y), log_density_of_y(y), 1e-7 * (1.0 + std::abs(log_density_of_y(y))));
    const std::vector<double> back = model.from_inner(model.to_inner(y));
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back[j], y[j], 1e-13 * (1.0 + std::abs(y[j])));
  }
  EXPECT_FALSE(model.traits().log_concave) << "it may not be in these coordinates";
}

TEST(Whitened, GradientsOfUBecomeThoseOfTheInnerModel) {
  const auto inner = std::make_shared<const Skewed>(3);
  const Whitened model(inner, center, StructuredMatrix::from(testing::random_low_rank(3, 1, 3)), shapes);
  const std::vector<double> y{0.4, -1.0, 0.7};
  std::vector<double> of_u = gradient_at(model, y);
  for (double& g : of_u) g = -g;
  const std::vector<double> found = model.potential_gradient_to_inner(y, of_u),
                            expected = gradient_at(*inner, model.to_inner(y));
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found[j], -expected[j], 1e-12 * (1.0 + std::abs(expected[j])));
}

/// A lane's numbers are those that it has alone, to the last bit.
TEST(Whitened, ChangesCoordinatesOfManyPointsAtOnce) {
  const auto inner = std::make_shared<const Skewed>(3);
  for (const auto& bent : {shapes, std::vector<MarginalShape>()}) {
    const Whitened model(inner, center, StructuredMatrix::from(testing::random_low_rank(3, 1, 3)), bent);
    OwnedBatch y(3, 5), q(3, 5), gradient(3, 5), of_inner(3, 5);
    std::vector<double> jacobians(5, -1.0);
    for (Index lane = 0; lane < 5; ++lane)
      for (Index j = 0; j < 3; ++j) {
        y(j, lane) = 0.3 * static_cast<double>(lane) - 0.5 * static_cast<double>(j);
        gradient(j, lane) = 1.0 / (1.0 + static_cast<double>(lane + j));
      }
    const OwnedBatch given = gradient;
    model.to_inner(y, q);
    model.log_jacobian(y, jacobians);
    model.potential_gradient_to_inner(y, gradient, of_inner);
    for (Index lane = 0; lane < 5; ++lane) {
      std::vector<double> point, slope;
      for (Index j = 0; j < 3; ++j) point.push_back(y(j, lane)), slope.push_back(given(j, lane));
      const std::vector<double> expected = model.to_inner(point),
                                expected_gradient = model.potential_gradient_to_inner(point, slope);
      for (Index j = 0; j < 3; ++j) {
        EXPECT_EQ(q(j, lane), expected[at(j)]);
        EXPECT_EQ(of_inner(j, lane), expected_gradient[at(j)]);
      }
      EXPECT_NEAR(log_density_at(model, point), log_density_at(*inner, expected) + jacobians[at(lane)], 1e-12);
    }
  }
}

TEST(Whitened, ReportsTheInnerModelsQuantities) {
  const auto inner = std::make_shared<const Funnel>(3, Funnel::Form::non_centred);
  const Whitened model(inner, center, StructuredMatrix::diagonal({2.0, 0.5, 1.0}));
  EXPECT_EQ(model.names(), inner->names());
  std::vector<double> out(3), expected(3);
  model.constrain(std::vector<double>{0.5, 1.0, -1.0}, {}, out);
  inner->constrain(std::vector<double>{2.0, -1.5, 2.0}, {}, expected);
  EXPECT_EQ(out, expected);
}

TEST(Whitened, PassesOnRefusals) {
  const auto inner = std::make_shared<const FunctionModel>(1, [](std::span<const double> q, std::span<double> g) {
    if (q[0] > 1.0) throw Reject();
    if (!g.empty()) g[0] = 1.0;
    return q[0];
  });
  const Whitened model(inner, {0.0}, StructuredMatrix::diagonal({2.0}));
  OwnedBatch x(1, 2);
  x(0, 0) = 0.6;
  x(0, 1) = 0.4;
  const testing::Evaluated got = evaluate(model, x);
  EXPECT_EQ(got.status, (std::vector<Status>{Status::model_error, Status::ok}));
  EXPECT_EQ(got.gradient(0, 1), 2.0);
}

TEST(Whitened, RefusesBadArguments) {
  const auto inner = std::make_shared<const Skewed>(2);
  const auto refusal = [&](std::vector<double> at, const Matrix& l) {
    return message_of<InputError>([&] { Whitened(inner, at, StructuredMatrix::from(l)); });
  };
  EXPECT_EQ(refusal({0.0}, Matrix::identity(2)), "center has 1 entries: must have 2");
  EXPECT_EQ(refusal({0.0, std::numeric_limits<double>::quiet_NaN()}, Matrix::identity(2)),
            "center[2] = nan: must be finite");
  EXPECT_EQ(refusal({0.0, 0.0}, Matrix::identity(3)), "factor is 3 × 3: must be 2 × 2");
  EXPECT_EQ(refusal({0.0, 0.0}, {{1.0, 2.0}, {2.0, 4.0}}),
            "factor: must be invertible, but is singular to working precision");
  EXPECT_EQ(refusal({0.0, 0.0}, {{1.0, 0.0}, {std::numeric_limits<double>::infinity(), 1.0}}),
            "factor(2, 1) = inf: must be finite");
  EXPECT_EQ(message_of<InputError>([] { Whitened(nullptr, {}, {}); }), "inner: null, must be a model");
  EXPECT_EQ(
      message_of<InputError>([&] { return Whitened::from_covariance(inner, {0.0, 0.0}, {{1.0, 2.0}, {2.0, 1.0}}); }),
      "covariance: must be positive definite");
  EXPECT_EQ(message_of<InputError>(
                [&] { return Whitened(inner, {0.0, 0.0}, StructuredMatrix::identity(2)).to_inner(center); }),
            "x has 3 entries: must have 2");
}

}  // namespace
}  // namespace darboux

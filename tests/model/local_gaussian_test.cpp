#include "model/local_gaussian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "linalg/dense.hpp"
#include "support/expect.hpp"
#include "support/model_evaluation.hpp"

namespace darboux::testing {
namespace {

using Point = std::vector<double>;

Matrix column(const Point& x) {
  Matrix out(std::ssize(x), 1);
  for (Index j = 0; j < out.rows(); ++j) out(j, 0) = x[at(j)];
  return out;
}

/// Pairs of no particular function, but for s·y > 0.
std::vector<CurvaturePair> some_pairs(Index dim, Index count) {
  const OwnedBatch steps = normal_points(dim, count, 1.0, 1), noise = normal_points(dim, count, 0.3, 2);
  std::vector<CurvaturePair> out;
  for (Index k = 0; k < count; ++k) {
    Waypoint from{.q = Point(at(dim), 0.0), .gradient = Point(at(dim), 0.0)}, to = from;
    for (Index j = 0; j < dim; ++j) {
      to.q[at(j)] = steps(j, k);
      to.gradient[at(j)] = -static_cast<double>(j + 1) * steps(j, k) + noise(j, k);
    }
    out.push_back(curvature_between(from, to).value());
  }
  return out;
}

/// The update as textbooks have it.
Matrix bfgs(const Point& variances, const std::vector<CurvaturePair>& pairs) {
  Matrix h = Matrix::diagonal(variances);
  for (const CurvaturePair& pair : pairs) {
    const Matrix s = column(pair.s), y = column(pair.y);
    const Matrix left = Matrix::identity(h.rows()) - pair.inverse_product * (s * y.transposed());
    h = left * h * left.transposed() + pair.inverse_product * (s * s.transposed());
  }
  return h;
}

TEST(LocalGaussian, HasTheCovarianceOfBfgsAndTheMeanOfNewton) {
  const Point variances{0.5, 2.0, 1.0, 3.0};
  for (const Index count : {0, 1, 3, 9}) {  // more pairs than dimensions, too
    const auto pairs = some_pairs(4, count);
    const Waypoint here{.q = {1.0, 2.0, 3.0, 4.0}, .gradient = {0.5, -1.0, 0.0, 2.0}};
    const LocalGaussian gaussian(here, variances, pairs);
    const Matrix expected = bfgs(variances, pairs), factor = gaussian.factor();
    EXPECT_LT(difference(factor * factor.transposed(), expected), 1e-10) << count;
    const Matrix mean = column(here.q) + expected * column(here.gradient);
    EXPECT_LT(difference(column(gaussian.mean()), mean), 1e-10) << count;
    const Point q{0.0, 1.0, -1.0, 2.0};
    const Matrix off = column(q) - mean;
    const double exponent = (off.transposed() * inverse(expected).value() * off)(0, 0);
    EXPECT_NEAR(gaussian.log_density(q), -0.5 * exponent - 0.5 * log_abs_determinant(expected), 1e-9) << count;
  }
}

TEST(LocalGaussian, SharpenedByTheHessianIsExact) {
  const Point variances{1e-6, 2.0, 1.0};
  const LocalGaussian rough({.q = {1.0, 2.0, 3.0}, .gradient = {0.0, 0.0, 0.0}}, variances, some_pairs(3, 2));
  const Matrix precision{{2.0, 0.5, 0.0}, {0.5, 1.0, 0.2}, {0.0, 0.2, 0.7}};
  const Matrix factor = rough.factor();
  const Waypoint there{.q = {0.0, 0.0, 0.0}, .gradient = {1.0, 0.0, -1.0}};
  const LocalGaussian sharp = rough.sharpened(there, factor.transposed() * precision * factor);
  const Matrix covariance = inverse(precision).value(), got = sharp.factor();
  EXPECT_LT(difference(got * got.transposed(), covariance), 1e-9);
  EXPECT_LT(difference(column(sharp.mean()), covariance * column(there.gradient)), 1e-9);
  EXPECT_NEAR(sharp.log_density(sharp.mean()), 0.5 * log_abs_determinant(precision), 1e-9);
}

TEST(LocalGaussian, LeavesDirectionsThatCurveUpwards) {
  const LocalGaussian rough({.q = {0.0, 0.0}, .gradient = {0.0, 0.0}}, Point{4.0, 9.0}, {});
  const LocalGaussian sharp = rough.sharpened(rough.waypoint(), {{4.0, 0.0}, {0.0, -1.0}});
  EXPECT_LT(difference(sharp.factor(), Matrix{{1.0, 0.0}, {0.0, 3.0}}), 1e-12);
}

TEST(LocalGaussian, VariancesAreTheDiagonalOfTheUpdateInverted) {
  Point variances{0.5, 2.0, 1.0, 30.0};
  for (const CurvaturePair& pair : some_pairs(4, 6)) {
    const Matrix s = column(pair.s), y = column(pair.y), before = Matrix::diagonal(variances);
    const double scale = pair.inverse_product * (y.transposed() * before * y)(0, 0);
    const Matrix b = scale * inverse(before).value(), b_s = b * s;
    const Matrix after =
        b - 1.0 / (s.transposed() * b_s)(0, 0) * (b_s * b_s.transposed()) + pair.inverse_product * (y * y.transposed());
    update_variances(variances, pair);
    for (Index j = 0; j < 4; ++j) EXPECT_NEAR(variances[at(j)] * after(j, j), 1.0, 1e-12) << j;
  }
}

TEST(LocalGaussian, NothingIsLearntWhereTheDensityCurvesUpwards) {
  EXPECT_FALSE(curvature_between({.q = {0.0}, .gradient = {0.0}}, {.q = {1.0}, .gradient = {1.0}}).has_value());
}

}  // namespace
}  // namespace darboux::testing

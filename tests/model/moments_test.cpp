/// Moments of the targets by quadrature of exp(log density), against their closed forms. A gradient test cannot see a wrong
/// distribution; these can.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "model/banana.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/mixture.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "support/model_evaluation.hpp"

namespace darboux {
namespace {

/// The same regular grid in every coordinate.
struct Grid {
  double left, right;
  Index points;
};
using Function = std::function<double(const std::vector<double>& q)>;

/// E f under the model, by the trapezoidal rule (spectrally accurate for functions that vanish at the ends). A map moves
/// the grid points u to where the mass is, and returns log|det dq/du|.
class Quadrature {
 public:
  Quadrature(const Model& model, Grid grid, const std::function<double(std::vector<double>&)>& map = {}) {
    const Index n = model.dim(), points = grid.points;
    Index count = 1;
    for (Index j = 0; j < n; ++j) count *= points;
    OwnedBatch q(n, count);
    std::vector<double> log_jacobian(static_cast<std::size_t>(count));
    for (Index l = 0; l < count; ++l) {
      std::vector<double> at;
      for (Index j = 0, rest = l; j < n; ++j, rest /= points)
        at.push_back(grid.left +
                     (grid.right - grid.left) * static_cast<double>(rest % points) / static_cast<double>(points - 1));
      if (map) log_jacobian[static_cast<std::size_t>(l)] = map(at);
      for (Index j = 0; j < n; ++j) q(j, l) = at[static_cast<std::size_t>(j)];
      points_.push_back(std::move(at));
    }
    weights_ = testing::evaluate(model, q, {.gradient = false}).log_density;
    for (std::size_t l = 0; l < weights_.size(); ++l) total_ += weights_[l] = std::exp(weights_[l] + log_jacobian[l]);
  }

  [[nodiscard]] double mean(const Function& f) const {
    double sum = 0.0;
    for (std::size_t l = 0; l < weights_.size(); ++l) sum += weights_[l] * f(points_[l]);
    return sum / total_;
  }
  [[nodiscard]] double covariance(const Function& f, const Function& g) const {
    return mean([&](const auto& q) { return f(q) * g(q); }) - mean(f) * mean(g);
  }

 private:
  std::vector<std::vector<double>> points_;
  std::vector<double> weights_;
  double total_ = 0.0;
};

const Function first = [](const auto& q) { return q[0]; };
const Function second = [](const auto& q) { return q[1]; };

TEST(Moments, Skewed) {
  const Quadrature target(Skewed(1), {-60.0, 6.0, 20001});
  EXPECT_NEAR(target.mean(first), -std::numbers::egamma, 1e-10);
  EXPECT_NEAR(target.covariance(first, first), std::numbers::pi * std::numbers::pi / 6.0, 1e-10);
}

TEST(Moments, Gaussian) {
  const Quadrature target(Gaussian::from_covariance({0.5, -1.0}, {{1.0, 0.9}, {0.9, 2.0}}), {-14.0, 14.0, 401});
  EXPECT_NEAR(target.mean(first), 0.5, 1e-12);
  EXPECT_NEAR(target.mean(second), -1.0, 1e-12);
  EXPECT_NEAR(target.covariance(first, first), 1.0, 1e-12);
  EXPECT_NEAR(target.covariance(first, second), 0.9, 1e-12);
  EXPECT_NEAR(target.covariance(second, second), 2.0, 1e-12);
}

TEST(Moments, Mixture) {
  const Quadrature even(Mixture(), {-12.0, 12.0, 301});
  EXPECT_NEAR(even.mean(first), 0.0, 1e-12);
  EXPECT_NEAR(even.covariance(first, first), 1.0 + 2.5 * 2.5, 1e-12);
  EXPECT_NEAR(even.covariance(first, second), -2.5 * 2.5, 1e-12);
  const Quadrature uneven(Mixture({3.0, 1.0}, {{1.0}, {-3.0}}, 0.5), {-8.0, 6.0, 1001});
  EXPECT_NEAR(uneven.mean(first), 0.75 - 0.75, 1e-12);
  EXPECT_NEAR(uneven.covariance(first, first), 0.25 + 0.75 + 9.0 / 4.0, 1e-12);
}

TEST(Moments, Banana) {
  const double s = 1.2, b = 0.2;
  const Quadrature target(Banana(2, s, b), {-30.0, 30.0, 601});
  EXPECT_NEAR(target.mean(first), 0.0, 1e-9);
  EXPECT_NEAR(target.mean(second), 0.0, 1e-9);
  EXPECT_NEAR(target.covariance(first, first), s * s, 1e-9);
  EXPECT_NEAR(target.covariance(second, second), 1.0 + 2.0 * b * b * std::pow(s, 4), 1e-9);
  EXPECT_NEAR(target.covariance(first, second), 0.0, 1e-9);
}

TEST(Moments, Funnel) {
  // The width of x varies over e^{±13}, so the grid is in (v, x e^{−v/2}).
  const auto map = [](std::vector<double>& q) {
    q[1] *= std::exp(0.5 * q[0]);
    return 0.5 * q[0];
  };
  const Quadrature target(Funnel(2), {-27.0, 27.0, 541}, map);
  EXPECT_NEAR(target.mean(first), 0.0, 1e-10);
  EXPECT_NEAR(target.covariance(first, first), 9.0, 1e-10);
  EXPECT_NEAR(target.mean([](const auto& q) { return q[1] * q[1] * std::exp(-q[0]); }), 1.0, 1e-10);
  EXPECT_NEAR(target.mean([](const auto& q) { return q[1] * q[1]; }) / std::exp(4.5), 1.0, 1e-8);
}

TEST(Moments, StudentT) {
  const auto map = [](std::vector<double>& q) {
    const double log_slope = std::log(std::cosh(q[0]));
    q[0] = std::sinh(q[0]);
    return log_slope;
  };
  const Quadrature target(StudentT(1, 5.0, 2.0), {-14.0, 14.0, 4001}, map);
  EXPECT_NEAR(target.covariance(first, first), 4.0 * 5.0 / 3.0, 1e-9);
  const Quadrature plane(StudentT(2, 200.0, 2.0), {-30.0, 30.0, 401});
  EXPECT_NEAR(plane.covariance(first, first), 4.0 * 200.0 / 198.0, 1e-9);
}

}  // namespace
}  // namespace darboux

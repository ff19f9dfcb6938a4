// Defaults have to hold from bad starts and on bad scales.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darboux/diagnose/ess.hpp"
#include "darboux/diagnose/rhat.hpp"
#include "darboux/model/function_model.hpp"
#include "darboux/run/sample.hpp"
#include "linalg/dense.hpp"

namespace darboux::testing {
namespace {

constexpr Index dim = 5;

/// Σ q_i − exp(q_i), skewed and log-concave, in coordinates y = M q.
FunctionModel skewed_in(const Matrix& m) {
  const Matrix inverse_m = inverse(m).value();
  return FunctionModel(dim, [inverse_m](std::span<const double> y, std::span<double> gradient) {
    double value = 0.0;
    std::vector<double> slope(dim);
    for (Index i = 0; i < dim; ++i) {
      double q = 0.0;
      for (Index j = 0; j < dim; ++j) q += inverse_m(i, j) * y[at(j)];
      value += q - std::exp(q);
      slope[at(i)] = 1.0 - std::exp(q);
    }
    for (Index j = 0; j < std::ssize(gradient); ++j) {
      gradient[at(j)] = 0.0;
      for (Index i = 0; i < dim; ++i) gradient[at(j)] += inverse_m(i, j) * slope[at(i)];
    }
    return value;
  });
}

/// Scales from 10⁻³ to 10³.
Matrix stretched() {
  Matrix stretch(dim, dim);
  for (Index i = 0; i < dim; ++i) stretch(i, i) = std::pow(10.0, 1.5 * static_cast<double>(i - 2));
  return stretch;
}

/// By the log density, which is the same in all coordinates.
double gradients_per_effective_draw(const FunctionModel& model, std::uint64_t seed) {
  SampleOptions options;
  options.seed = seed;
  options.chains = 16;
  options.draws = 1000;
  const Draws draws = sample(model, options);
  EXPECT_LT(rhat(draws["lp__"]), 1.02);
  return static_cast<double>(draws.result().sampling_gradients) / ess_bulk(draws["lp__"]);
}

/// What a warm-up chooses, and the ESS of a run, vary: by 16 % from run to run, and the mean over ten of their ratios by 7 %.
TEST(HoldsFromAnywhere, UnitsDoNotMatter) {
  constexpr int runs = 10;
  double log_ratio = 0.0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed)
    log_ratio += std::log(gradients_per_effective_draw(skewed_in(stretched()), seed) /
                          gradients_per_effective_draw(skewed_in(Matrix::identity(dim)), seed));
  EXPECT_NEAR(log_ratio / runs, 0.0, 0.2);
}

class StartsFarOff : public ::testing::TestWithParam<double> {};

/// Four chains so many posterior standard deviations off, each in a direction of its own, from a target with scales 0.1 to 10.
TEST_P(StartsFarOff, AndArrives) {
  std::vector<double> scales;
  for (Index i = 0; i < dim; ++i) scales.push_back(std::pow(10.0, 0.5 * static_cast<double>(i - 2)));
  const FunctionModel model(dim, [scales](std::span<const double> q, std::span<double> gradient) {
    double value = 0.0;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      value -= 0.5 * std::pow(q[i] / scales[i], 2);
      if (!gradient.empty()) gradient[i] = -q[i] / (scales[i] * scales[i]);
    }
    return value;
  });
  SampleOptions options;
  options.seed = 1;
  options.starts = OwnedBatch(dim, 4);
  for (Index c = 0; c < 4; ++c)
    for (Index i = 0; i < dim; ++i) (*options.starts)(i, c) = i == c ? GetParam() * scales[at(i)] : 0.0;
  const Draws draws = sample(model, options);
  for (const std::string& name : draws.names()) EXPECT_LT(rhat(draws[name]), 1.02) << name;
  EXPECT_TRUE(draws.result().absent_chains.empty());
  EXPECT_LT(draws.result().warmup_gradients, 5 * draws.result().sampling_gradients);
}
INSTANTIATE_TEST_SUITE_P(Deviations, StartsFarOff, ::testing::Values(1.0, 10.0, 100.0));

/// Two Gaussians of unit variance in the plane, at ∓20, the second with a given logarithm of its weight.
FunctionModel two_modes(double log_weight) {
  return FunctionModel(2, [log_weight](std::span<const double> q, std::span<double> gradient) {
    const double left = -0.5 * (std::pow(q[0] + 20.0, 2) + q[1] * q[1]);
    const double right = -0.5 * (std::pow(q[0] - 20.0, 2) + q[1] * q[1]) + log_weight;
    const bool is_left = left > right;  // the other is negligible
    if (!gradient.empty()) {
      gradient[0] = -(q[0] + (is_left ? 20.0 : -20.0));
      gradient[1] = -q[1];
    }
    return is_left ? left : right;
  });
}
Draws from_both_modes(double log_weight) {
  SampleOptions options;
  options.seed = 1;
  options.starts = OwnedBatch(2, 4);
  for (Index c = 0; c < 4; ++c) (*options.starts)(0, c) = c == 3 ? 20.0 : -20.0;
  return sample(two_modes(log_weight), options);
}

TEST(HoldsFromAnywhere, AChainInAModeWithoutWeightIsBroughtToTheOthers) {
  const Draws draws = from_both_modes(-60.0);
  EXPECT_EQ(draws.result().late_chains, std::vector<Index>{3});
  EXPECT_TRUE(draws.result().absent_chains.empty());
  EXPECT_LT(rhat(draws["q[1]"]), 1.02);
}

TEST(HoldsFromAnywhere, AChainInAModeThatMattersStaysThereAndIsSeen) {
  const Draws draws = from_both_modes(-1.0);
  EXPECT_TRUE(draws.result().late_chains.empty());
  EXPECT_GT(rhat(draws["q[1]"]), 1.5);
}

TEST(HoldsFromAnywhere, AChainThatStaysApartIsNamed) {
  const Draws draws = from_both_modes(-19.0);  // not negligible, yet lower than chains vary
  EXPECT_EQ(draws.result().absent_chains, std::vector<Index>{3});
}

}  // namespace
}  // namespace darboux::testing

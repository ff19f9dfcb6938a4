#include "sample/shape_estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <functional>
#include <map>

#include "sample/marginal_fit.hpp"
#include "support/every_cpu.hpp"

namespace darboux::testing {
namespace {

std::vector<double> normal_draws(std::size_t count, std::uint64_t seed) {
  std::vector<double> y(count);
  RandomStream({.seed = seed, .purpose = Purpose::data}).fill_normal(y);
  return y;
}

double straight_of(const MarginalShape& s, double y) {
  return s.place + s.scale * std::sinh((std::asinh(y) + s.skew) / s.tail);
}

double mean_log_likelihood(const std::vector<double>& x, const MarginalShape& shape) {
  std::vector<double> gains(x.size());
  gains_of(x, shape, {}, gains);
  return gain_of(gains).mean;
}

/// Parameters are correlated, so that what is compared are the maps, where draws are: their error is about 1/√N.
TEST(MarginalFit, RecoversAShape) {
  for (const MarginalShape truth : {MarginalShape{0.3, 1.2, 0.5, 0.8}, {-1.0, 0.4, -0.7, 1.2}, {0.0, 2.0, 0.0, 0.6}}) {
    std::vector<double> x = normal_draws(20'000, 5);
    for (double& value : x) value = straight_of(truth, value);
    const MarginalShape found = fit_shape(x, fit_straight(x)).shape;
    for (const double y : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
      const double h = 1e-4, slope = (straight_of(truth, y + h) - straight_of(truth, y - h)) / (2.0 * h);
      EXPECT_NEAR(straight_of(found, y), straight_of(truth, y), 5.0 * slope * (1.0 + y * y) / std::sqrt(20'000.0));
    }
    EXPECT_GE(mean_log_likelihood(x, found), mean_log_likelihood(x, truth) - 3e-4) << "it is the likeliest";
  }
}

/// The density by differences of the inverse map, and the score by differences of the density.
TEST(MarginalFit, TheLikelihoodIsThatOfTheTransformedDraws) {
  const MarginalShape shape{0.3, 1.2, 0.5, 0.8};
  const std::vector<double> x{-3.0, -0.2, 0.9, 4.0};
  const auto y_of = [&](double at) {
    return std::sinh(shape.tail * std::asinh((at - shape.place) / shape.scale) - shape.skew);
  };
  on_every_cpu([&](CpuKind) {
    std::vector<double> gains(x.size());
    gains_of(x, shape, {}, gains);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double h = 1e-5, slope = (y_of(x[i] + h) - y_of(x[i] - h)) / (2.0 * h), y = y_of(x[i]);
      EXPECT_NEAR(gains[i], std::log(slope) - 0.5 * y * y + 0.5 * x[i] * x[i], 1e-8);
    }
  });
}

TEST(MarginalFit, KeepsToItsBounds) {
  std::vector<double> heavy = normal_draws(2000, 1), light = heavy, leaning = heavy;
  for (double& x : heavy) x = std::sinh(4.0 * std::asinh(x));
  for (double& x : light) x = std::tanh(2.0 * x);
  for (double& x : leaning) x = std::exp(2.5 * x);
  EXPECT_EQ(fit_shape(heavy, first_shape(heavy)).shape.tail, ShapeBounds::least_tail);
  EXPECT_EQ(fit_shape(light, fit_straight(light)).shape.tail, ShapeBounds::most_tail);
  const MarginalShape leans = fit_shape(leaning, first_shape(leaning)).shape;
  EXPECT_LE(leans.skew, ShapeBounds::most_lean * leans.tail * (1.0 + 1e-12));
  EXPECT_GT(leans.skew, 0.5 * ShapeBounds::most_lean * leans.tail);
}

/// The error of the mean of an autoregression is √((1 + ρ)/(1 − ρ)) of what independent draws would have.
TEST(MarginalFit, ErrorsKnowThatDrawsAreCorrelated) {
  double square = 0.0, estimated = 0.0;
  constexpr int runs = 400;
  for (int r = 0; r < runs; ++r) {
    std::vector<double> gains = normal_draws(2000, static_cast<std::uint64_t>(r) + 1);
    for (std::size_t i = 1; i < gains.size(); ++i) gains[i] = 0.9 * gains[i - 1] + std::sqrt(0.19) * gains[i];
    const auto [mean, error] = gain_of(gains);
    square += mean * mean / runs;
    estimated += error * error / runs;
  }
  EXPECT_NEAR(estimated / square, 1.0, 0.35);
}

SamplerSettings settings(Index chains, std::optional<MarginalMap> map = std::nullopt) {
  SamplerSettings s;
  s.chains = chains;
  s.map = map;
  return s;
}

/// A window of `iterations` of chains that are autoregressions, each coordinate then mapped.
std::vector<MarginalShape> shapes_of(const SamplerSettings& s, Index dim, int iterations, double correlation,
                                     std::uint64_t seed, const std::function<double(double)>& map) {
  ShapeEstimate estimate(s, dim, iterations);
  const Stragglers none(s.chains, dim);
  const std::size_t n = at(s.chains * dim);
  std::vector<double> y = normal_draws(n, seed), q(n);
  for (int i = 0; i < iterations; ++i) {
    const std::vector<double> fresh = normal_draws(n, seed + 1000 * static_cast<std::uint64_t>(i + 1));
    for (std::size_t k = 0; k < n; ++k) {
      y[k] = correlation * y[k] + std::sqrt(1.0 - correlation * correlation) * fresh[k];
      q[k] = map(y[k]);
    }
    estimate.add(q, none);
  }
  Tuning tuning{.center = std::vector<double>(at(dim), 0.0), .factor = StructuredMatrix::identity(dim)};
  estimate.put_into(tuning);
  return tuning.shapes;
}

Index bent(const std::vector<MarginalShape>& shapes) {
  return std::ranges::count_if(shapes, [](const MarginalShape& s) { return s != MarginalShape{}; });
}

const auto straight = [](double y) { return y; };

/// 40 windows of 100 coordinates each: at most one in a thousand is bent that has no reason to be.
TEST(ShapeEstimate, GaussianCoordinatesStayStraight) {
  for (const double correlation : {0.0, 0.7, 0.95}) {
    Index wrong = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed)
      wrong += bent(shapes_of(settings(4), 100, 225, correlation, seed, straight));
    EXPECT_LE(wrong, 4) << correlation;
  }
}

/// So slow that each chain saw one place: what half of the chains find is not what the others do.
TEST(ShapeEstimate, ChainsThatHardlyMoveSayLittle) {
  Index wrong = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    wrong += bent(shapes_of(settings(4), 100, 225, 0.998, seed, straight));
  EXPECT_LE(wrong, 40 * 100 / 50);
}

TEST(ShapeEstimate, BendsWhatIsSkewed) {
  const auto skewed = [](double y) { return std::exp(0.5 * y); };
  EXPECT_EQ(bent(shapes_of(settings(4), 20, 225, 0.5, 1, skewed)), 20);
  EXPECT_EQ(bent(shapes_of(settings(1), 20, 900, 0.5, 1, skewed)), 20) << "halves of a single chain";
  EXPECT_EQ(bent(shapes_of(settings(4, MarginalMap::none), 20, 225, 0.5, 1, skewed)), 0);
  EXPECT_EQ(bent(shapes_of(settings(4), 20, 99, 0.5, 1, skewed)), 0) << "too short";
}

TEST(ShapeEstimate, BendsAllThatAreAskedFor) {
  EXPECT_EQ(bent(shapes_of(settings(4, MarginalMap::sinh_arcsinh), 20, 225, 0.0, 1, straight)), 20);
}

/// A preconditioner of another place and scale is no reason to bend.
TEST(ShapeEstimate, PlaceAndScaleAreNoShape) {
  EXPECT_EQ(bent(shapes_of(settings(4), 20, 225, 0.5, 1, [](double y) { return 3.0 + 2.0 * y; })), 0);
}

TEST(ShapeEstimate, LateChainsHaveNoSay) {
  const SamplerSettings s = settings(5);
  ShapeEstimate with(s, 1, 100), without(s, 1, 100);
  Stragglers one_late(5, 1);
  const Stragglers none(5, 1);
  for (int i = 0; i < 10; ++i) one_late.observe(std::vector<double>{0.0, 0.1, -1e6, 0.2, 0.1});
  ASSERT_TRUE(one_late.is_late(2));
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> q(5, 1.0);
    with.add(q, one_late);
    without.add(q, none);
  }
  EXPECT_EQ(without.count(), 500);
  EXPECT_EQ(with.count(), 400);
}

/// Of 100,000 draws of 8 chains about as many of each, early and late.
TEST(ShapeEstimate, KeepsAnEvenChoice) {
  constexpr Index chains = 8, dim = 2;
  ShapeEstimate estimate(settings(chains), dim, 12'500);
  const Stragglers none(chains, dim);
  std::vector<double> q(at(chains * dim));
  for (int i = 0; i < 12'500; ++i) {
    estimate.add(q, none);
    EXPECT_LE(estimate.count(), ShapeEstimate::capacity(dim));
  }
  EXPECT_GE(estimate.count(), ShapeEstimate::capacity(dim) / 3);
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> kept;  // by chain and quarter
  for (const std::uint64_t draw : estimate.kept()) ++kept[{draw % chains, draw / 25'000}];
  EXPECT_EQ(kept.size(), 32U);
  const double each = static_cast<double>(estimate.count()) / 32.0;
  for (const auto& [place, count] : kept) EXPECT_NEAR(count, each, 0.2 * each);
  EXPECT_EQ(ShapeEstimate::capacity(1'000'000), 0);
}

}  // namespace
}  // namespace darboux::testing

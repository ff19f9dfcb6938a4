#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/random.hpp>
#include <experiments/effective_size.hpp>
#include <numeric>
#include <stdexcept>

#include "model/gaussian.hpp"

namespace darboux::experiments {
namespace {

const std::atomic<bool> go_on{false};

/// Of variance 1 and correlation φ^t, from its stationary law.
std::vector<double> autoregression(std::size_t n, double phi, std::uint64_t seed, double shift = 0.0) {
  RandomStream random({.seed = seed, .purpose = Purpose::data});
  std::vector<double> x{random.normal()};
  while (x.size() < n) x.push_back(phi * x.back() + std::sqrt(1.0 - phi * phi) * random.normal());
  for (double& value : x) value += shift;
  return x;
}

/// The geometric mean over 200 runs of two chains of 1000 draws, which all have τ = (1 + φ)/(1 − φ).
double typical_size(double phi) {
  double sum = 0.0;
  constexpr std::uint64_t runs = 200;
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::vector<double> times;
    for (const std::uint64_t seed : {2 * run, 2 * run + 1})
      times.push_back(autocorrelation_time_about({}, autoregression(1000, phi, seed)));
    sum += std::log(mean_size({times}, 1000));
  }
  return std::exp(sum / runs);
}

/// 500, 50 and ten effective draws; logarithms of such sizes have standard deviations of 0.12, 0.34 and 0.56.
TEST(EffectiveSize, IsRightForChainsOfManyAndOfFewEffectiveDraws) {
  EXPECT_NEAR(typical_size(1.0 / 3.0) / 500.0, 1.0, 0.05);
  EXPECT_NEAR(typical_size(19.0 / 21.0) / 50.0, 1.0, 0.1);
  EXPECT_NEAR(typical_size(99.0 / 101.0) / 10.5, 1.0, 0.16);
}

/// n (f − μ)²/σ², up to the lags that Geyer's rule leaves out at the end.
TEST(EffectiveSize, OfAChainThatNeverMovedIsOneDrawOnAverage) {
  const std::vector<double> still(1000, 3.0);
  EXPECT_NEAR(autocorrelation_time_about({.mean = 1.0, .variance = 4.0}, still), 1000.0, 1.0);
  EXPECT_NEAR(autocorrelation_time_about({.mean = 1.0, .variance = 1.0}, still), 4000.0, 4.0);
}

/// A bias b adds n b²/σ² where it is above the noise of the autocorrelations: all of them add up to n (f̄ − μ)²/σ².
TEST(EffectiveSize, CountsBias) {
  const std::vector<double> biased = autoregression(1000, 0.0, 1, 1.0);
  const double bias = std::accumulate(biased.begin(), biased.end(), 0.0) / 1000.0;
  EXPECT_NEAR(autocorrelation_time_about({}, biased) / (1000.0 * bias * bias), 1.0, 0.05);
}

/// The worst of two quantities is looked for in one chain and measured in the other.
TEST(EffectiveSize, WorstQuantityIsMeasuredWhereItWasNotLookedFor) {
  const Times times{{10.0, 30.0}, {40.0, 20.0}, {2.0, 2.0}};
  // The second chain says the first quantity, which has 10 in the first; the first says the second, which has 20 in the second.
  EXPECT_EQ(least_size(times, 1000), 1000.0 / 15.0);
  EXPECT_EQ(mean_size(times, 1000), (1000.0 / 20.0 + 1000.0 / 30.0 + 1000.0 / 2.0) / 3.0);
  EXPECT_EQ(least_size({{0.25, 0.5}}, 1000), 1000.0);  // no more than there are
  EXPECT_THROW((void)least_size({{1.0}, {2.0}}, 1000), std::logic_error);
}

/// Twenty quantities that are all alike have no worst one: the least of their estimates would be far below what all have.
TEST(EffectiveSize, LeastOfManyAlikeIsThatOfEach) {
  double least = 0.0, each = 0.0;
  constexpr int runs = 60;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Times times;
    for (std::uint64_t j = 0; j < 20; ++j) {
      auto& of_chains = times.emplace_back();
      for (std::uint64_t c = 0; c < 2; ++c)
        of_chains.push_back(autocorrelation_time_about({}, autoregression(1000, 0.9, 1000 * run + 10 * j + c)));
    }
    least += std::log(least_size(times, 1000)) / runs;
    each += std::log(mean_size(times, 1000)) / runs;
  }
  EXPECT_NEAR(std::exp(least - each), 1.0, 0.15);
}

TEST(EffectiveSize, OfARunTakesEachQuantityAboutItsOwnMoments) {
  constexpr std::size_t n = 2000;
  FixedRun run{.chains = 2,
               .draws = n,
               .values = {{}, {}},
               .log_density = {},
               .acceptance = {},
               .energy_error = {},
               .failures = {},
               .gradients = {}};
  for (std::uint64_t c = 0; c < 2; ++c) {
    const auto quick = autoregression(n, 0.0, c, 5.0), slow = autoregression(n, 0.9, 10 + c, -2.0);
    run.values[0].insert(run.values[0].end(), quick.begin(), quick.end());
    run.values[1].insert(run.values[1].end(), slow.begin(), slow.end());
    run.log_density.insert(run.log_density.end(), quick.begin(), quick.end());
  }
  const Moments square{.mean = 1.0, .variance = 2.0};
  const EffectiveSizes sizes = effective_sizes(
      run, {.values = {{.mean = 5.0}, {.mean = -2.0}}, .squares = {square, square}, .log_density = {.mean = 5.0}});
  EXPECT_NEAR(std::log(sizes.least_of_means * 19.0 / n), 0.0, 0.7);
  EXPECT_NEAR(std::log(sizes.least_of_squares * 9.53 / n), 0.0, 0.7);  // (1 + φ²)/(1 − φ²)
  EXPECT_NEAR(sizes.of_log_density, n, 200.0);
  EXPECT_NEAR(sizes.mean_of_means, 0.5 * (n + n / 19.0), 150.0);
}

/// Of a standard normal in three dimensions: 0 and 1, 1 and 2, and −½ χ²₃ with −1.5 and 1.5.
TEST(Reference, HasTheMomentsOfTheTarget) {
  const Reference found = find_reference(std::make_shared<const Gaussian>(Gaussian::standard(3)), 5000, go_on);
  const double at_the_mode = found.log_density.mean + 1.5;
  EXPECT_NEAR(found.log_density.variance, 1.5, 0.15);
  EXPECT_NEAR(at_the_mode, 0.0, 0.05);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(found.values[j].mean, 0.0, 0.05);
    EXPECT_NEAR(found.values[j].variance, 1.0, 0.05);
    EXPECT_NEAR(found.squares[j].mean, 1.0, 0.05);
    EXPECT_NEAR(found.squares[j].variance, 2.0, 0.25);
  }
}

}  // namespace
}  // namespace darboux::experiments

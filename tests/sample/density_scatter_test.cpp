#include "sample/density_scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace darboux::testing {
namespace {

/// Of three chains, iteration by iteration; the last one is somewhere else.
std::vector<double> log_densities(int iterations, double spread) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> all;
  for (int i = 0; i < iterations; ++i) {
    all.push_back(spread * normal(random));
    all.push_back(3.0 + spread * normal(random));
    all.push_back(-1000.0 + 50.0 * normal(random));
  }
  return all;
}

TEST(DensityScatter, IsTheVarianceOverThatOfAGaussianWithinChainsThatHaveArrived) {
  Stragglers stragglers(3, 8);
  for (int round = 0; round < 10; ++round) stragglers.observe(std::vector<double>{0.0, 3.0, -1000.0});
  ASSERT_TRUE(stragglers.is_late(2));
  DensityScatter scatter(3, 8);
  scatter.observe(log_densities(2000, std::sqrt(12.0)));
  EXPECT_NEAR(scatter.over_gaussian(stragglers), 3.0, 4.0 * 3.0 * std::sqrt(2.0 / 4000.0));  // 12 over 8/2
}

TEST(DensityScatter, IsUnknownOfFewDraws) {
  DensityScatter scatter(3, 8);
  scatter.observe(log_densities(49, 1.0));
  EXPECT_EQ(scatter.over_gaussian(Stragglers(3, 8)), 0.0);
}

}  // namespace
}  // namespace darboux::testing

#include "sample/stragglers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace darboux::testing {
namespace {

using Chains = std::vector<Index>;

Stragglers after_rounds(const std::vector<double>& log_densities, Index dim, int rounds = 20) {
  Stragglers stragglers(std::ssize(log_densities), dim);
  for (int i = 0; i < rounds; ++i) stragglers.observe(log_densities);
  return stragglers;
}

TEST(Stragglers, AreFarBelowTheMedianChain) {
  EXPECT_EQ(after_rounds({-10.0, -11.0, -500.0, -9.0}, 4).late(), Chains{2});
  EXPECT_EQ(after_rounds({-10.0, -400.0, -500.0, -9.0}, 4).late(), (Chains{1, 2}));
  EXPECT_TRUE(after_rounds({-10.0, -NAN, -9.0}, 4).is_late(1));
}

/// 10 + 5 √(n/2): 17 in 4 dimensions, 45 in 98.
TEST(Stragglers, TheAllowanceGrowsWithTheDimension) {
  EXPECT_EQ(after_rounds({0.0, 0.0, 0.0, -16.9}, 4).late(), Chains{});
  EXPECT_EQ(after_rounds({0.0, 0.0, 0.0, -17.2}, 4).late(), Chains{3});
  EXPECT_EQ(after_rounds({0.0, 0.0, 0.0, -44.0}, 98).late(), Chains{});
}

TEST(Stragglers, OneChainInASpikeMakesNobodyLate) { EXPECT_FALSE(after_rounds({0.0, 1.0, 0.5, 1000.0}, 4).any()); }

TEST(Stragglers, WhatChainsVaryByIsAllowedFor) {
  Stragglers stragglers(3, 2);
  for (int i = 0; i < 50; ++i) {
    const double swing = i % 2 == 0 ? 30.0 : -30.0;
    stragglers.observe(std::vector{swing, -swing, -60.0});
  }
  EXPECT_FALSE(stragglers.any());
}

TEST(Stragglers, NobodyIsJudgedAtOnceOrForWhatItWas) {
  EXPECT_FALSE(after_rounds({0.0, -1e6}, 2, 2).any());
  Stragglers stragglers = after_rounds({0.0, -1e6}, 2);
  EXPECT_TRUE(stragglers.is_late(1));
  stragglers.forget(1);
  EXPECT_FALSE(stragglers.any());
  for (int i = 0; i < 5; ++i) stragglers.observe(std::vector{0.0, -1.0});
  EXPECT_FALSE(stragglers.any());
}

}  // namespace
}  // namespace darboux::testing

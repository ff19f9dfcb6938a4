#include <gtest/gtest.h>

#include <proofs/verdict.hpp>
#include <set>
#include <string>

namespace darboux::proofs {
namespace {

TEST(Verdict, HolmMultipliesByTheTestsThatAreLeft) {
  const std::vector<double> adjusted = holm(std::vector{0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(adjusted.size(), 4U);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);  // 4 × 0.005
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);  // 3 × 0.01
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);  // 2 × 0.03
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);  // not below the one before
  EXPECT_DOUBLE_EQ(holm(std::vector{0.9, 0.8})[0], 1.0);
}

TEST(Verdict, CriticalValuesAreThoseOfTheNormalLaw) {
  EXPECT_NEAR(p_value(1.959963985), 0.05, 1e-9);
  EXPECT_NEAR(critical_z(1), 2.575829304, 1e-8);
  EXPECT_NEAR(p_value(critical_z(1000)), false_alarm / 1000.0, 1e-15);
}

TEST(Verdict, ABiasIsSeenWhereItsMeanPassesTheCriticalValueByAsMuchAsNoiseTakes) {
  // z ~ N(bias √n, 1) exceeds the critical value with probability 0.9.
  const double bias = visible_bias(10'000.0, 50);
  EXPECT_GT(bias * 100.0, critical_z(50));
  EXPECT_NEAR(0.5 * p_value(bias * 100.0 - critical_z(50)), 0.1, 1e-6);
}

TEST(Verdict, SeedsDifferWhereWordsDo) {
  std::set<std::uint64_t> seeds;
  for (const std::uint64_t seed : {1U, 2U})
    for (int i = 0; i < 1000; ++i) seeds.insert(seed_of(seed, "law/method/" + std::to_string(i)));
  EXPECT_EQ(seeds.size(), 2000U);
  EXPECT_EQ(seed_of(1, "law"), seed_of(1, "law"));
}

}  // namespace
}  // namespace darboux::proofs

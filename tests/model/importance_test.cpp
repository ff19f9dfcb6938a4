#include "model/importance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace darboux::testing {
namespace {

using Numbers = std::vector<double>;

TEST(Importance, EffectiveSizeCountsEqualWeights) {
  EXPECT_NEAR(effective_size(Numbers{-1e5, -1e5, -INFINITY, -1e5}), 3.0, 1e-12);
  EXPECT_NEAR(effective_size(Numbers{0.0, -800.0, -800.0}), 1.0, 1e-12);
  EXPECT_NEAR(effective_size(Numbers{std::log(3.0), 0.0}), 1.6, 1e-12);
  EXPECT_EQ(effective_size(Numbers{-INFINITY, -INFINITY}), 0.0);
  EXPECT_NEAR(effective_size(Numbers{800.0, 0.0, -INFINITY}, 0.0), 2.0, 1e-12);
}

TEST(Importance, PowersTameHeavyWeights) {
  EXPECT_EQ(power_for_size(Numbers{0.0, 0.1, 0.0, 0.1}, 3.0), 1.0);
  const Numbers heavy{0.0, -100.0, -200.0, -300.0};
  const double power = power_for_size(heavy, 2.0);
  EXPECT_GE(effective_size(heavy, power), 2.0);
  EXPECT_LT(effective_size(heavy, 2.0 * power), 2.0);
  EXPECT_EQ(power_for_size(heavy, 5.0), 0.0);  // there are four
}

TEST(Importance, LowerBoundLeavesOutWhatIsRefused) {
  const EvidenceBound bound(Numbers{1.0, 3.0, -INFINITY, -INFINITY});
  EXPECT_NEAR(bound.value, 2.0 - std::log(2.0), 1e-12);
  EXPECT_NEAR(bound.sd, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(bound.standard_error, 1.0, 1e-12);
  EXPECT_EQ(EvidenceBound(Numbers{-INFINITY}).value, -INFINITY);
}

TEST(Importance, SystematicCountsAreSharesRoundedEitherWay) {
  const Numbers shares{0.5, 1e-15, 0.3, 0.2};
  double sum = 0.0;
  for (int k = 0; k < 100; ++k) {
    const auto counts = systematic_counts(shares, 9, (k + 0.5) / 100.0);
    EXPECT_EQ(counts[0] + counts[1] + counts[2] + counts[3], 9);
    EXPECT_TRUE(counts[0] == 4 || counts[0] == 5);
    EXPECT_EQ(counts[1], 0);
    EXPECT_TRUE(counts[2] == 2 || counts[2] == 3);
    sum += static_cast<double>(counts[2]) / 100.0;
  }
  EXPECT_NEAR(sum, 2.7, 1e-12);
}

/// One standard error of a share of 10000 is at most 0.005.
TEST(Importance, ChoicesDifferAndGoByWeight) {
  RandomStream random({.seed = 1});
  const Numbers log_weights{std::log(0.6), -INFINITY, std::log(0.3), std::log(0.1)};
  double first = 0.0, left_out = 0.0;
  for (int k = 0; k < 10000; ++k) {
    const auto chosen = choose_different(log_weights, 2, random);
    ASSERT_EQ(chosen.size(), 2U);
    EXPECT_NE(chosen[0], chosen[1]);
    if (chosen[0] == 0) first += 1e-4;
    if (std::find(chosen.begin(), chosen.end(), 3) == chosen.end()) left_out += 1e-4;
  }
  EXPECT_NEAR(first, 0.6, 0.02);
  EXPECT_NEAR(left_out, 0.6 * 0.3 / 0.4 + 0.3 * 0.6 / 0.7, 0.02);
  EXPECT_EQ(choose_different(log_weights, 9, random).size(), 3U);  // all that weigh something
}

}  // namespace
}  // namespace darboux::testing

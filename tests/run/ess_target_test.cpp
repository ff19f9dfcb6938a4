#include "run/ess_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace darboux {
namespace {

/// A run that was stopped between two looks has the next one where a run in one go has it, and none before.
TEST(EssTarget, LooksAreWhereTheyWouldHaveBeen) {
  SampleOptions asked;
  asked.target_ess = 1e6;
  asked.max_draws = 5000;
  int looks = 0;
  EssTarget target(asked, [&] {
    ++looks;
    return 10.0;
  });
  std::vector<int> places{target.next_look(0)};
  while (places.back() < 5000) places.push_back(std::min(target.next_look(places.back()), 5000));
  ASSERT_GT(places.size(), 3U);
  EXPECT_EQ(looks, static_cast<int>(places.size()) - 1);
  for (int drawn = 0; drawn < 5000; ++drawn) {
    const auto next = std::upper_bound(places.begin(), places.end(), drawn - 1);
    if (*next == drawn) continue;
    looks = 0;
    ASSERT_EQ(target.next_look(drawn), *next) << drawn;
    ASSERT_EQ(looks, 0) << drawn;
  }
}

}  // namespace
}  // namespace darboux

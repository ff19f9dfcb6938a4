#include "diagnose/chain_ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "report/synthetic_run.hpp"

namespace darboux {
namespace {

using testing::scattered;

/// Chains of even noise, changed one by one.
template <class Change>
std::vector<std::vector<double>> noise(std::size_t chains, std::size_t length, Change change) {
  std::vector<std::vector<double>> draws(chains, std::vector<double>(length));
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t i = 0; i < length; ++i) draws[c][i] = change(c, scattered((c << 20U) + i) - 0.5);
  return draws;
}
ChainDraws view(const std::vector<std::vector<double>>& draws) { return ChainDraws({draws.begin(), draws.end()}); }

TEST(RankHistogram, CountsWhereAChainStandsAmongAll) {
  const std::vector<double> draws{1, 2, 3, 4, /* and */ 5, 6, 7, 8};
  const auto counts = rank_histogram(ChainDraws(draws, 2), 4);
  EXPECT_EQ(counts, (std::vector<std::vector<double>>{{2, 2, 0, 0}, {0, 0, 2, 2}}));
}

TEST(RankHistogram, EqualDrawsShareTheirRank) {
  const std::vector<double> draws{0, 0, 0, 9, /* and */ 0, 0, 0, 9};
  const auto counts = rank_histogram(ChainDraws(draws, 2), 4);
  EXPECT_EQ(counts, (std::vector<std::vector<double>>{{0, 3, 0, 1}, {0, 3, 0, 1}}));
}

TEST(RankHistogram, EveryDrawCountsOnce) {
  const auto draws = noise(3, 101, [](std::size_t, double x) { return x; });
  for (const auto& counts : rank_histogram(view(draws), 7))
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 101.0);
  EXPECT_TRUE(rank_histogram(view({{1, 1, 1}, {1, 1, 1}}), 7).empty()) << "nothing varies";
}

TEST(StrayChain, IsTheOneAtAnotherPlace) {
  for (const std::size_t stray : {0U, 2U, 3U}) {
    const auto draws = noise(4, 200, [=](std::size_t c, double x) { return c == stray ? x + 1.0 : x; });
    const auto found = stray_chain(view(draws));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->chain, stray);
    EXPECT_FALSE(found->by_width);
  }
}

TEST(StrayChain, IsTheOneOfAnotherWidth) {
  const auto draws = noise(4, 400, [=](std::size_t c, double x) { return c == 1 ? 5.0 * x : x; });
  const auto found = stray_chain(view(draws));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->chain, 1U);
  EXPECT_TRUE(found->by_width);
}

TEST(StrayChain, IsNoneWhereChainsAgreeOrAreOfTwoMinds) {
  EXPECT_FALSE(stray_chain(view(noise(4, 400, [](std::size_t, double x) { return x; }))));
  EXPECT_FALSE(stray_chain(view(noise(4, 400, [](std::size_t c, double x) { return c < 2 ? x : x + 1.0; }))))
      << "two and two";
  EXPECT_FALSE(stray_chain(view(noise(2, 400, [](std::size_t c, double x) { return c < 1 ? x : x + 1.0; }))))
      << "of two chains neither is the stray one";
  EXPECT_FALSE(stray_chain(view(noise(4, 400, [](std::size_t, double) { return 1.0; }))));
}

}  // namespace
}  // namespace darboux

#include "darboux/diagnose/rhat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference_arrays.hpp"

namespace darboux {
namespace {

using testing::autoregression;
using testing::Draws;
using testing::gaussian_chains;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Rhat, of_ranks_is_the_same_for_any_increasing_function_of_the_draws) {
  const Draws draws = autoregression(101, 3, 0.7);
  const double expected = rhat_bulk(draws.view());
  EXPECT_EQ(rhat_bulk(draws.map([](double x) { return std::exp(3.0 * x); }).view()), expected);
  EXPECT_EQ(rhat_bulk(draws.map([](double x) { return x * x * x; }).view()), expected);
  EXPECT_NE(rhat_split(draws.map([](double x) { return x * x * x; }).view()), rhat_split(draws.view()));
}

/// Folding about the median commutes with changes of unit and sign only. Powers of 2, as these round nothing: the two draws
/// next to the median are equally far from it, and rounding decides whether they share a rank.
TEST(Rhat, does_not_depend_on_the_unit) {
  const Draws draws = autoregression(100, 4, 0.7).map_chain(2, [](double x) { return 2.0 * x; });
  for (const double scale : {-1.0, 1024.0, 0x1p-70, 0x1p70}) {
    const Draws scaled = draws.map([scale](double x) { return scale * x; });
    for (const auto variant : {rhat, rhat_bulk, rhat_folded, rhat_split, rhat_1992})
      EXPECT_NEAR(variant(scaled.view()), variant(draws.view()), 1e-12) << scale;
  }
}

TEST(Rhat, does_not_depend_on_the_order_of_chains) {
  const Draws draws = autoregression(100, 4, 0.9);
  const ChainDraws view = draws.view();
  const ChainDraws permuted({view[2], view[0], view[3], view[1]});
  for (const auto variant : {rhat, rhat_bulk, rhat_folded, rhat_split, rhat_1992})
    EXPECT_NEAR(variant(permuted), variant(view), 1e-13);
}

/// For independent draws B/W has the F distribution with m − 1 degrees of freedom above and many below, and
/// R̂ − 1 = (B/W − 1)/2n. 8 half chains: 7 degrees of freedom, 4.3 is exceeded once in 10⁴.
TEST(Rhat, is_near_one_for_independent_draws) {
  constexpr std::size_t length = 10000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Draws draws = gaussian_chains(length, 4, 0.0, seed);
    for (const auto variant : {rhat, rhat_bulk, rhat_folded, rhat_split}) {
      EXPECT_LT(variant(draws.view()), 1.0 + 3.3 / static_cast<double>(length));
      EXPECT_GT(variant(draws.view()), 1.0 - 1.0 / static_cast<double>(length) - 1e-9);
    }
  }
}

/// Two chains of variance 1, two apart: R̂² = 1 + 2²/2. The difference of the means has the error √(2/n) = 0.014, R̂ that
/// times 2/(2R̂).
TEST(Rhat, of_different_means_is_what_the_formula_says) {
  const Draws draws = gaussian_chains(10000, 2, 0.0, 3).map_chain(1, [](double x) { return x + 2.0; });
  EXPECT_NEAR(rhat_1992(draws.view()), std::sqrt(3.0), 4.0 * 0.014 / std::sqrt(3.0));
  EXPECT_GT(rhat(draws.view()), 1.3);
}

TEST(Rhat, folded_sees_different_widths) {
  const Draws draws = gaussian_chains(1000, 4, 0.0, 4).map_chain(0, [](double x) { return 3.0 * x; });
  EXPECT_LT(rhat_bulk(draws.view()), 1.01);
  EXPECT_GT(rhat_folded(draws.view()), 1.1);
  EXPECT_EQ(rhat(draws.view()), rhat_folded(draws.view()));
}

/// From 0 to 4 in 1000 draws: the means of the halves are δ = 2 apart, the variance of each half is 1 + 2²/12, so
/// R̂² = 1 + (8/7)(δ/2)² / (4/3). δ has the error √(2/500/4) = 0.032.
TEST(Rhat, split_sees_a_drift_that_all_chains_share) {
  Draws draws = gaussian_chains(1000, 4, 0.0, 5);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t i = 0; i < 1000; ++i) draws.at(i, c) += 0.004 * static_cast<double>(i);
  EXPECT_LT(rhat_1992(draws.view()), 1.01);
  const double expected = std::sqrt(1.0 + 8.0 / 7.0 * 3.0 / 4.0);
  EXPECT_NEAR(rhat_split(draws.view()), expected, 4.0 * 0.032 * 3.0 / 7.0 / expected);
  EXPECT_GT(rhat(draws.view()), 1.3);
}

TEST(Rhat, of_ranks_sees_a_shift_that_heavy_tails_hide) {
  const Draws draws = testing::cauchy(1000, 4).map_chain(3, [](double x) { return x + 4.0; });
  EXPECT_LT(rhat_1992(draws.view()), 1.01);
  EXPECT_GT(rhat_bulk(draws.view()), 1.1);
}

TEST(Rhat, sees_chains_that_stand_still) {
  const auto at = [](double place) { return [place](double) { return place; }; };
  const Draws one = gaussian_chains(1000, 4, 0.0, 6).map_chain(2, at(1.0));
  EXPECT_GT(rhat(one.view()), 1.1);
  Draws all = one;
  for (std::size_t c = 0; c < 4; ++c) all = all.map_chain(c, at(0.1 * static_cast<double>(c)));
  for (const auto variant : {rhat, rhat_bulk, rhat_split, rhat_1992}) EXPECT_GT(variant(all.view()), 1e6);
}

TEST(Rhat, of_two_values_around_the_median_is_that_of_the_ranks) {
  Draws signs{.values = {}, .chains = 2};
  for (int i = 0; i < 100; ++i) signs.values.push_back(i % 4 < 2 ? 1.0 : -1.0);
  EXPECT_TRUE(std::isnan(rhat_folded(signs.view())));
  EXPECT_FALSE(std::isnan(rhat_bulk(signs.view())));
  EXPECT_EQ(rhat(signs.view()), rhat_bulk(signs.view()));
}

TEST(Rhat, is_nan_where_it_means_nothing) {
  const Draws draws = autoregression(101, 3, 0.5);
  std::vector<Draws> bad{draws.map([](double) { return 7.0; }), Draws{.values = {}, .chains = 2}};
  for (const double value : {nan, infinity, -infinity}) {
    bad.push_back(draws);
    bad.back().at(50, 1) = value;  // the draw in the middle, which splitting leaves out
    bad.push_back(draws);
    bad.back().at(0, 2) = value;
  }
  for (const Draws& each : bad)
    for (const auto variant : {rhat, rhat_bulk, rhat_folded, rhat_split, rhat_1992})
      EXPECT_TRUE(std::isnan(variant(each.view())));
  EXPECT_TRUE(std::isnan(rhat_1992(autoregression(100, 1, 0.5).view())));
  EXPECT_FALSE(std::isnan(rhat(autoregression(100, 1, 0.5).view())));
  for (const std::size_t length : {1U, 2U, 3U}) EXPECT_TRUE(std::isnan(rhat(autoregression(length, 4, 0.5).view())));
  EXPECT_FALSE(std::isnan(rhat(autoregression(4, 4, 0.5).view())));
}

}  // namespace
}  // namespace darboux

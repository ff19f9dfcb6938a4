#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/diagnose/chain_draws.hpp>
#include <limits>
#include <vector>

#include "diagnose/describe.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> as_vector(std::span<const double> x) { return {x.begin(), x.end()}; }

TEST(ChainDraws, views_chains_that_lie_one_after_another) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const ChainDraws draws(values, 2);
  EXPECT_EQ(draws.chains(), 2U);
  EXPECT_EQ(draws.length(), 3U);
  EXPECT_EQ(draws.size(), 6U);
  EXPECT_EQ(as_vector(draws[1]), (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(draws[0].data(), values.data());  // no copy
}

TEST(ChainDraws, refuses_chains_of_unequal_length) {
  const std::vector<double> three{1, 2, 3};
  const std::vector<double> four{1, 2, 3, 4};
  EXPECT_TRUE(mentions(message_of<InputError>([&] { ChainDraws({three, four}); }), {"chain 2", "4 draws", "3"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { ChainDraws(four, 3); }), {"4 draws", "3 chains"}));
  EXPECT_THROW(ChainDraws(four, 0), InputError);
}

TEST(ChainDraws, splits_into_first_and_last_halves) {
  const std::vector<double> even{1, 2, 3, 4, 5, 6, 7, 8};
  const ChainDraws halves = ChainDraws(even, 2).split();
  ASSERT_EQ(halves.chains(), 4U);
  EXPECT_EQ(as_vector(halves[0]), (std::vector<double>{1, 2}));
  EXPECT_EQ(as_vector(halves[1]), (std::vector<double>{3, 4}));
  EXPECT_EQ(as_vector(halves[3]), (std::vector<double>{7, 8}));
}

TEST(ChainDraws, splitting_an_odd_chain_leaves_out_the_middle) {
  const std::vector<double> odd{1, 2, 3, 4, 5};
  const ChainDraws halves = ChainDraws(odd, 1).split();
  ASSERT_EQ(halves.chains(), 2U);
  EXPECT_EQ(as_vector(halves[0]), (std::vector<double>{1, 2}));
  EXPECT_EQ(as_vector(halves[1]), (std::vector<double>{4, 5}));
}

TEST(ChainDraws, empty_ones_are_harmless) {
  EXPECT_EQ(ChainDraws({}, 0).size(), 0U);
  EXPECT_EQ(ChainDraws({}, 3).split().size(), 0U);
  EXPECT_FALSE(varies(ChainDraws({}, 2)));
  EXPECT_TRUE(std::isnan(mean(ChainDraws({}, 2))));
  EXPECT_TRUE(std::isnan(sd(ChainDraws({}, 2))));
  EXPECT_TRUE(std::isnan(quantile(ChainDraws({}, 2), 0.5)));
}

TEST(Varies, needs_finite_draws_that_differ_by_more_than_rounding) {
  const auto says = [](std::vector<double> values) { return varies(ChainDraws(values, 1)); };
  EXPECT_TRUE(says({1, 2, 1}));
  EXPECT_FALSE(says({2, 2, 2}));
  EXPECT_FALSE(says({0, 0, 0}));
  EXPECT_FALSE(says({1, nan, 2}));
  EXPECT_FALSE(says({1, infinity, 2}));
  EXPECT_FALSE(says({1, -infinity, 2}));
  EXPECT_FALSE(says({1e6, std::nextafter(1e6, 2e6), 1e6}));
  EXPECT_TRUE(says({1e-30, 2e-30, 3e-30}));
}

TEST(Describe, has_the_plain_numbers) {
  const std::vector<double> values{4, 1, 3, 2, 10};
  const ChainDraws draws(values, 1);
  EXPECT_DOUBLE_EQ(mean(draws), 4.0);
  EXPECT_DOUBLE_EQ(sd(draws), std::sqrt(50.0 / 4.0));
  EXPECT_DOUBLE_EQ(quantile(draws, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile(draws, 0.5), 3.0);
  EXPECT_DOUBLE_EQ(quantile(draws, 0.8), 5.2);  // 0.2 of the way from 4 to 10
  EXPECT_DOUBLE_EQ(quantile(draws, 1.0), 10.0);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(draws), 1.4826);  // distances 0 1 1 2 7
  EXPECT_TRUE(std::isnan(sd(ChainDraws({values.data(), 1}, 1))));
}

TEST(Describe, refuses_what_is_no_probability) {
  const std::vector<double> values{1, 2};
  for (const double p : {-0.1, 1.1, nan}) EXPECT_THROW((void)quantile(ChainDraws(values, 1), p), InputError);
}

TEST(Describe, lets_infinities_and_nans_through) {
  const std::vector<double> with_infinity{1, infinity, 2, infinity};
  const ChainDraws some_infinite(with_infinity, 1);
  EXPECT_EQ(mean(some_infinite), infinity);
  EXPECT_TRUE(std::isnan(sd(some_infinite)));
  EXPECT_EQ(quantile(some_infinite, 0.0), 1.0);
  EXPECT_EQ(quantile(some_infinite, 0.9), infinity);  // between two infinities
  const std::vector<double> with_nan{1, nan, 2};
  const ChainDraws some_nan(with_nan, 1);
  EXPECT_TRUE(std::isnan(mean(some_nan)));
  EXPECT_TRUE(std::isnan(sd(some_nan)));
  EXPECT_TRUE(std::isnan(quantile(some_nan, 0.5)));
  EXPECT_TRUE(std::isnan(median_absolute_deviation(some_nan)));
}

/// The sum has 53 bits for 10¹⁵, so that each of a million additions is off by up to 0.06.
TEST(Describe, a_distant_mean_costs_no_digits) {
  constexpr double base = 1e9 + 0.1;
  std::vector<double> values(1'000'000, base);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] += 1.0;
  EXPECT_NEAR(mean(ChainDraws(values, 4)), base + 0.5, 1.2e-7);  // the last digit of base itself
  EXPECT_NEAR(sd(ChainDraws(values, 4)), 0.5 * std::sqrt(1e6 / (1e6 - 1.0)), 1e-9);
}

}  // namespace
}  // namespace darboux

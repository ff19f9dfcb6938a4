#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/diagnose/summary.hpp>
#include <limits>

#include "darboux/diagnose/rhat.hpp"
#include "diagnose/describe.hpp"
#include "diagnose/mcse.hpp"
#include "reference_arrays.hpp"

namespace darboux {
namespace {

using testing::autoregression;
using testing::Draws;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_same(double one, double other) {
  if (std::isnan(other))
    EXPECT_TRUE(std::isnan(one)) << one;
  else
    EXPECT_EQ(one, other);
}

/// Sharing work changes nothing, not even the last bit.
void expect_row_of(const ChainDraws& draws, EssLimit limit) {
  const Summary row = summarise(draws, limit);
  expect_same(row.mean, mean(draws));
  expect_same(row.mcse_mean, mcse_mean(draws, limit));
  expect_same(row.sd, sd(draws));
  expect_same(row.q5, quantile(draws, 0.05));
  expect_same(row.median, quantile(draws, 0.5));
  expect_same(row.q95, quantile(draws, 0.95));
  expect_same(row.ess_bulk, ess_bulk(draws, limit));
  expect_same(row.ess_tail, ess_tail(draws, limit));
  expect_same(row.rhat, rhat(draws));
}

TEST(Summary, is_the_functions_of_the_same_names) {
  for (const auto limit : {EssLimit::antithetic, EssLimit::draws}) {
    for (std::size_t length = 0; length < 20; ++length)
      for (const std::size_t chains : {1U, 2U, 5U}) expect_row_of(autoregression(length, chains, 0.3).view(), limit);
    for (const double phi : {-0.8, 0.0, 0.9}) {
      const Draws draws = autoregression(301, 3, phi);
      expect_row_of(draws.view(), limit);
      expect_row_of(draws.map(testing::to_quarters).view(), limit);
      expect_row_of(draws.map([](double x) { return x < 0.0 ? 0.0 : 1.0; }).view(), limit);
    }
  }
}

TEST(Summary, of_a_constant_describes_it_and_diagnoses_nothing) {
  const Draws draws = autoregression(100, 4, 0.5).map([](double) { return 2.5; });
  const Summary row = summarise(draws.view());
  EXPECT_EQ(row.mean, 2.5);
  EXPECT_EQ(row.sd, 0.0);
  for (const double q : {row.q5, row.median, row.q95}) EXPECT_EQ(q, 2.5);
  for (const double value : {row.mcse_mean, row.ess_bulk, row.ess_tail, row.rhat}) EXPECT_TRUE(std::isnan(value));
}

TEST(Summary, of_draws_that_are_not_finite_diagnoses_nothing) {
  Draws draws = autoregression(100, 4, 0.5);
  draws.at(3, 1) = infinity;
  const Summary with_infinity = summarise(draws.view());
  EXPECT_EQ(with_infinity.mean, infinity);
  EXPECT_TRUE(std::isfinite(with_infinity.q95));
  draws.at(3, 1) = nan;
  const Summary with_nan = summarise(draws.view());
  for (const double value : {with_nan.mean, with_nan.sd, with_nan.q5, with_nan.median, with_nan.q95})
    EXPECT_TRUE(std::isnan(value));
  for (const Summary& row : {with_infinity, with_nan})
    for (const double value : {row.mcse_mean, row.ess_bulk, row.ess_tail, row.rhat}) EXPECT_TRUE(std::isnan(value));
}

TEST(Summary, has_the_quantiles_that_are_asked_for_in_their_order) {
  const Draws draws = autoregression(201, 3, 0.5);
  const Summary row = summarise(draws.view(), EssLimit::antithetic, {.quantiles = {0.975, 0.0, 0.3, 1.0}});
  ASSERT_EQ(row.quantiles.size(), 4U);
  const std::vector<double> wanted{0.975, 0.0, 0.3, 1.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(row.quantiles[i], quantile(draws.view(), wanted[i]));
  EXPECT_TRUE(summarise(draws.view()).quantiles.empty());
  EXPECT_TRUE(std::isnan(summarise(draws.view()).hdi_low)) << "nobody asked";
}

/// All intervals from one draw to another, by brute force.
TEST(Summary, densest_interval_is_the_narrowest_with_so_many_draws) {
  for (const double share : {0.1, 0.5, 0.8, 0.95})
    for (const double phi : {0.0, 0.9}) {
      const Draws draws = autoregression(97, 2, phi).map([](double x) { return std::exp(2.0 * x); });
      std::vector<double> ordered = draws.values;
      std::sort(ordered.begin(), ordered.end());
      const auto apart = static_cast<std::size_t>(share * 194.0);
      double narrowest = infinity;
      for (std::size_t i = 0; i + apart < ordered.size(); ++i)
        narrowest = std::min(narrowest, ordered[i + apart] - ordered[i]);
      const Summary row = summarise(draws.view(), EssLimit::antithetic, {.hdi = share});
      EXPECT_EQ(row.hdi_high - row.hdi_low, narrowest);
      const auto within = std::count_if(ordered.begin(), ordered.end(),
                                        [&](double x) { return x >= row.hdi_low && x <= row.hdi_high; });
      EXPECT_EQ(within, static_cast<std::ptrdiff_t>(apart) + 1);
    }
}

/// Of exponential draws it begins at zero: exp(-x) falls, so the narrowest interval with a share p is from 0 to −log(1 − p).
TEST(Summary, densest_interval_of_exponential_draws_begins_at_zero) {
  const std::size_t n = 20'000;
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(-std::log1p(-(static_cast<double>((i * 7919) % n) + 0.5) / static_cast<double>(n)));
  const Summary row = summarise(ChainDraws(values, 4), EssLimit::antithetic, {.hdi = 0.9});
  EXPECT_NEAR(row.hdi_low, 0.0, 1e-4);
  EXPECT_NEAR(row.hdi_high, -std::log(0.1), 1e-3);
}

TEST(Summary, counts_draws_above_zero) {
  for (const double shift : {-2.0, -0.1, 0.0, 0.2, 2.0}) {
    const Draws draws = autoregression(101, 4, 0.3).map([=](double x) { return x + shift; });
    const auto above = std::count_if(draws.values.begin(), draws.values.end(), [](double x) { return x > 0.0; });
    EXPECT_EQ(summarise(draws.view()).above_zero, static_cast<double>(above) / 404.0);
  }
  EXPECT_EQ(summarise(autoregression(10, 2, 0.0).map([](double) { return 0.0; }).view()).above_zero, 0.0);
  Draws broken = autoregression(10, 2, 0.0);
  broken.at(1, 1) = nan;
  EXPECT_TRUE(std::isnan(summarise(broken.view()).above_zero));
}

TEST(Summary, refuses_what_is_no_probability) {
  EXPECT_NO_THROW(validate({.quantiles = {0.0, 1.0}, .hdi = 0.5}));
  for (const double bad : {-0.1, 1.5, nan}) EXPECT_THROW(validate({.quantiles = {0.5, bad}}), InputError) << bad;
  for (const double bad : {0.0, 1.0, 95.0, nan}) EXPECT_THROW(validate({.hdi = bad}), InputError) << bad;
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include <cmath>
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

}  // namespace
}  // namespace darboux

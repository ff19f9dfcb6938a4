#include "linalg/autocovariance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <numeric>
#include <vector>

namespace darboux {
namespace {

std::vector<double> noise(std::size_t n, std::uint64_t seed, double offset = 0.0) {
  std::vector<double> x(n);
  RandomStream({.seed = seed}).fill_normal(x);
  for (double& value : x) value += offset;
  return x;
}

/// The definition, as a sum.
std::vector<double> direct(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  std::vector<double> c(x.size(), 0.0);
  for (std::size_t t = 0; t < x.size(); ++t)
    for (std::size_t i = 0; i + t < x.size(); ++i) c[t] += (x[i] - mean) * (x[i + t] - mean) / n;
  return c;
}

TEST(Autocovariance, is_the_direct_sum) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U, 7U, 16U, 17U, 37U, 100U, 257U, 1000U}) {
    const auto x = noise(n, n, 3.0);
    const auto fast = autocovariance(x);
    const auto slow = direct(x);
    ASSERT_EQ(fast.size(), n);
    for (std::size_t t = 0; t < n; ++t) EXPECT_NEAR(fast[t], slow[t], 1e-14) << n << " at lag " << t;
  }
}

TEST(Autocovariance, of_several_series_is_the_mean_each_about_its_own_mean) {
  const auto a = noise(60, 1);
  const auto b = noise(60, 2, 100.0);
  const auto c = noise(60, 3, -7.0);
  const std::vector<std::span<const double>> series{a, b, c};
  const auto mean = Autocovariance(60).mean_over(series);
  const auto ca = direct(a);
  const auto cb = direct(b);
  const auto cc = direct(c);
  for (std::size_t t = 0; t < 60; ++t) EXPECT_NEAR(mean[t], (ca[t] + cb[t] + cc[t]) / 3.0, 1e-12);
}

TEST(Autocovariance, about_a_known_mean_is_about_that) {
  const auto x = noise(60, 1, 3.0);
  const auto c = Autocovariance(60).about(2.0, x);
  for (std::size_t t = 0; t < 60; ++t) {
    double sum = 0.0;
    for (std::size_t i = 0; i + t < 60; ++i) sum += (x[i] - 2.0) * (x[i + t] - 2.0) / 60.0;
    EXPECT_NEAR(c[t], sum, 1e-13) << "at lag " << t;
  }
  EXPECT_THROW((void)Autocovariance(50).about(2.0, x), InputError);
}

TEST(Autocovariance, tables_can_be_used_again) {
  Autocovariance of_fifty(50);
  const auto first = noise(50, 1);
  const auto second = noise(50, 2);
  const std::vector<std::span<const double>> one{first};
  const std::vector<std::span<const double>> other{second};
  const auto before = of_fifty.mean_over(one);
  EXPECT_NE(of_fifty.mean_over(other), before);
  EXPECT_EQ(of_fifty.mean_over(one), before);
}

TEST(Autocovariance, a_constant_has_none) {
  for (const double c : autocovariance(std::vector<double>(33, 0.1))) EXPECT_EQ(c, 0.0);
}

TEST(Autocovariance, a_distant_mean_costs_no_digits_that_the_draws_have) {
  const auto near = autocovariance(noise(1000, 5));
  const auto far = autocovariance(noise(1000, 5, 1e8));  // the draws themselves are rounded to 1.5e-8
  for (std::size_t t = 0; t < near.size(); ++t) EXPECT_NEAR(far[t], near[t], 1e-8);
}

TEST(Autocovariance, says_what_it_cannot_do) {
  EXPECT_TRUE(autocovariance({}).empty());
  Autocovariance of_five(5);
  EXPECT_THROW((void)of_five.mean_over({}), InputError);
  const auto six = noise(6, 1);
  const std::vector<std::span<const double>> wrong{six};
  EXPECT_THROW((void)of_five.mean_over(wrong), InputError);
  EXPECT_THROW(Autocovariance(std::size_t{1} << 29), InputError);
}

}  // namespace
}  // namespace darboux

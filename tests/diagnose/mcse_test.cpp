/// Standard errors must say how wrong estimates are: over many runs, (estimate − truth)/error has mean 0 and variance 1.

#include "diagnose/mcse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "diagnose/describe.hpp"
#include "diagnose/ebfmi.hpp"
#include "diagnose/quantiles.hpp"
#include "reference_arrays.hpp"

namespace darboux {
namespace {

using testing::autoregression;
using testing::Draws;
using testing::gaussian_chains;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Estimate {
  double value;
  double error;
};

constexpr int runs = 800;

/// Correlated normal draws, or a function of them.
void expect_calibrated(const std::function<Estimate(const ChainDraws&)>& estimate, double truth,
                       const std::function<double(double)>& transform) {
  double sum = 0.0;
  double squares = 0.0;
  for (int run = 0; run < runs; ++run) {
    const Draws draws = gaussian_chains(500, 4, 0.6, static_cast<std::uint64_t>(run)).map(transform);
    const auto [value, error] = estimate(draws.view());
    const double z = (value - truth) / error;
    sum += z / runs;
    squares += z * z / runs;
  }
  EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(1.0 / runs));
  EXPECT_NEAR(squares, 1.0, 4.0 * std::sqrt(2.0 / runs));
}

double same(double x) { return x; }
/// Φ(x), uniform on (0, 1): its fourth moment is far from that of a normal.
double uniform(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2.0; }

/// Log-normal: its quantiles p and 1 − p have different errors.
double skewed(double x) { return std::exp(0.5 * x); }

TEST(Mcse, of_the_mean_is_calibrated) {
  const auto estimate = [](const ChainDraws& draws) {
    return Estimate{.value = mean(draws), .error = mcse_mean(draws)};
  };
  expect_calibrated(estimate, 0.0, same);
  expect_calibrated(estimate, 0.5, uniform);
}

TEST(Mcse, of_the_sd_is_calibrated) {
  const auto estimate = [](const ChainDraws& draws) { return Estimate{.value = sd(draws), .error = mcse_sd(draws)}; };
  expect_calibrated(estimate, 1.0, same);
  expect_calibrated(estimate, std::sqrt(1.0 / 12.0), uniform);
}

TEST(Mcse, of_quantiles_is_calibrated) {
  for (const double p : {0.1, 0.5, 0.8}) {
    const auto estimate = [p](const ChainDraws& draws) {
      return Estimate{.value = quantile(draws, p), .error = mcse_quantile(draws, p)};
    };
    expect_calibrated(estimate, skewed(normal_quantile(p)), skewed);
  }
}

TEST(Mcse, is_in_the_unit_of_the_draws) {
  const Draws draws = autoregression(100, 4, 0.7);
  const Draws scaled = draws.map([](double x) { return 8.0 * x; });
  EXPECT_DOUBLE_EQ(mcse_mean(scaled.view()), 8.0 * mcse_mean(draws.view()));
  EXPECT_DOUBLE_EQ(mcse_sd(scaled.view()), 8.0 * mcse_sd(draws.view()));
  EXPECT_DOUBLE_EQ(mcse_quantile(scaled.view(), 0.3), 8.0 * mcse_quantile(draws.view(), 0.3));
}

TEST(Mcse, is_larger_where_the_effective_size_is_limited) {
  const Draws draws = gaussian_chains(500, 4, -0.5, 1);
  EXPECT_DOUBLE_EQ(mcse_mean(draws.view(), EssLimit::draws), sd(draws.view()) / std::sqrt(2000.0));
  EXPECT_LT(mcse_mean(draws.view()), 0.7 * mcse_mean(draws.view(), EssLimit::draws));
}

TEST(Mcse, of_extreme_quantiles_stays_within_the_draws) {
  const Draws draws = autoregression(100, 4, 0.7);
  for (const double p : {0.0, 1.0}) EXPECT_GE(mcse_quantile(draws.view(), p), 0.0);
  EXPECT_THROW((void)mcse_quantile(draws.view(), 1.5), InputError);
}

TEST(Mcse, is_nan_where_it_means_nothing) {
  const Draws constant = autoregression(100, 4, 0.7).map([](double) { return 1.0; });
  const Draws broken = autoregression(100, 4, 0.7).map_chain(1, [](double) { return nan; });
  const Draws brief = autoregression(5, 4, 0.7);
  for (const Draws& each : {constant, broken, brief}) {
    EXPECT_TRUE(std::isnan(mcse_mean(each.view())));
    EXPECT_TRUE(std::isnan(mcse_sd(each.view())));
    EXPECT_TRUE(std::isnan(mcse_quantile(each.view(), 0.5)));
  }
}

/// Independent energies: E (H' − H)² = 2 var. For correlation φ: 2(1 − φ). The error of either is about √(3/n).
TEST(Ebfmi, says_how_far_energies_move) {
  EXPECT_NEAR(ebfmi(gaussian_chains(100'000, 1, 0.0, 1).values), 2.0, 4.0 * 2.0 * std::sqrt(3e-5));
  EXPECT_NEAR(ebfmi(gaussian_chains(100'000, 1, 0.9, 2).values), 0.2, 4.0 * 0.2 * std::sqrt(3e-5 * 19.0));
}

TEST(Ebfmi, is_of_each_chain_by_itself) {
  const Draws energies = gaussian_chains(1000, 2, 0.5, 3).map_chain(1, [](double x) { return 100.0 + 5.0 * x; });
  const auto both = ebfmi(energies.view());
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], ebfmi(energies.view()[0]));
  EXPECT_EQ(both[1], ebfmi(energies.view()[1]));
}

TEST(Ebfmi, is_nan_where_it_means_nothing) {
  for (const std::vector<double>& energies :
       std::vector<std::vector<double>>{{}, {1.0}, {1.0, 1.0, 1.0}, {1.0, nan, 2.0}})
    EXPECT_TRUE(std::isnan(ebfmi(energies)));
  EXPECT_DOUBLE_EQ(ebfmi(std::vector<double>{1.0, 2.0, 4.0}), (1.0 + 4.0) / 2.0 / (7.0 / 3.0));
}

}  // namespace
}  // namespace darboux

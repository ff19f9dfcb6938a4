#include "darboux/diagnose/ess.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/error.hpp>
#include <limits>
#include <numbers>
#include <vector>

#include "diagnose/describe.hpp"
#include "diagnose/mcse.hpp"
#include "reference_arrays.hpp"

namespace darboux {
namespace {

using testing::autoregression;
using testing::Draws;
using testing::gaussian_chains;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

double median_ess(const ChainDraws& draws, EssLimit limit) { return ess_quantile(draws, 0.5, limit); }
const std::vector variants{ess_bulk, ess_tail, ess_mean, ess_sd, ess_unsplit, median_ess};

/// τ summed over a window of M lags has the relative error √(2(2M + 1)/S) (Sokal, "Monte Carlo methods in statistical
/// mechanics", 1997). Geyer's sequence ends about where the correlation sinks into the noise, |φ|^M = 1/√S; a few lags more.
double relative_error(double phi, double size) {
  const double lags = 4.0 + (phi == 0.0 ? 0.0 : 0.5 * std::log(size) / -std::log(std::abs(phi)));
  return std::sqrt(2.0 * (2.0 * lags + 1.0) / size);
}

constexpr std::size_t length = 50'000;
constexpr double size = 4.0 * length;

TEST(Ess, of_independent_draws_is_their_number) {
  const Draws draws = gaussian_chains(length, 4, 0.0, 1);
  for (const auto variant : variants)
    EXPECT_NEAR(variant(draws.view(), EssLimit::antithetic) / size, 1.0, 4.0 * relative_error(0.0, size));
}

class AutoregressiveEss : public ::testing::TestWithParam<double> {};

/// Correlation φ^t: τ = (1 + φ)/(1 − φ). The squares have correlation φ^2t.
TEST_P(AutoregressiveEss, is_what_the_correlation_says) {
  const double phi = GetParam();
  const Draws draws = gaussian_chains(length, 4, phi, 2);
  const double expected = size * (1.0 - phi) / (1.0 + phi);
  const double error = 4.0 * relative_error(phi, size);
  for (const auto variant : {ess_mean, ess_bulk, ess_unsplit})
    EXPECT_NEAR(variant(draws.view(), EssLimit::antithetic) / expected, 1.0, error);
  const double of_squares = size * (1.0 - phi * phi) / (1.0 + phi * phi);
  EXPECT_NEAR(ess_sd(draws.view()) / of_squares, 1.0, 4.0 * relative_error(phi * phi, size));
}

/// Whether x lies below the median has correlation (2/π) asin φ^t.
TEST_P(AutoregressiveEss, of_the_median_is_what_the_correlation_of_signs_says) {
  const double phi = GetParam();
  const Draws draws = gaussian_chains(length, 4, phi, 3);
  double tau = 1.0;
  for (int t = 1; t < 1000; ++t) tau += 4.0 / std::numbers::pi * std::asin(std::pow(phi, t));
  EXPECT_NEAR(ess_quantile(draws.view(), 0.5) * tau / size, 1.0, 4.0 * relative_error(phi, size));
}

INSTANTIATE_TEST_SUITE_P(Correlations, AutoregressiveEss, ::testing::Values(-0.5, 0.3, 0.9, 0.95));

TEST(Ess, of_anticorrelated_draws_may_exceed_their_number_but_need_not) {
  const Draws draws = autoregression(2500, 4, -0.9);
  EXPECT_DOUBLE_EQ(ess_mean(draws.view()), 1e4 * std::log10(1e4));
  EXPECT_EQ(ess_mean(draws.view(), EssLimit::draws), 1e4);
  const Draws milder = gaussian_chains(2500, 4, -0.3, 1);
  EXPECT_GT(ess_bulk(milder.view()), 1.4e4);
  for (const auto variant : variants) EXPECT_LE(variant(milder.view(), EssLimit::draws), 1e4);
}

/// Then 1 + ρ₁ is 0 but for the bias of its estimate, and no pair is left to add up: the mean of an even number of draws is exact.
TEST(Ess, of_draws_that_alternate_is_at_its_limit) {
  Draws draws = autoregression(100, 4, 0.0);
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t i = 0; i < 100; ++i) draws.at(i, c) = i % 2 == 0 ? 1.0 : -1.0;
  EXPECT_DOUBLE_EQ(ess_mean(draws.view()), 400.0 * std::log10(400.0));
  EXPECT_EQ(ess_mean(draws.view(), EssLimit::draws), 400.0);
}

TEST(Ess, limit_leaves_correlated_draws_alone) {
  const Draws draws = gaussian_chains(500, 4, 0.8, 1);
  for (const auto variant : variants)
    EXPECT_EQ(variant(draws.view(), EssLimit::draws), variant(draws.view(), EssLimit::antithetic));
}

TEST(Ess, of_ranks_is_the_same_for_any_increasing_function_of_the_draws) {
  const Draws draws = autoregression(101, 3, 0.7);
  const Draws cubes = draws.map([](double x) { return x * x * x; });
  EXPECT_EQ(ess_bulk(draws.map([](double x) { return std::exp(3.0 * x); }).view()), ess_bulk(draws.view()));
  EXPECT_EQ(ess_bulk(cubes.view()), ess_bulk(draws.view()));
  EXPECT_NE(ess_mean(cubes.view()), ess_mean(draws.view()));
}

TEST(Ess, does_not_depend_on_the_unit) {
  const Draws draws = autoregression(100, 4, 0.7);
  for (const double scale : {-1.0, 1024.0, 0x1p-70, 0x1p70, 0x1p-600, 0x1p600, 0x1p1015}) {
    const Draws scaled = draws.map([scale](double x) { return scale * x; });
    for (const auto variant : {ess_bulk, ess_mean, ess_sd, ess_unsplit})
      EXPECT_NEAR(variant(scaled.view(), EssLimit::antithetic), variant(draws.view(), EssLimit::antithetic), 1e-9);
    EXPECT_NEAR(sd(scaled.view()) / std::abs(scale), sd(draws.view()), 1e-12);
    EXPECT_NEAR(mcse_sd(scaled.view()) / std::abs(scale), mcse_sd(draws.view()), 1e-12);
    EXPECT_NEAR(mean(scaled.view()) / scale, mean(draws.view()), 1e-12);
  }
}

TEST(Ess, does_not_depend_on_the_order_of_chains_nor_on_the_direction_of_time) {
  const Draws draws = autoregression(100, 4, 0.7);
  const ChainDraws view = draws.view();
  const ChainDraws permuted({view[2], view[0], view[3], view[1]});
  Draws backwards = draws;
  std::reverse(backwards.values.begin(), backwards.values.end());
  for (const auto variant : variants) {
    const double expected = variant(view, EssLimit::antithetic);
    EXPECT_NEAR(variant(permuted, EssLimit::antithetic), expected, 1e-10 * expected);
    EXPECT_NEAR(variant(backwards.view(), EssLimit::antithetic), expected, 1e-10 * expected);
  }
}

/// 4 chains that disagree are worth a few draws, however long they are.
TEST(Ess, of_chains_at_different_places_is_small) {
  Draws draws = gaussian_chains(5000, 4, 0.0, 7);
  for (std::size_t c = 0; c < 4; ++c)
    draws = draws.map_chain(c, [c](double x) { return x + 10.0 * static_cast<double>(c); });
  EXPECT_LT(ess_bulk(draws.view()), 10.0);
  EXPECT_LT(ess_mean(draws.view()), 10.0);
}

TEST(Ess, of_a_drifting_chain_is_small) {
  Draws draws = gaussian_chains(5000, 1, 0.0, 8);
  for (std::size_t i = 0; i < 5000; ++i) draws.at(i, 0) += 0.002 * static_cast<double>(i);
  EXPECT_LT(ess_bulk(draws.view()), 10.0);
}

TEST(Ess, of_extreme_quantiles_is_as_posterior_has_it) {
  const Draws draws = autoregression(12, 2, 0.5);
  EXPECT_NEAR(ess_quantile(draws.view(), 0.0), 33.12506980107854, 1e-11);
  EXPECT_NEAR(ess_quantile(draws.view(), 1.0), 25.41176470588236, 1e-11);
  for (const double p : {-0.1, 1.1, nan}) EXPECT_THROW((void)ess_quantile(draws.view(), p), InputError);
}

TEST(Ess, is_nan_where_it_means_nothing) {
  const Draws draws = autoregression(101, 3, 0.5);
  std::vector<Draws> bad{draws.map([](double) { return 7.0; }), Draws{.values = {}, .chains = 2},
                         autoregression(2, 4, 0.5)};
  for (const double value : {nan, infinity, -infinity}) {
    bad.push_back(draws);
    bad.back().at(50, 1) = value;  // the draw in the middle, which splitting leaves out
    bad.push_back(draws);
    bad.back().at(0, 2) = value;
  }
  for (const Draws& each : bad)
    for (const auto variant : variants) EXPECT_TRUE(std::isnan(variant(each.view(), EssLimit::antithetic)));
  EXPECT_TRUE(std::isnan(ess_mean(autoregression(5, 4, 0.5).view())));
  EXPECT_FALSE(std::isnan(ess_mean(autoregression(6, 4, 0.5).view())));
}

/// x ≤ q is always true where more than 5 % of the draws share the largest value: that tail says nothing.
TEST(Ess, of_a_tail_that_is_one_value_is_nan) {
  const Draws flat_above = autoregression(100, 4, 0.7).map([](double x) { return std::min(x, 0.5); });
  EXPECT_TRUE(std::isnan(ess_quantile(flat_above.view(), 0.95)));
  EXPECT_FALSE(std::isnan(ess_quantile(flat_above.view(), 0.05)));
  EXPECT_TRUE(std::isnan(ess_tail(flat_above.view())));
}

}  // namespace
}  // namespace darboux

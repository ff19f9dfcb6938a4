/// Every diagnostic against what R's posterior says of the same arrays.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <darboux/diagnose/summary.hpp>
#include <string>
#include <vector>

#include "darboux/diagnose/rhat.hpp"
#include "diagnose/describe.hpp"
#include "diagnose/ebfmi.hpp"
#include "diagnose/mcse.hpp"
#include "reference_arrays.hpp"
#include "reference_values.hpp"

namespace darboux {
namespace {

using testing::autoregression;
using testing::Draws;
using testing::not_a_number;

/// Relative; NaN agrees with NaN only.
::testing::AssertionResult agree(double ours, double theirs, double tolerance = 1e-9) {
  if (std::isnan(theirs) ? std::isnan(ours) : std::abs(ours - theirs) <= tolerance * std::abs(theirs))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "ours " << std::to_string(ours) << ", theirs " << std::to_string(theirs)
                                       << ", difference " << ours - theirs;
}

class Reference : public ::testing::TestWithParam<testing::Reference> {
 protected:
  testing::Reference expected = GetParam();
  Draws array = testing::reference_array(expected.array);
  ChainDraws draws = array.view();
};

TEST_P(Reference, describes_as_posterior_does) {
  EXPECT_TRUE(agree(mean(draws), expected.mean));
  EXPECT_TRUE(agree(sd(draws), expected.sd));
  EXPECT_TRUE(agree(quantile(draws, 0.05), expected.q5));
  EXPECT_TRUE(agree(quantile(draws, 0.5), expected.median));
  EXPECT_TRUE(agree(quantile(draws, 0.95), expected.q95));
  EXPECT_TRUE(agree(median_absolute_deviation(draws), expected.median_absolute_deviation));
}

TEST_P(Reference, rhat_as_posterior_has_it) {
  EXPECT_TRUE(agree(rhat(draws), expected.rhat));
  EXPECT_TRUE(agree(rhat_bulk(draws), expected.rhat_bulk));
  EXPECT_TRUE(agree(rhat_folded(draws), expected.rhat_folded));
  EXPECT_TRUE(agree(rhat_split(draws), expected.rhat_split));
  EXPECT_TRUE(agree(rhat_1992(draws), expected.rhat_1992));
}

TEST_P(Reference, effective_sizes_as_posterior_has_them) {
  EXPECT_TRUE(agree(ess_bulk(draws), expected.ess_bulk));
  EXPECT_TRUE(agree(ess_tail(draws), expected.ess_tail));
  EXPECT_TRUE(agree(ess_quantile(draws, 0.05), expected.ess_q5));
  EXPECT_TRUE(agree(ess_quantile(draws, 0.5), expected.ess_median));
  EXPECT_TRUE(agree(ess_quantile(draws, 0.95), expected.ess_q95));
  EXPECT_TRUE(agree(ess_mean(draws), expected.ess_mean));
  EXPECT_TRUE(agree(ess_unsplit(draws), expected.ess_unsplit));
  EXPECT_TRUE(agree(ess_sd(draws), expected.ess_sd));
  // what posterior 1.4 used for the standard deviation
  const double centre = mean(draws);
  const Draws deviations = array.map([centre](double x) { return std::abs(x - centre); });
  EXPECT_TRUE(agree(ess_mean(deviations.view()), expected.ess_of_absolute_deviation));
}

TEST_P(Reference, standard_errors_as_posterior_has_them) {
  EXPECT_TRUE(agree(mcse_mean(draws), expected.mcse_mean));
  EXPECT_TRUE(agree(mcse_sd(draws), expected.mcse_sd));
  EXPECT_TRUE(agree(mcse_quantile(draws, 0.05), expected.mcse_q5));
  EXPECT_TRUE(agree(mcse_quantile(draws, 0.5), expected.mcse_median));
  EXPECT_TRUE(agree(mcse_quantile(draws, 0.95), expected.mcse_q95));
}

TEST_P(Reference, summary_has_the_same_numbers) {
  const Summary row = summarise(draws);
  EXPECT_TRUE(agree(row.mean, expected.mean));
  EXPECT_TRUE(agree(row.mcse_mean, expected.mcse_mean));
  EXPECT_TRUE(agree(row.sd, expected.sd));
  EXPECT_TRUE(agree(row.q5, expected.q5));
  EXPECT_TRUE(agree(row.median, expected.median));
  EXPECT_TRUE(agree(row.q95, expected.q95));
  EXPECT_TRUE(agree(row.ess_bulk, expected.ess_bulk));
  EXPECT_TRUE(agree(row.ess_tail, expected.ess_tail));
  EXPECT_TRUE(agree(row.rhat, expected.rhat));
}

INSTANTIATE_TEST_SUITE_P(Arrays, Reference, ::testing::ValuesIn(testing::references),
                         [](const auto& instance) { return std::string(instance.param.array); });

TEST(ReferenceArrays, generator_is_the_stated_one) {
  EXPECT_DOUBLE_EQ(autoregression(1, 1, 0.7).values[0], -0.49188405507797567);
}

/// Beyond the table: short and odd chains, ties, chains that stand still. Values of posterior 1.4.0.
struct Case {
  std::string name;
  Draws draws;
  /// rhat, ess_bulk, ess_tail, ess_mean, mcse_mean, mcse of the median
  std::array<double, 6> values;
};

std::vector<Case> more_cases() {
  const double nan = not_a_number;
  const Draws a = autoregression(100, 4, 0.7);
  const auto constant = [](double value) { return [value](double) { return value; }; };
  Draws outlier = autoregression(21, 5, 0.2);
  for (std::size_t c = 0; c < 5; ++c) outlier.at(10, c) = 100.0;
  return {
      {.name = "one_draw", .draws = autoregression(1, 2, 0.5), .values = {nan, nan, nan, nan, nan, nan}},
      {.name = "four", .draws = autoregression(4, 2, 0.5), .values = {1.535501476356765, nan, nan, nan, nan, nan}},
      {.name = "five", .draws = autoregression(5, 2, 0.5), .values = {1.8602846212027, nan, nan, nan, nan, nan}},
      {.name = "seven",
       .draws = autoregression(7, 2, 0.5),
       .values = {1.094332692956995, 6, 6, 6, 0.0891900702588783, 0.1831520143294018}},
      {.name = "eleven",
       .draws = autoregression(11, 2, 0.5),
       .values = {1.114880866159692, 10, 10, 10, 0.1004022113084249, 0.1769985677407233}},
      {.name = "twelve",
       .draws = autoregression(12, 2, 0.5),
       .values = {1.152030440622003, 11.67086243998251, 33.12506980107854, 10.39193719079659, 0.1064618807072193,
                  0.117509490408488}},
      {.name = "thirteen",
       .draws = autoregression(13, 2, 0.5),
       .values = {1.186169333336942, 11.35562182433619, 29.14285714285715, 9.687170623264894, 0.1104594640549676,
                  0.1455340235247726}},
      {.name = "one_chain_of_thirteen",
       .draws = autoregression(13, 1, 0.5),
       .values = {1.58352467621767, 4.304581415098742, 12.70588235294118, 4.278688566206275, 0.1422025388224723,
                  0.2650909457627009}},
      {.name = "one_constant_chain",
       .draws = a.map_chain(1, constant(0.25)),
       .values = {1.138445575269356, 27.23995190577483, 67.8138834173204, 27.64244393193195, 0.07865366912725379,
                  0.1597887594238426}},
      {.name = "one_constant_chain_elsewhere",
       .draws = a.map_chain(0, constant(5.0)),
       .values = {1.58928257771921, 7.359706701858918, nan, 4.473477475326397, 1.046647996559429, 0.2865291603197672}},
      {.name = "two_values",
       .draws = a.map([](double x) { return x > 0.0 ? 1.0 : 0.0; }),
       .values = {1.027440295902315, 87.95045020946532, nan, 87.9504502094653, 0.0533151911828279, 0.5}},
      {.name = "one_value_nearly_always",
       .draws = a.map([](double x) { return x > -0.7 ? 1.0 : 0.0; }),
       .values = {1.016843985210179, 150.4419975712183, nan, 150.4419975712183, 0.02048025259743241, nan}},
      {.name = "odd_with_ties",
       .draws = autoregression(101, 3, 0.7).map(testing::to_quarters),
       .values = {1.024682309083108, 53.55494914278296, 51.1323627142769, 53.4712456486798, 0.06446556718505278,
                  0.125}},
      {.name = "outliers_in_the_middle",
       .draws = outlier,
       .values = {1.051038003787038, 72.45074597478114, 125, 74.90707861046869, 2.473216378638097,
                  0.02971768668656783}},
      {.name = "long_and_correlated",
       .draws = autoregression(2501, 4, 0.8),
       .values = {1.005779266971143, 892.1819911494186, 2377.564592386821, 891.8949421599985, 0.01625325609319523,
                  0.01819923845412325}},
      {.name = "long_and_anticorrelated",
       .draws = autoregression(2501, 4, -0.9),
       .values = {1.001317808380287, 40000, 3438.608931824575, 40000, 0.003235771585805862, 0.004169785534973701}},
  };
}

class MoreReference : public ::testing::TestWithParam<Case> {};

TEST_P(MoreReference, agrees_with_posterior) {
  const auto& [name, array, values] = GetParam();
  const auto [rhat_, ess_bulk_, ess_tail_, ess_mean_, mcse_mean_, mcse_median_] = values;
  const ChainDraws draws = array.view();
  const Summary row = summarise(draws);
  for (const double ours : {rhat(draws), row.rhat}) EXPECT_TRUE(agree(ours, rhat_));
  for (const double ours : {ess_bulk(draws), row.ess_bulk}) EXPECT_TRUE(agree(ours, ess_bulk_));
  for (const double ours : {ess_tail(draws), row.ess_tail}) EXPECT_TRUE(agree(ours, ess_tail_));
  EXPECT_TRUE(agree(ess_mean(draws), ess_mean_));
  for (const double ours : {mcse_mean(draws), row.mcse_mean}) EXPECT_TRUE(agree(ours, mcse_mean_));
  EXPECT_TRUE(agree(mcse_quantile(draws, 0.5), mcse_median_));
}

INSTANTIATE_TEST_SUITE_P(Cases, MoreReference, ::testing::ValuesIn(more_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Ebfmi, agrees_with_arviz) {
  const Draws energies = autoregression(100, 2, 0.7).map([](double x) { return x + 5.0; });
  const auto result = ebfmi(energies.view());
  ASSERT_EQ(result.size(), 2U);
  EXPECT_TRUE(agree(result[0], 0.5429217018334519, 1e-13));
  EXPECT_TRUE(agree(result[1], 0.4432178257806945, 1e-13));
}

}  // namespace
}  // namespace darboux

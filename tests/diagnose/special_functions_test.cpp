/// Φ⁻¹ and the beta distribution against values computed with 40 digits (mpmath), and against what they must satisfy.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "diagnose/beta_distribution.hpp"
#include "diagnose/normal_quantile.hpp"

namespace darboux {
namespace {

/// p and Φ⁻¹(p).
using NormalPoint = std::array<double, 2>;

/// On both sides of the borders between the three approximations, 0.075 and exp(−25), and to both ends of the range.
constexpr std::array normal_points{NormalPoint{5e-324, -38.467405617144346251},
                                   NormalPoint{1e-300, -37.047096299361199237},
                                   NormalPoint{1e-100, -21.273453560965324294},
                                   NormalPoint{1e-20, -9.2623400897984075796},
                                   NormalPoint{1.3887943864964021e-11, -6.6579046435011035837},
                                   NormalPoint{1.4e-11, -6.6567230915181836356},
                                   NormalPoint{1e-10, -6.3613409024040561991},
                                   NormalPoint{1e-05, -4.2648907939228246102},
                                   NormalPoint{0.001, -3.0902323061678135354},
                                   NormalPoint{0.025, -1.9599639845400542118},
                                   NormalPoint{0.05, -1.644853626951472688},
                                   NormalPoint{0.07499999999999998, -1.439531470938456033},
                                   NormalPoint{0.075, -1.4395314709384559349},
                                   NormalPoint{0.0751, -1.4388253927525399824},
                                   NormalPoint{0.1, -1.2815515655446004353},
                                   NormalPoint{0.2, -0.84162123357291416552},
                                   NormalPoint{0.3, -0.52440051270804081597},
                                   NormalPoint{0.45, -0.12566134685507400616},
                                   NormalPoint{0.49, -0.025068908258711058033},
                                   NormalPoint{0.4999999, -2.5066282747031065135e-7},
                                   NormalPoint{0.5, 0.0},
                                   NormalPoint{0.50000000000001, 2.50462478220459023e-14},
                                   NormalPoint{0.6, 0.25334710313579974132},
                                   NormalPoint{0.9, 1.2815515655446005935},
                                   NormalPoint{0.92500001, 1.4395315415821679347},
                                   NormalPoint{0.95, 1.6448536269514722843},
                                   NormalPoint{0.975, 1.9599639845400538556},
                                   NormalPoint{0.9999, 3.7190164854557083867},
                                   NormalPoint{0.999999999, 5.9978070196016374264},
                                   NormalPoint{0.9999999999999999, 8.2095361516013868556}};

TEST(NormalQuantile, is_right_to_the_last_digits) {
  for (const auto& [p, z] : normal_points) EXPECT_LE(std::abs(normal_quantile(p) - z), 1e-15 * std::abs(z)) << p;
}

/// Everywhere, not only at chosen points: Φ(z) = erfc(−z/√2)/2 leads back. An error δ of z shows up as z δ in log p, and
/// erfc itself is good to a few units in the last place.
TEST(NormalQuantile, is_the_inverse_of_the_distribution_function) {
  for (double exponent = -700.0; exponent < -0.69; exponent += 0.37) {
    const double p = std::exp(exponent);
    const double z = normal_quantile(p);
    const double back = std::erfc(-z / std::numbers::sqrt2) / 2.0;
    EXPECT_LE(std::abs(back / p - 1.0), 1e-15 * (4.0 + 2.0 * z * z)) << p;
  }
}

TEST(NormalQuantile, is_odd_about_one_half) {
  for (int k = 1; k < 512; ++k) EXPECT_EQ(normal_quantile(k / 1024.0), -normal_quantile(1.0 - k / 1024.0));
}

TEST(NormalQuantile, ends_are_infinite_and_nothing_lies_beyond) {
  EXPECT_EQ(normal_quantile(0.0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1.0), std::numeric_limits<double>::infinity());
  for (const double p : {-1e-9, 1.0 + 1e-9, std::nan("")}) EXPECT_TRUE(std::isnan(normal_quantile(p)));
}

/// x, a, b and I_x(a, b).
using BetaPoint = std::array<double, 4>;

TEST(BetaDistribution, distribution_function_is_right) {
  constexpr std::array points{BetaPoint{0.3, 1.0, 1.0, 0.2999999999999999889},
                              BetaPoint{0.2, 2.0, 3.0, 0.18080000000000001705},
                              BetaPoint{0.9, 2.0, 3.0, 0.9963000000000000024},
                              BetaPoint{0.01, 5.0, 1.0, 1.0000000000000001041e-10},
                              BetaPoint{0.5, 0.5, 0.5, 0.5},
                              BetaPoint{1e-4, 3.25, 8.5, 1.8680779459839639354e-11},
                              BetaPoint{0.7, 12.5, 0.25, 0.0010549371152595806529},
                              BetaPoint{0.04, 6.0, 96.0, 0.21800556774936183286},
                              BetaPoint{0.05, 51.0, 951.0, 0.46536035838427779449},
                              BetaPoint{0.0623, 501.0, 9501.0, 0.99999991709860644501},
                              BetaPoint{0.5, 5e5, 5e5, 0.5},
                              BetaPoint{0.4996, 1e6, 1e6, 0.12894950931635023202},
                              BetaPoint{0.95001, 5.7e6, 3e5, 0.54452305325873219453},
                              BetaPoint{0.0501, 500001.0, 9500001.0, 0.92635453539105744174}};
  for (const auto& [x, a, b, p] : points)
    EXPECT_LE(std::abs(beta_cdf(x, a, b) - p), (a + b < 1e5 ? 1e-14 : 1e-12) * p) << x << " " << a << " " << b;
}

TEST(BetaDistribution, integer_parameters_give_sums_of_binomials) {
  // I_x(a, b) is the probability of at least a successes in a + b − 1 trials.
  for (const int a : {1, 2, 5, 9}) {
    for (const double x : {0.05, 0.4, 0.8}) {
      double sum = 0.0;
      for (int k = a; k <= 10; ++k)
        sum += std::exp(std::lgamma(11.0) - std::lgamma(k + 1.0) - std::lgamma(11.0 - k)) * std::pow(x, k) *
               std::pow(1.0 - x, 10 - k);
      EXPECT_NEAR(beta_cdf(x, a, 11.0 - a), sum, 1e-13 * sum);
    }
  }
}

TEST(BetaDistribution, quantile_is_right) {
  constexpr std::array points{BetaPoint{0.15865529999999999911, 1.0, 1.0, 0.1586553},
                              BetaPoint{0.28446957300429176096, 1.0, 5.5, 0.8413447},
                              BetaPoint{0.6764123854653488906, 4.0, 4.0, 0.8413447},
                              BetaPoint{0.036438792765160051341, 6.5, 105.5, 0.1586553},
                              BetaPoint{0.079676350846098140549, 6.5, 105.5, 0.8413447},
                              BetaPoint{0.049993443893693817142, 2501.0, 48501.0, 0.8413447},
                              BetaPoint{0.49950000059519361659, 500001.0, 500001.0, 0.1586553},
                              BetaPoint{0.050089125704562767465, 300001.0, 5700001.0, 0.8413447},
                              BetaPoint{0.0022912212217033109293, 3.0, 7.0, 1e-6},
                              BetaPoint{0.99959844468572586498, 30.0, 1.5, 0.999}};
  for (const auto& [x, a, b, p] : points)
    EXPECT_LE(std::abs(beta_quantile(p, a, b) - x), 2e-15 * x) << p << " " << a << " " << b;
}

TEST(BetaDistribution, quantile_undoes_the_distribution_function) {
  for (const double a : {1.0, 1.5, 20.0, 3000.0})
    for (const double b : {1.0, 7.0, 500.0, 1e5})
      for (const double p : {1e-8, 0.01, 0.3, 0.77, 0.9999})
        EXPECT_NEAR(beta_cdf(beta_quantile(p, a, b), a, b), p, 1e-12 * p) << a << " " << b << " " << p;
}

TEST(BetaDistribution, has_ends_and_nothing_beyond) {
  EXPECT_EQ(beta_cdf(0.0, 2.0, 3.0), 0.0);
  EXPECT_EQ(beta_cdf(1.0, 2.0, 3.0), 1.0);
  EXPECT_EQ(beta_quantile(0.0, 2.0, 3.0), 0.0);
  EXPECT_EQ(beta_quantile(1.0, 2.0, 3.0), 1.0);
  EXPECT_TRUE(std::isnan(beta_cdf(-0.1, 2.0, 3.0)));
  EXPECT_TRUE(std::isnan(beta_cdf(0.5, 0.0, 3.0)));
  EXPECT_TRUE(std::isnan(beta_quantile(1.1, 2.0, 3.0)));
  EXPECT_TRUE(std::isnan(beta_quantile(0.5, 2.0, std::nan(""))));
}

}  // namespace
}  // namespace darboux

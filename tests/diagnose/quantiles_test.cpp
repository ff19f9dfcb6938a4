/// Quantiles of distributions against values computed with 40 digits (mpmath), and against what they must satisfy.

#include "diagnose/quantiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace darboux {
namespace {

/// p and Φ⁻¹(p).
using NormalPoint = std::array<double, 2>;

/// To both ends of the range.
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

/// x, a, b and I_x(a, b), the share below x.
using BetaPoint = std::array<double, 4>;

TEST(BetaQuantile, is_right_to_the_last_digits) {
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

TEST(BetaQuantile, undoes_sums_of_binomials) {
  // I_x(a, b) is the probability of at least a successes in a + b − 1 trials.
  for (const int a : {1, 2, 5, 9}) {
    for (const double p : {1e-8, 0.01, 0.3, 0.77, 0.9999}) {
      const double x = beta_quantile(p, a, 11.0 - a);
      double sum = 0.0;
      for (int k = a; k <= 10; ++k)
        sum += std::exp(std::lgamma(11.0) - std::lgamma(k + 1.0) - std::lgamma(11.0 - k)) * std::pow(x, k) *
               std::pow(1.0 - x, 10 - k);
      EXPECT_NEAR(sum, p, 1e-13 * p) << a;
    }
  }
}

/// 1 − X is Beta(b, a). Where x is small, 1 − x has lost digits of it.
TEST(BetaQuantile, shares_above_are_shares_below_with_parameters_exchanged) {
  for (const double a : {1.0, 1.5, 20.0, 3000.0})
    for (const double b : {1.0, 7.0, 500.0, 1e5})
      for (const double p : {0.0625, 0.25, 0.5, 0.875})
        EXPECT_NEAR(1.0 - beta_quantile(1.0 - p, b, a), beta_quantile(p, a, b), 2e-15) << a << " " << b << " " << p;
}

TEST(BetaQuantile, has_ends_and_nothing_beyond) {
  EXPECT_EQ(beta_quantile(0.0, 2.0, 3.0), 0.0);
  EXPECT_EQ(beta_quantile(1.0, 2.0, 3.0), 1.0);
  EXPECT_TRUE(std::isnan(beta_quantile(1.1, 2.0, 3.0)));
  EXPECT_TRUE(std::isnan(beta_quantile(0.5, 0.0, 3.0)));
  EXPECT_TRUE(std::isnan(beta_quantile(0.5, 2.0, std::nan(""))));
}

/// Degrees of freedom and the quantile at 97.5 %.
using StudentPoint = std::array<double, 2>;

TEST(StudentTQuantile, is_right_to_fourteen_digits) {
  constexpr std::array at_975{StudentPoint{1.0, 12.706204736174693314},   StudentPoint{2.0, 4.3026527297494617894},
                              StudentPoint{3.0, 3.1824463052837084359},   StudentPoint{4.0, 2.7764451051977934898},
                              StudentPoint{5.0, 2.5705818356363147828},   StudentPoint{6.0, 2.4469118511449693171},
                              StudentPoint{7.0, 2.3646242515927847379},   StudentPoint{8.0, 2.3060041352041661143},
                              StudentPoint{9.0, 2.2621571627982049992},   StudentPoint{10.0, 2.2281388519862742245},
                              StudentPoint{11.0, 2.2009851600916393594},  StudentPoint{12.0, 2.1788128296672283703},
                              StudentPoint{15.0, 2.1314495455597752123},  StudentPoint{19.0, 2.0930240544083093201},
                              StudentPoint{24.0, 2.0638985616280254157},  StudentPoint{29.0, 2.0452296421327038745},
                              StudentPoint{49.0, 2.0095752371292392671},  StudentPoint{99.0, 1.9842169515864171029},
                              StudentPoint{999.0, 1.9623414611334495975}, StudentPoint{99999.0, 1.9599877077718443991}};
  for (const auto& [freedom, t] : at_975)
    EXPECT_LE(std::abs(student_t_quantile(0.975, freedom) - t), 1e-14 * t) << freedom;
  EXPECT_EQ(student_t_quantile(0.5, 3.0), 0.0);
  EXPECT_EQ(student_t_quantile(0.025, 7.0), -student_t_quantile(0.975, 7.0));
}

/// F(t) = 1/2 + arctan(t)/π for one degree of freedom, and 1/2 + t/(2 √(2 + t²)) for two.
TEST(StudentTQuantile, undoes_closed_forms) {
  for (const double p : {0.001, 0.1, 0.4, 0.6, 0.95, 0.9999}) {
    const double one = student_t_quantile(p, 1.0), two = student_t_quantile(p, 2.0);
    EXPECT_NEAR(0.5 + std::atan(one) / std::numbers::pi, p, 1e-15);
    EXPECT_NEAR(0.5 + two / (2.0 * std::sqrt(2.0 + two * two)), p, 1e-15);
  }
}

TEST(StudentTQuantile, ends_are_infinite_and_nothing_lies_beyond) {
  EXPECT_EQ(student_t_quantile(0.0, 3.0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(student_t_quantile(1.0, 3.0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(student_t_quantile(1.1, 3.0)));
  EXPECT_TRUE(std::isnan(student_t_quantile(0.5, 0.0)));
  EXPECT_TRUE(std::isnan(student_t_quantile(std::nan(""), 3.0)));
}

}  // namespace
}  // namespace darboux

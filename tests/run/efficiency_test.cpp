#include "run/efficiency.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace darboux {
namespace {

/// The logarithms 1, …, n have mean (n + 1)/2 and variance n (n + 1)/12, that of their mean is (n + 1)/12.
TEST(IntervalEstimate, IsStudentsForAnyNumberOfRuns) {
  for (const auto& [n, t] : {std::pair{2, 12.7062047361747},
                             {3, 4.30265272974946},
                             {5, 2.77644510519779},
                             {11, 2.22813885198627},
                             {12, 2.20098516009164},
                             {30, 2.04522964213270},
                             {100, 1.98421695158642}}) {
    std::vector<double> values;
    for (int k = 1; k <= n; ++k) values.push_back(std::exp(k));
    const IntervalEstimate found = interval_of(values);
    const double half = t * std::sqrt((n + 1.0) / 12.0);
    EXPECT_NEAR(std::log(found.center), (n + 1.0) / 2.0, 1e-12) << n;
    EXPECT_NEAR(std::log(found.high / found.center), half, 1e-12) << n;
    EXPECT_NEAR(std::log(found.center / found.low), half, 1e-12) << n;
  }
}

TEST(IntervalEstimate, OfOneRunSaysNothing) {
  const IntervalEstimate found = interval_of({3.0});
  EXPECT_EQ(found.low, 0.0);
  EXPECT_DOUBLE_EQ(found.center, 3.0);
  EXPECT_EQ(found.high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace darboux

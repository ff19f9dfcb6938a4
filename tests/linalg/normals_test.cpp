#include "linalg/normals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/every_cpu.hpp"

namespace darboux {
namespace {

constexpr RandomKey key{.seed = 7, .purpose = Purpose::momentum, .chain = 3, .iteration = 11};

/// The transform is computed another way than RandomStream does it, from the same bits: sines and cosines of a turn are right to
/// rounding here, and there to that of 2π u, 4e-16; radii are below 8.6.
TEST(Normals, AreThoseOfTheStreamButForRounding) {
  testing::on_every_cpu([](CpuKind) {
    for (const Index dim : {1, 2, 3, 15, 16, 17, 405, 20001}) {
      OwnedBatch x(dim, 3);
      mix_with_normals(key, 0.0, 1.0, x, 1);
      RandomStream stream(key);
      for (Index j = 0; j < dim; ++j) {
        const double expected = stream.normal();
        ASSERT_NEAR(x(j, 1), expected, 1e-14) << j << " of " << dim;
      }
    }
  });
}

TEST(Normals, AreMixedWithWhatIsThereInOneLane) {
  testing::on_every_cpu([](CpuKind) {
    OwnedBatch x(5, 4);
    for (Index j = 0; j < 5; ++j)
      for (Index lane = 0; lane < 4; ++lane) x(j, lane) = static_cast<double>(10 * j + lane);
    mix_with_normals(key, 0.25, 0.5, x, 2);
    RandomStream stream(key);
    for (Index j = 0; j < 5; ++j)
      for (Index lane = 0; lane < 4; ++lane) {
        const auto before = static_cast<double>(10 * j + lane);
        if (lane == 2)
          EXPECT_NEAR(x(j, lane), 0.25 * before + 0.5 * stream.normal(), 1e-13);
        else
          EXPECT_EQ(x(j, lane), before);
      }
  });
}

/// A chain's numbers do not depend on how many there are.
TEST(Normals, DoNotDependOnTheDimension) {
  testing::on_every_cpu([](CpuKind) {
    OwnedBatch few(3, 1), many(100, 1);
    mix_with_normals(key, 0.0, 1.0, few, 0);
    mix_with_normals(key, 0.0, 1.0, many, 0);
    for (Index j = 0; j < 3; ++j) EXPECT_EQ(few(j, 0), many(j, 0));
  });
}

}  // namespace
}  // namespace darboux

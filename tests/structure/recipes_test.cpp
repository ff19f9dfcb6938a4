#include <gtest/gtest.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>
#include <limits>

#include "linalg/dense.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::difference;
using testing::mentions;
using testing::message_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RandomSkew, is_M_minus_its_transpose_over_k) {
  const Index n = 6;
  Matrix m(n, n);
  RandomStream({.seed = 11, .purpose = Purpose::structure}).fill_normal({m.data(), static_cast<std::size_t>(n * n)});
  for (const double k : {2.0, 50.0, 0.1})
    EXPECT_LT(difference(random_skew(n, Divisor{k}, 11), (1.0 / k) * (m - m.transposed())), 1e-14 / k) << k;
}

TEST(RandomSkew, is_skew_to_the_last_bit) {
  for (const BlockSize& size : {BlockSize(Divisor{3.0}), BlockSize(SpectralStrength{0.7})}) {
    const Matrix skew = random_skew(9, size, 1);
    EXPECT_EQ(skew, -skew.transposed());
  }
}

TEST(RandomSkew, strength_is_the_spectral_norm) {
  for (const Index n : {2, 3, 10, 41})
    for (const double strength : {0.0, 0.3, 1.0, 25.0}) {
      const Matrix skew = random_skew(n, SpectralStrength{strength}, 2);
      EXPECT_NEAR(spectral_norm(skew), strength, 1e-12 * strength) << n;
    }
}

TEST(RandomSkew, seed_gives_the_same_M_for_every_size) {
  const Matrix by_divisor = random_skew(7, Divisor{2.0}, 3), by_strength = random_skew(7, SpectralStrength{1.0}, 3);
  EXPECT_LT(difference(by_divisor, spectral_norm(by_divisor) * by_strength), 1e-13);
  EXPECT_EQ(random_skew(7, Divisor{2.0}, 3), by_divisor);
  EXPECT_GT(difference(random_skew(7, Divisor{2.0}, 4), by_divisor), 1.0);
}

TEST(RandomSkew, has_the_variance_of_the_recipe) {
  // off the diagonal (M_ij − M_ji)/k has variance 2/k²
  const Index n = 300;
  const Matrix skew = random_skew(n, Divisor{2.0}, 5);
  double sum = 0.0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) sum += skew(i, j) * skew(i, j);
  const double count = 0.5 * static_cast<double>(n * (n - 1));
  EXPECT_NEAR(sum / count, 0.5, 4.0 * 0.5 * std::sqrt(2.0 / count));
}

TEST(RandomSkew, of_size_one_is_zero) {
  EXPECT_EQ(random_skew(1, Divisor{2.0}, 1), Matrix(1, 1));
  EXPECT_EQ(random_skew(1, SpectralStrength{3.0}, 1), Matrix(1, 1));
}

TEST(RandomSkew, refuses_absurd_sizes) {
  for (const double k : {0.0, -1.0, nan, static_cast<double>(INFINITY)}) {
    const auto message = message_of<StructureError>([&] { (void)random_skew(3, Divisor{k}, 1); });
    EXPECT_TRUE(mentions(message, {"k = ", "finite and positive"}));
  }
  EXPECT_TRUE(mentions(message_of<StructureError>([] { (void)random_skew(3, Divisor{-1.5}, 1); }), {"k = -1.5"}));
  for (const double strength : {-0.1, nan, static_cast<double>(INFINITY)}) {
    const auto message = message_of<StructureError>([&] { (void)random_skew(3, SpectralStrength{strength}, 1); });
    EXPECT_TRUE(mentions(message, {"strength = ", "finite and not negative"}));
  }
  EXPECT_TRUE(mentions(message_of<StructureError>([] { (void)random_skew(0, Divisor{}, 1); }),
                       {"dimension", "at least 1", "not 0"}));
}

TEST(Recipes, have_the_blocks_of_their_names) {
  const RecipeOptions options{.size = SpectralStrength{0.5}, .seed = 4, .A = {}};
  const auto H = StructuredMatrix::from(random_skew(5, options.size, options.seed));
  const auto zero = StructuredMatrix::zero(5), identity = StructuredMatrix::identity(5);
  EXPECT_EQ(make_structure(Recipe::canonical, 5, options), PoissonStructure::canonical(5));
  EXPECT_EQ(make_structure(Recipe::magnetic_position, 5, options), PoissonStructure::from_blocks(zero, identity, H));
  EXPECT_EQ(make_structure(Recipe::magnetic_momentum, 5, options), PoissonStructure::from_blocks(H, identity, zero));
  EXPECT_EQ(make_structure(Recipe::coupled, 5, options), PoissonStructure::from_blocks(H, identity, H));
}

TEST(Recipes, default_to_the_divisor_2) {
  EXPECT_EQ(make_structure(Recipe::magnetic_position, 4).G().matrix(), random_skew(4, Divisor{2.0}, 0));
}

TEST(Recipes, take_a_block_A) {
  const auto A = StructuredMatrix::diagonal({2, 3, 4});
  for (const Recipe recipe : {Recipe::canonical, Recipe::magnetic_position, Recipe::magnetic_momentum, Recipe::coupled})
    EXPECT_EQ(make_structure(recipe, 3, {.size = Divisor{}, .seed = 1, .A = A}).A(), A);
  const auto message = message_of<StructureError>(
      [&] { (void)make_structure(Recipe::coupled, 4, {.size = Divisor{}, .seed = 1, .A = A}); });
  EXPECT_TRUE(mentions(message, {"same size", "4 x 4, 3 x 3 and 4 x 4"}));
}

TEST(Recipes, check_the_size_even_where_it_is_not_used) {
  EXPECT_THROW((void)make_structure(Recipe::canonical, 3, {.size = Divisor{nan}, .seed = 0, .A = {}}), StructureError);
  EXPECT_THROW((void)make_structure(Recipe::canonical, 0), StructureError);
}

TEST(Recipes, have_names_that_read_back) {
  for (const Recipe recipe : all_values<Recipe>()) EXPECT_EQ(from_name<Recipe>("recipe", name(recipe)), recipe);
  EXPECT_EQ(name(Recipe::magnetic_position), "magnetic-position");
  const auto message = message_of<InputError>([] { (void)from_name<Recipe>("recipe", "magnetic_position"); });
  EXPECT_TRUE(mentions(message, {"unknown recipe \"magnetic_position\"", "did you mean \"magnetic-position\"",
                                 "canonical, magnetic-position, magnetic-momentum, coupled"}));
}

TEST(PlaneRotations, turn_each_plane) {
  const Matrix skew = plane_rotations(5, {{0, 3}, {4, 1}}, 2.0);
  Matrix expected(5, 5);
  expected(0, 3) = expected(4, 1) = 2.0;
  expected(3, 0) = expected(1, 4) = -2.0;
  EXPECT_EQ(skew, expected);
  EXPECT_EQ(plane_rotations(2, {}, 1.0), Matrix(2, 2));
}

TEST(PlaneRotations, refuse_what_is_no_plane) {
  const auto refused = [](std::vector<std::pair<Index, Index>> planes, double strength) {
    return message_of<StructureError>([&] { (void)plane_rotations(4, planes, strength); });
  };
  EXPECT_TRUE(mentions(refused({{0, 4}}, 1.0), {"plane (0, 4)", "from 0 to 3"}));
  EXPECT_TRUE(mentions(refused({{-1, 2}}, 1.0), {"plane (-1, 2)", "from 0 to 3"}));
  EXPECT_TRUE(mentions(refused({{2, 2}}, 1.0), {"plane (2, 2)", "two different coordinates"}));
  EXPECT_TRUE(mentions(refused({{0, 1}, {3, 1}}, 1.0), {"plane (3, 1)", "coordinate 1", "another plane"}));
  EXPECT_TRUE(mentions(refused({{0, 1}}, nan), {"strength = nan", "finite"}));
  EXPECT_THROW((void)plane_rotations(0, {}, 1.0), StructureError);
}

}  // namespace
}  // namespace darboux

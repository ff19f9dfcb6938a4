#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <darboux/core/random.hpp>
#include <numbers>
#include <set>
#include <vector>

#include "core/random_words.hpp"

namespace darboux {
namespace {

using Block = std::array<std::uint64_t, 4>;

/// Philox 4×64 with 10 rounds, written from its definition (Salmon, Moraes, Dror and Shaw, 2011): a second opinion.
Block philox(Block counter, std::array<std::uint64_t, 2> key) {
  __extension__ using Wide = unsigned __int128;
  const auto high = [](Wide x) { return static_cast<std::uint64_t>(x >> 64); };
  const auto low = [](Wide x) { return static_cast<std::uint64_t>(x); };
  for (int round = 0; round < 10; ++round) {
    const Wide x = static_cast<Wide>(0xD2E7470EE14C6C93U) * counter[0];
    const Wide y = static_cast<Wide>(0xCA5A826395121157U) * counter[2];
    counter = {high(y) ^ counter[1] ^ key[0], low(y), high(x) ^ counter[3] ^ key[1], low(x)};
    key[0] += 0x9E3779B97F4A7C15U;
    key[1] += 0xBB67AE8584CAA73BU;
  }
  return counter;
}

TEST(Random, reference_gives_the_published_answers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Block{0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU, 0xd7e772cee186176bU, 0x7e68b68aec7ba23bU}));
  EXPECT_EQ(philox({0x243f6a8885a308d3U, 0x13198a2e03707344U, 0xa4093822299f31d0U, 0x082efa98ec4e6c89U},
                   {0x452821e638d01377U, 0xbe5466cf34e90c6cU}),
            (Block{0xa528f45403e61d95U, 0x38c72dbd566e9788U, 0xa5a1610e72fd18b5U, 0x57bd43b5e52b7fe6U}));
}

TEST(Random, first_words_are_those_of_the_stream) {
  const RandomKey key{.seed = 5, .purpose = Purpose::momentum, .chain = 2, .iteration = 9};
  std::array<std::uint64_t, 6> even{}, odd{};
  first_words(key, even, odd);
  RandomStream stream(key);
  for (std::size_t i = 0; i < even.size(); ++i) {
    EXPECT_EQ(even[i], stream.bits());
    EXPECT_EQ(odd[i], stream.bits());
  }
}

TEST(Random, stream_gives_the_published_answer) {
  RandomStream stream({.seed = 0, .purpose = Purpose{0}, .chain = 0, .iteration = 0});
  for (const std::uint64_t word :
       Block{0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU, 0xd7e772cee186176bU, 0x7e68b68aec7ba23bU})
    EXPECT_EQ(stream.bits(), word);
}

TEST(Random, key_and_counter_are_as_documented) {
  const RandomKey key{
      .seed = 0x452821e638d01377U, .purpose = Purpose::direction, .chain = 12, .iteration = 0x13198a2e03707344U};
  RandomStream stream(key);
  for (std::uint64_t block = 0; block < 3; ++block)
    for (const std::uint64_t word : philox({block, key.iteration, 3, 0}, {key.seed, key.chain}))
      EXPECT_EQ(stream.bits(), word);
}

TEST(Random, purposes_have_the_numbers_that_old_seeds_rely_on) {
  const std::array all{Purpose::momentum,
                       Purpose::acceptance,
                       Purpose::direction,
                       Purpose::copy_offset,
                       Purpose::start,
                       Purpose::structure,
                       Purpose::basis,
                       Purpose::data,
                       Purpose::first_direction,
                       Purpose::first_momentum,
                       Purpose::trajectory_length,
                       Purpose::reverse_check,
                       Purpose::tree_direction,
                       Purpose::tree_choice};
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(all[i]), i < 8 ? i + 1 : i + 2) << "9 is free";
}

TEST(Random, distinct_keys_give_distinct_numbers) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint64_t purpose = 1; purpose < 10; ++purpose)
      for (std::uint64_t chain = 0; chain < 8; ++chain)
        for (std::uint64_t iteration = 0; iteration < 20; ++iteration) {
          RandomStream stream({.seed = seed, .purpose = Purpose{purpose}, .chain = chain, .iteration = iteration});
          for (int i = 0; i < 8; ++i, ++count) seen.insert(stream.bits());
        }
  EXPECT_EQ(seen.size(), count);  // a collision of 46080 words of 64 bits has probability 6e-11
}

TEST(Random, same_key_gives_the_same_numbers) {
  const RandomKey key{.seed = 9, .purpose = Purpose::momentum, .chain = 1, .iteration = 5};
  RandomStream one(key), two(key);
  std::vector<double> filled(7);
  two.fill_normal(filled);
  for (const double x : filled) EXPECT_EQ(one.normal(), x);
}

TEST(Random, uniform_is_the_midpoint_of_a_cell) {
  RandomStream bits({.seed = 3}), uniform({.seed = 3});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(uniform.uniform(), (static_cast<double>(bits.bits() >> 12) + 0.5) * 0x1p-52);
  EXPECT_GT((0.0 + 0.5) * 0x1p-52, 0.0);
  EXPECT_LT((static_cast<double>(~std::uint64_t{0} >> 12) + 0.5) * 0x1p-52, 1.0);
}

TEST(Random, uniform_fills_the_open_interval_evenly) {
  constexpr int draws = 1'000'000, cells = 50;
  constexpr double expected = draws / static_cast<double>(cells);
  RandomStream stream({.seed = 4});
  std::array<int, cells> count{};
  for (int i = 0; i < draws; ++i) {
    const double u = stream.uniform();
    ASSERT_GT(u, 0.0);
    ASSERT_LT(u, 1.0);
    ++count[static_cast<std::size_t>(u * cells)];
  }
  double chi_square = 0.0;
  for (const int c : count) chi_square += std::pow(c - expected, 2) / expected;
  // mean 49, standard deviation √98
  EXPECT_NEAR(chi_square, cells - 1, 4.0 * std::sqrt(2.0 * (cells - 1)));
}

class NormalDraws : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 2'000'000;
  static const std::vector<double>& draws() {
    static const std::vector<double> all = [] {
      std::vector<double> x(count);
      RandomStream({.seed = 5, .purpose = Purpose::momentum}).fill_normal(x);
      return x;
    }();
    return all;
  }
  /// (mean of f − expected) in standard errors, `variance` being that of f under the standard normal.
  template <class F>
  static double z_score(F f, double expected, double variance) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += f(i);
    return (sum / count - expected) / std::sqrt(variance / count);
  }
};

TEST_F(NormalDraws, have_the_moments_of_the_standard_normal) {
  const auto power = [](int k) { return [k](std::size_t i) { return std::pow(draws()[i], k); }; };
  EXPECT_LT(std::abs(z_score(power(1), 0.0, 1.0)), 4.0);
  EXPECT_LT(std::abs(z_score(power(2), 1.0, 2.0)), 4.0);
  EXPECT_LT(std::abs(z_score(power(3), 0.0, 15.0)), 4.0);
  EXPECT_LT(std::abs(z_score(power(4), 3.0, 96.0)), 4.0);
}

TEST_F(NormalDraws, have_the_tails_of_the_standard_normal) {
  for (const double limit : {0.5, 1.0, 2.0, 3.0, 4.0}) {
    const double p = 0.5 * std::erfc(limit / std::numbers::sqrt2);
    EXPECT_LT(std::abs(z_score([&](std::size_t i) { return draws()[i] > limit ? 1.0 : 0.0; }, p, p * (1 - p))), 4.0)
        << limit;
    EXPECT_LT(std::abs(z_score([&](std::size_t i) { return draws()[i] < -limit ? 1.0 : 0.0; }, p, p * (1 - p))), 4.0)
        << limit;
  }
}

TEST_F(NormalDraws, are_independent_of_their_neighbours) {
  for (const std::size_t lag : {1U, 2U, 3U}) {
    const auto product = [&](std::size_t i) { return draws()[i] * draws()[(i + lag) % count]; };
    const auto squares = [&](std::size_t i) { return product(i) * product(i); };
    EXPECT_LT(std::abs(z_score(product, 0.0, 1.0)), 4.0) << lag;
    EXPECT_LT(std::abs(z_score(squares, 1.0, 8.0)), 4.0) << lag;  // E x⁴y⁴ − 1 = 8
  }
}

}  // namespace
}  // namespace darboux

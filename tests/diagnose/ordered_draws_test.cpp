#include "diagnose/ordered_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference_arrays.hpp"

namespace darboux {
namespace {

using testing::autoregression;

/// All sizes and signs that a double can have, with ties.
std::vector<double> awkward(std::size_t size) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), least = 5e-324;
  const testing::Draws normal = autoregression(size, 1, 0.0);
  std::vector<double> values(normal.view()[0].begin(), normal.view()[0].end());
  for (std::size_t i = 0; i < values.size(); i += 3)
    values[i] = std::scalbn(values[i], static_cast<int>(i % 2000) - 1000);
  for (std::size_t i = 1; i < values.size(); i += 5) values[i] = std::round(values[i]);
  const std::vector<double> ends{infinity, -infinity, 0.0, -0.0, least, -least, 1e308, -1e308};
  for (std::size_t i = 0; i < std::min(ends.size(), size); ++i) values[i] = ends[i];
  return values;
}

TEST(OrderedDraws, AreInOrderAndKnowTheirPlaces) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{100}, std::size_t{5000}}) {
    const std::vector<double> values = awkward(size);
    const OrderedDraws ordered(ChainDraws(values, 1));
    ASSERT_EQ(ordered.size(), size);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> seen(size, 0);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(ordered.value(i), sorted[i]);
      ASSERT_EQ(values[ordered.place(i)], sorted[i]);
      seen[ordered.place(i)] = 1;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(size));
  }
}

TEST(OrderedDraws, OfChainsThatLieApartAreTheSame) {
  const testing::Draws draws = autoregression(400, 3, 0.5);
  std::vector<std::vector<double>> apart;
  for (const auto chain : draws.view()) apart.emplace_back(chain.begin(), chain.end());
  const ChainDraws scattered({apart[0], apart[1], apart[2]});
  const OrderedDraws one(draws.view()), other(scattered);
  const OrderedDraws folded_one = folded(one, 0.3), folded_other = folded(other, 0.3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one.place(i), other.place(i));
    ASSERT_EQ(folded_one.value(i), folded_other.value(i));
    ASSERT_EQ(folded_one.value(i), std::abs(draws.view()[folded_one.place(i) / 400][folded_one.place(i) % 400] - 0.3));
    ASSERT_TRUE(i == 0 || folded_one.value(i - 1) <= folded_one.value(i));
  }
}

}  // namespace
}  // namespace darboux

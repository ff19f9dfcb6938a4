#include "cluster/tree_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numeric>

#include "darboux/core/random.hpp"
#include "support/thread_group.hpp"

namespace darboux {
namespace {

constexpr std::size_t of_each = 3;

/// Of numbers of very different sizes, whose sums depend on the order.
std::vector<double> pieces_of(Index pieces) {
  std::vector<double> numbers(static_cast<std::size_t>(pieces) * of_each);
  RandomStream random({.seed = 1});
  random.fill_normal(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= std::pow(10.0, static_cast<double>(i % 17));
  return numbers;
}

/// As every process gets them; rank r has the pieces from bounds[r] to bounds[r + 1].
std::vector<std::vector<double>> sums(const std::vector<double>& pieces, const std::vector<Index>& bounds) {
  std::mutex mutex;
  std::vector<std::vector<double>> found;
  testing::in_group(static_cast<int>(bounds.size()) - 1, [&](Group& group) {
    TreeSum sum(group, bounds);
    const auto r = static_cast<std::size_t>(group.rank());
    for (int again = 0; again < 2; ++again) {
      std::vector<double> own(pieces.begin() + bounds[r] * Index{of_each},
                              pieces.begin() + bounds[r + 1] * Index{of_each});
      std::vector<double> total(of_each);
      sum.add_up(own, total);
      const std::scoped_lock lock(mutex);
      found.push_back(total);
    }
  });
  return found;
}

TEST(TreeSums, DoNotDependOnWhoHasWhat) {
  for (const Index pieces : {1, 2, 3, 5, 16, 45, 64}) {
    const std::vector<double> numbers = pieces_of(pieces);
    const std::vector<double> alone = sums(numbers, {0, pieces}).front();
    for (const int size : {2, 3, 8}) {
      std::vector<Index> bounds{0};
      for (int r = 0; r < size; ++r) bounds.push_back(bounds.back() + share_of(pieces, r, size).count);
      for (const auto& sum : sums(numbers, bounds)) EXPECT_EQ(sum, alone) << pieces << " pieces, " << size;
    }
    for (Index cut = 0; cut <= pieces; ++cut)
      for (const auto& sum : sums(numbers, {0, cut, pieces}))
        EXPECT_EQ(sum, alone) << pieces << " pieces, cut at " << cut;
  }
}

TEST(TreeSums, AreSums) {
  const Index pieces = 45;
  std::vector<double> numbers(static_cast<std::size_t>(pieces) * of_each);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  for (const auto& sum : sums(numbers, {0, 7, 30, pieces}))
    for (std::size_t i = 0; i < of_each; ++i)
      EXPECT_EQ(sum[i], 3.0 * 45.0 * 44.0 / 2.0 + 45.0 * static_cast<double>(i));
}

/// A power of two of processes gives one sum each: what goes over the network does not grow with the number of pieces.
TEST(TreeSums, GiveWholeSubtrees) {
  testing::in_group(4, [](Group& group) {
    const std::vector<Index> bounds{0, 16, 32, 48, 64};
    TreeSum sum(group, bounds);
    std::vector<double> own(16 * of_each, 1.0), total(of_each);
    const std::int64_t before = group.traffic().bytes;
    sum.add_up(own, total);
    EXPECT_EQ(group.traffic().bytes - before, Index{of_each} * 8);
    EXPECT_EQ(total, std::vector<double>(of_each, 64.0));
  });
}

}  // namespace
}  // namespace darboux

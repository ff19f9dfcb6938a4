#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <darboux/core/batch.hpp>
#include <set>
#include <vector>

namespace darboux {
namespace {

TEST(Batch, a_coordinate_of_all_lanes_is_one_run) {
  std::array<double, 12> data{};
  const Batch batch(data.data(), 3, 2, 4);
  batch(2, 1) = 7.0;
  EXPECT_EQ(data[2 * 4 + 1], 7.0);
  EXPECT_EQ(batch.row(2)[1], 7.0);
  EXPECT_EQ(batch.rows(), 3);
  EXPECT_EQ(batch.lanes(), 2);
}

TEST(Batch, middle_rows_share_the_memory) {
  OwnedBatch owned(4, 3);
  const Batch half = owned.view().middle_rows(2, 2);
  half(1, 2) = 5.0;
  EXPECT_EQ(owned(3, 2), 5.0);
  EXPECT_EQ(half.rows(), 2);
  EXPECT_EQ(half.lanes(), 3);
}

TEST(Batch, converts_to_a_view_that_cannot_write) {
  OwnedBatch owned(2, 2);
  owned(1, 0) = 3.0;
  const Batch batch = owned;
  const ConstBatch view = batch;
  EXPECT_EQ(view(1, 0), 3.0);
  static_assert(std::is_same_v<decltype(view(0, 0)), const double&>);
  static_assert(!std::is_convertible_v<ConstBatch, Batch>);
}

TEST(OwnedBatch, starts_at_zero_with_rows_on_cache_lines) {
  for (const Index lanes : {1, 7, 8, 9, 20}) {
    OwnedBatch batch(3, lanes);
    for (Index j = 0; j < 3; ++j) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.view().row(j)) % 64, 0U) << lanes;
      for (Index lane = 0; lane < lanes; ++lane) EXPECT_EQ(batch(j, lane), 0.0);
    }
  }
  EXPECT_TRUE(OwnedBatch().empty());
  EXPECT_TRUE(OwnedBatch(0, 4).empty());
  EXPECT_FALSE(OwnedBatch(1, 1).empty());
}

TEST(OwnedBatch, copies_are_values) {
  OwnedBatch one(2, 2);
  one(0, 1) = 1.0;
  OwnedBatch two = one;
  two(0, 1) = 2.0;
  EXPECT_EQ(one(0, 1), 1.0);
}

TEST(LaneVector, has_cache_lines_of_its_own) {
  std::set<std::uintptr_t> lines;
  std::vector<LaneVector<std::uint8_t>> vectors;  // of blocks that different threads write to
  for (std::size_t lanes = 1; lanes <= 100; ++lanes) {
    const auto& v = vectors.emplace_back(lanes);
    const auto first = reinterpret_cast<std::uintptr_t>(v.data()) / cache_line;
    for (std::size_t line = 0; line <= (lanes - 1) / cache_line; ++line) EXPECT_TRUE(lines.insert(first + line).second);
  }
}

TEST(Copy, crosses_strides_and_leaves_other_memory_alone) {
  std::array<double, 10> data{};
  data.fill(-1.0);
  OwnedBatch from(2, 3);
  for (Index j = 0; j < 2; ++j)
    for (Index lane = 0; lane < 3; ++lane) from(j, lane) = static_cast<double>(10 * j + lane);
  copy(from, Batch(data.data(), 2, 3, 5));
  EXPECT_EQ(data, (std::array<double, 10>{0, 1, 2, -1, -1, 10, 11, 12, -1, -1}));
}

TEST(LaneMask, empty_means_all) {
  EXPECT_TRUE(is_on({}, 100));
  const std::array<std::uint8_t, 3> mask{1, 0, 2};
  EXPECT_TRUE(is_on(mask, 0));
  EXPECT_FALSE(is_on(mask, 1));
  EXPECT_TRUE(is_on(mask, 2));
}

}  // namespace
}  // namespace darboux

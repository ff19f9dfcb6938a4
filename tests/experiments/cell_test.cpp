#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <experiments/cell.hpp>

#include "draws/temporary_folder.hpp"
#include "io/file.hpp"

namespace darboux::experiments {
namespace {

class Cells : public testing::WithFolder {
 protected:
  /// Cells that give their number, and count how often they are computed.
  std::vector<Cell> numbered(int count, int draws = 10) {
    std::vector<Cell> cells;
    for (int i = 0; i < count; ++i)
      cells.push_back({.key = "test/" + std::to_string(i),
                       .settings = {{"number", i}, {"draws", draws}},
                       .cost = 1.0 + i,
                       .compute = [this, i](const std::atomic<bool>&) {
                         ++computed_;
                         order_.push_back(i);
                         Tables tables;
                         append_row(tables["numbers"], {{"number", i}});
                         return tables;
                       }});
    return cells;
  }
  [[nodiscard]] CellOptions options(int threads = 1) const {
    return {.folder = folder_, .threads = threads, .stop = nullptr, .on_progress = {}};
  }

  std::atomic<int> computed_ = 0;
  std::vector<int> order_;
};

TEST_F(Cells, AreJoinedInTheirOrderTheDearestComputedFirst) {
  const auto tables = run_cells(numbered(4), options());
  ASSERT_TRUE(tables);
  EXPECT_EQ(numbers(tables->at("numbers"), "number"), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(order_, (std::vector<int>{3, 2, 1, 0}));
}

TEST_F(Cells, ThatAreThereAreNotComputedAgain) {
  const auto first = run_cells(numbered(4), options());
  CellProgress last;
  CellOptions again = options();
  again.on_progress = [&](const CellProgress& progress) { last = progress; };
  const auto second = run_cells(numbered(4), again);
  EXPECT_EQ(computed_, 4);
  EXPECT_EQ(last.reused, 4);
  EXPECT_EQ(last.done, 4);
  EXPECT_EQ(to_json(*first), to_json(*second));
}

TEST_F(Cells, OfOtherSettingsAreComputedAgain) {
  (void)run_cells(numbered(3, 10), options());
  (void)run_cells(numbered(3, 20), options());
  EXPECT_EQ(computed_, 6);
}

TEST_F(Cells, WhoseFilesAreBrokenAreComputedAgain) {
  (void)run_cells(numbered(3), options());
  write_text(folder_ / "test/1.json", "{\"settings\": {\"number\"");
  const auto tables = run_cells(numbered(3), options());
  EXPECT_EQ(computed_, 4);
  EXPECT_EQ(row_count(tables->at("numbers")), 3);
}

TEST_F(Cells, ThatFailAreNamedAndDoNotCostTheOthers) {
  auto cells = numbered(3);
  cells[1].compute = [](const std::atomic<bool>&) -> Tables { throw Error("no such luck"); };
  try {
    (void)run_cells(cells, options());
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "test/1: no such luck");
  }
  EXPECT_EQ(computed_, 2);
  (void)run_cells(numbered(3), options());
  EXPECT_EQ(computed_, 3);
}

TEST_F(Cells, StopInGoodOrderAndGoOn) {
  std::atomic<bool> stop = false;
  auto cells = numbered(3);
  cells[1].compute = [&](const std::atomic<bool>&) {
    stop = true;  // while this one is under way: what it gives may be incomplete
    return Tables{};
  };
  CellOptions stopped = options();
  stopped.stop = &stop;
  EXPECT_FALSE(run_cells(cells, stopped));
  EXPECT_EQ(order_, (std::vector<int>{2}));
  const auto tables = run_cells(numbered(3), options());
  EXPECT_EQ(order_, (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(row_count(tables->at("numbers")), 3);
}

TEST_F(Cells, TellWhatIsLeftByTheirCosts) {
  std::vector<CellProgress> seen;
  CellOptions watched = options();
  watched.on_progress = [&](const CellProgress& progress) { seen.push_back(progress); };
  (void)run_cells(numbered(2), watched);  // costs 2, then 1
  ASSERT_EQ(seen.size(), 3);
  EXPECT_FALSE(seen[0].seconds_left);
  EXPECT_DOUBLE_EQ(*seen[1].seconds_left, 0.5 * seen[1].seconds);
  EXPECT_EQ(*seen[2].seconds_left, 0.0);
  EXPECT_THAT(seen[2].done, seen[2].all);
}

}  // namespace
}  // namespace darboux::experiments

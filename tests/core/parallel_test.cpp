#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace darboux::testing {
namespace {

TEST(ParallelFor, DoesEachTaskOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const Index count : {0, 1, 5, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      parallel_for(threads, count, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& n : calls) EXPECT_EQ(n, 1);
    }
  }
}

TEST(ParallelFor, FinishesTheOthersAndThrowsTheFirstByIndex) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done{0};
    try {
      parallel_for(threads, 20, [&](Index i) {
        if (i == 7) throw std::runtime_error("seven");
        if (i == 13) throw std::runtime_error("thirteen");
        ++done;
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "seven");
    }
    EXPECT_EQ(done, 18);
  }
}

/// Rounds that follow each other at once, and after a pause in which helpers fall asleep.
TEST(ThreadTeam, HasDoneEverythingWhenARoundReturns) {
  ThreadTeam team(3);
  for (int round = 0; round < 300; ++round) {
    const Index count = round % 5;
    std::atomic<Index> done{0};
    team.for_each(count, [&](Index) {
      if (round % 10 == 4) std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++done;
    });
    ASSERT_EQ(done, count) << round;
    if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadTeam, WorksOnAfterAFailure) {
  ThreadTeam team(2);
  EXPECT_THROW(team.for_each(4,
                             [](Index i) {
                               if (i == 2) throw std::runtime_error("two");
                             }),
               std::runtime_error);
  std::atomic<int> done{0};
  team.for_each(4, [&](Index) { ++done; });
  EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace darboux::testing

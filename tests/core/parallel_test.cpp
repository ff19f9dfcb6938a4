#include <gtest/gtest.h>

#include <atomic>
#include <darboux/core/parallel.hpp>
#include <stdexcept>
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

}  // namespace
}  // namespace darboux::testing

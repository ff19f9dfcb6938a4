#include "cluster/group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "support/thread_group.hpp"

namespace darboux {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST(Groups, GiveAllTheSameInTheOrderOfRanks) {
  for (const int size : {1, 2, 3, 5})
    testing::in_group(size, [&](Group& group) {
      for (int round = 0; round < 20; ++round) {
        const auto all = group.gather(std::string(static_cast<std::size_t>(group.rank()), 'x'));
        ASSERT_EQ(std::ssize(all), size);
        for (int r = 0; r < size; ++r) EXPECT_EQ(std::ssize(all[static_cast<std::size_t>(r)]), r);
      }
      EXPECT_EQ(sum(group, group.rank() + 1), size * (size + 1) / 2);
      EXPECT_EQ(smallest(group, 10.0 - group.rank()), 11.0 - size);
      EXPECT_EQ(any(group, group.rank() == size - 1), true);
      EXPECT_EQ(any(group, false), false);
      EXPECT_EQ(of_first(group, "of " + std::to_string(group.rank())), "of 0");
    });
}

TEST(Groups, GatherNumbersOneAfterTheOther) {
  testing::in_group(3, [](Group& group) {
    const std::vector<Index> counts{1, 0, 2};
    const std::vector<double> mine(static_cast<std::size_t>(counts[static_cast<std::size_t>(group.rank())]),
                                   1.0 + group.rank());
    EXPECT_THAT(group.gather(mine, counts), ElementsAre(1.0, 3.0, 3.0));
  });
}

TEST(Groups, AProcessByItselfWaitsForNobody) {
  EXPECT_EQ(alone().gather("mine"), std::vector<std::string>{"mine"});
  EXPECT_THAT(alone().gather(std::vector{1.0, 2.0}, std::vector<Index>{2}), ElementsAre(1.0, 2.0));
  EXPECT_EQ(sum(alone(), 7), 7);
}

/// Little goes with the frame, more after it; bytes need not fill blocks.
TEST(Groups, GiveAnyNumberOfBytes) {
  testing::in_group(3, [](Group& group) {
    for (const std::size_t size : {0U, 1U, 30U, 47U, 48U, 49U, 1000U}) {
      const auto text = [&](int rank) {
        return std::string(size * static_cast<std::size_t>(1 + rank), static_cast<char>('a' + rank));
      };
      const auto all = group.gather(text(group.rank()));
      for (int r = 0; r < 3; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], text(r));
    }
    const std::vector<Index> counts{100, 0, 7};
    const std::vector<double> mine(static_cast<std::size_t>(counts[static_cast<std::size_t>(group.rank())]),
                                   group.rank());
    std::vector<double> expected(100, 0.0);
    expected.insert(expected.end(), 7, 2.0);
    EXPECT_THAT(group.gather(mine, counts), ElementsAreArray(expected));
    EXPECT_EQ(group.traffic().exchanges, 8);
    EXPECT_GE(group.traffic().bytes, 1145);
  });
}

TEST(Groups, TellWhyOneCannotGoOn) {
  for (const bool of_numbers : {false, true})
    testing::in_group(3, [&](Group& group) {
      if (group.rank() == 1)
        return group.fail("the disk is full, and more than that would not fit into a frame: " + std::string(100, 'x'));
      const std::vector<Index> counts{100, 100, 100};
      for (int call = 0; call < 2; ++call) try {
          if (of_numbers)
            (void)group.gather(std::vector<double>(100), counts);
          else
            (void)group.gather("");
          ADD_FAILURE() << "nobody said that rank 1 could not go on";
        } catch (const PeerFailure& e) {
          EXPECT_NE(std::string(e.what()).find("rank 1 could not go on: the disk is full"), std::string::npos);
        }
      group.fail("not heard any more");
    });
}

/// Whatever the others are at.
TEST(Groups, NobodyWaitsForOneThatHasLeft) {
  testing::in_group(3, [&](Group& group) {
    if (group.rank() == 0) return group.leave();
    if (group.rank() == 1)
      group.fail(std::string(100, 'x'));
    else
      EXPECT_THROW((void)group.gather(std::string(200, 'y')), PeerFailure);
    group.leave();
  });
}

/// A mistake in our code must not be taken for numbers.
TEST(Groups, NoticeAnotherNumberOfValues) {
  EXPECT_THROW(testing::in_group(2,
                                 [](Group& group) {
                                   const std::vector<Index> counts{1, 1};
                                   (void)group.gather(std::vector<double>(group.is_first() ? 1 : 2), counts);
                                 }),
               Error);
}

TEST(Groups, OfThreadsEndWhenOneFails) {
  EXPECT_THROW(testing::in_group(2,
                                 [](Group& group) {
                                   if (group.rank() == 1) throw InputError("one");
                                   (void)group.gather("");
                                 }),
               Error);
}

TEST(Shares, AreNeighboursAndDifferByOneAtMost) {
  for (const Index items : {0, 1, 7, 64})
    for (const int size : {1, 2, 3, 8}) {
      Index next = 0;
      for (int rank = 0; rank < size; ++rank) {
        const Share share = share_of(items, rank, size);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.count, items / size);
        EXPECT_LE(share.count, items / size + 1);
        next += share.count;
      }
      EXPECT_EQ(next, items);
    }
}

}  // namespace
}  // namespace darboux

#include "draws/memory_sink.hpp"

#include <gtest/gtest.h>

#include <span>
#include <thread>
#include <vector>

namespace darboux::testing {
namespace {

using Values = std::vector<double>;

Values copied(std::span<const double> column) { return {column.begin(), column.end()}; }

/// A draw with the values x and −x.
void add(MemorySink& memory, Index chain, Phase phase, double x) {
  const Values values{x, -x};
  const Transition transition{.log_density = 10.0 * x};
  memory.draw({.values = values, .transition = transition, .chain = chain, .phase = phase});
}

TEST(MemorySink, KeepsPhasesChainsAndColumnsApart) {
  MemorySink memory(2, 2);
  EXPECT_EQ(memory.chains(), 2);
  EXPECT_EQ(memory.columns(), 2U);
  add(memory, 0, Phase::warmup, 1.0);
  add(memory, 1, Phase::warmup, 2.0);
  for (const double x : {3.0, 5.0, 7.0}) {
    add(memory, 0, Phase::sampling, x);
    add(memory, 1, Phase::sampling, x + 1.0);
  }
  EXPECT_EQ(copied(memory.column(0, 0)), (Values{3.0, 5.0, 7.0}));
  EXPECT_EQ(copied(memory.column(1, 0)), (Values{4.0, 6.0, 8.0}));
  EXPECT_EQ(copied(memory.column(0, 1)), (Values{-3.0, -5.0, -7.0}));
  EXPECT_EQ(copied(memory.column(1, 1)), (Values{-4.0, -6.0, -8.0}));
  EXPECT_EQ(copied(memory.column(0, 0, Phase::warmup)), Values{1.0});
  EXPECT_EQ(copied(memory.column(1, 1, Phase::warmup)), Values{-2.0});
}

/// Where a run was cut short, chains need not be of one length.
TEST(MemorySink, GivesAQuantityOfAllChains) {
  MemorySink memory(3, 2);
  add(memory, 0, Phase::sampling, 1.0);
  add(memory, 2, Phase::sampling, 2.0);
  add(memory, 2, Phase::sampling, 3.0);
  add(memory, 1, Phase::warmup, 4.0);
  const auto drawn = memory.column(1);
  ASSERT_EQ(drawn.size(), 3U);
  EXPECT_EQ(copied(drawn[0]), Values{-1.0});
  EXPECT_EQ(copied(drawn[1]), Values{});
  EXPECT_EQ(copied(drawn[2]), (Values{-2.0, -3.0}));
  const auto warmup = memory.column(1, Phase::warmup);
  ASSERT_EQ(warmup.size(), 3U);
  EXPECT_EQ(copied(warmup[0]), Values{});
  EXPECT_EQ(copied(warmup[1]), Values{-4.0});
}

TEST(MemorySink, GivesTheTransitionsThatLedToDraws) {
  MemorySink memory(2, 2);
  add(memory, 1, Phase::warmup, 1.0);
  add(memory, 1, Phase::sampling, 2.0);
  add(memory, 1, Phase::sampling, 3.0);
  ASSERT_EQ(memory.transitions(1).size(), 2U);
  EXPECT_EQ(memory.transitions(1)[0].log_density, 20.0);
  EXPECT_EQ(memory.transitions(1)[1].log_density, 30.0);
  ASSERT_EQ(memory.transitions(1, Phase::warmup).size(), 1U);
  EXPECT_EQ(memory.transitions(1, Phase::warmup)[0].log_density, 10.0);
  EXPECT_TRUE(memory.transitions(0).empty());
}

TEST(MemorySink, TakesOverTheIterationsThatAllChainsHaveFinished) {
  MemorySink memory(2, 2), taken(2, 2);
  add(memory, 0, Phase::warmup, 1.0);
  add(memory, 1, Phase::warmup, 2.0);
  for (const double x : {3.0, 5.0}) add(memory, 0, Phase::sampling, x);
  for (const double x : {4.0, 6.0, 8.0}) add(memory, 1, Phase::sampling, x);
  taken.take_finished(memory);
  EXPECT_EQ(copied(taken.column(0, 0)), (Values{3.0, 5.0}));
  EXPECT_EQ(copied(taken.column(1, 1)), (Values{-4.0, -6.0}));
  EXPECT_EQ(copied(taken.column(1, 0, Phase::warmup)), Values{2.0});
  EXPECT_EQ(copied(taken.log_densities()[0]), (Values{30.0, 50.0}));
  EXPECT_EQ(taken.transitions(0).size(), 2U);
  EXPECT_EQ(memory.transitions(1).size(), 3U);
}

/// Of four chains that go on, from four threads: whatever is taken over is whole, and what comes later begins with it.
TEST(MemorySink, IsTakenOverWhileItGrows) {
  constexpr Index chains = 4, draws = 20'000;
  MemorySink memory(chains, 2);
  std::vector<std::jthread> threads;
  for (Index c = 0; c < chains; ++c)
    threads.emplace_back([&memory, c] {
      for (Index i = 0; i < draws; ++i) add(memory, c, Phase::sampling, static_cast<double>(chains * i + c));
    });
  std::size_t before = 0;
  while (before < at(draws)) {
    MemorySink taken(chains, 2);
    taken.take_finished(memory);
    const std::size_t length = taken.transitions(0).size();
    EXPECT_GE(length, before);
    before = length;
    for (Index c = 0; c < chains; ++c) {
      const auto values = taken.column(c, 1);
      ASSERT_EQ(values.size(), length);
      if (length > 0) {
        EXPECT_EQ(values[length - 1], -static_cast<double>(chains * static_cast<Index>(length - 1) + c));
      }
    }
  }
}

}  // namespace
}  // namespace darboux::testing

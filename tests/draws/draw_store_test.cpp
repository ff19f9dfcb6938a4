#include "draws/draw_store.hpp"

#include <gtest/gtest.h>

#include <darboux/core/error.hpp>
#include <thread>

#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

std::vector<double> copy(std::span<const double> draws) { return {draws.begin(), draws.end()}; }

TEST(DrawStore, KeepsColumnsOfEachPhase) {
  ChainStore chain(2);
  chain.draw(std::vector{1.0, 2.0}, {.steps = 1});
  EXPECT_EQ(chain.draws(), 0U) << "all is warm-up so far";
  EXPECT_EQ(chain.draws(DrawPhase::warmup), 1U);
  chain.end_warmup({.step_size = 0.5});
  chain.draw(std::vector{3.0, 4.0}, {.steps = 2});
  chain.draw(std::vector{5.0, 6.0}, {.steps = 3});
  chain.finish({.warmup = 1, .sampling = 2});
  EXPECT_EQ(chain.draws(), 2U);
  EXPECT_EQ(copy(chain.column(1)), (std::vector{4.0, 6.0}));
  EXPECT_EQ(copy(chain.column(0, DrawPhase::warmup)), (std::vector{1.0}));
  EXPECT_EQ(chain.statistics()[1].steps, 3);
  EXPECT_EQ(chain.statistics(DrawPhase::warmup)[0].steps, 1);
  EXPECT_EQ(chain.adaptation().value_or(Adaptation{}).step_size, 0.5);
  EXPECT_EQ(chain.elapsed().value_or(ElapsedSeconds{}).sampling, 2.0);
}

TEST(DrawStore, ChainsFillOnTheirOwnThreads) {
  constexpr int draws = 1000;
  DrawStore store({"a", "b"}, 4, draws);
  {
    std::vector<std::jthread> threads;
    for (std::size_t c = 0; c < 4; ++c)
      threads.emplace_back([&sink = store.chain(c), c] {
        sink.end_warmup({});
        for (int i = 0; i < draws; ++i) sink.draw(std::vector{double(i), static_cast<double>(c)}, {});
      });
  }
  const auto b = store.column("b");
  ASSERT_EQ(b.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(copy(b[c]), std::vector(draws, static_cast<double>(c)));
  EXPECT_EQ(store.column(0)[3][draws - 1], draws - 1);
}

TEST(DrawStore, MisuseIsAnError) {
  EXPECT_TRUE(mentions(message_of<InputError>([] { const DrawStore store({"a", "a"}, 1); }), {"\"a\""}));
  DrawStore store({"alpha", "beta"}, 1);
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)store.column("alpa"); }), {"alpa", "did you mean \"alpha\""}));
  EXPECT_TRUE(
      mentions(message_of<Error>([&] { store.chain(0).draw(std::vector{1.0}, {}); }), {"1 values", "2 columns"}));
  store.chain(0).end_warmup({});
  EXPECT_TRUE(mentions(message_of<Error>([&] { store.chain(0).end_warmup({}); }), {"ended before"}));
}

}  // namespace
}  // namespace darboux

#include "draws/kept_draws.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace darboux::testing {
namespace {

using Iterations = std::vector<int>;

struct Kept {
  Iterations warmup, sampling;
};

/// What is handed on of five iterations of warm-up and seven draws.
Kept kept_of(int thin, bool save_warmup) {
  Kept seen;
  CallbackSink sink(
      [&](const Draw& draw) { (draw.phase == Phase::warmup ? seen.warmup : seen.sampling).push_back(draw.iteration); });
  KeptDraws kept(sink, thin, save_warmup);
  const Transition transition;
  const auto make = [&](Phase phase, int count) {
    for (int i = 0; i < count; ++i) kept.draw({.values = {}, .transition = transition, .iteration = i, .phase = phase});
  };
  make(Phase::warmup, 5);
  make(Phase::sampling, 7);
  return seen;
}

TEST(KeptDraws, AreAllUnlessThinned) {
  const Kept kept = kept_of(1, true);
  EXPECT_EQ(kept.warmup, (Iterations{0, 1, 2, 3, 4}));
  EXPECT_EQ(kept.sampling, (Iterations{0, 1, 2, 3, 4, 5, 6}));
}

TEST(KeptDraws, AreOfWarmUpOnlyWhereWanted) {
  const Kept kept = kept_of(1, false);
  EXPECT_EQ(kept.warmup, Iterations{});
  EXPECT_EQ(kept.sampling.size(), 7U);
}

/// n iterations leave ⌈n / thin⌉ draws, as headers of files announce them.
TEST(KeptDraws, AreTheFirstOfSoMany) {
  const Kept kept = kept_of(3, true);
  EXPECT_EQ(kept.warmup, (Iterations{0, 3}));
  EXPECT_EQ(kept.sampling, (Iterations{0, 3, 6}));
}

TEST(KeptDraws, ValuesAreWantedOfThoseAlone) {
  CallbackSink sink([](const Draw&) {});
  const KeptDraws kept(sink, 3, false);
  EXPECT_TRUE(kept.wants_values(Phase::sampling, 6));
  EXPECT_FALSE(kept.wants_values(Phase::sampling, 7));
  EXPECT_FALSE(kept.wants_values(Phase::warmup, 6));
}

/// Writes down what else it is told.
class Listener final : public DrawSink {
 public:
  void draw(const Draw&) override { heard += "draw "; }
  void end_warmup(const SampleResult& so_far) override {
    heard += "end_warmup " + std::to_string(so_far.tuning.metric_draws) + " ";
  }
  void finish(const SampleResult& result) override { heard += "finish " + std::to_string(result.draws); }

  std::string heard;
};

TEST(KeptDraws, ComeWithAllElse) {
  Listener listener;
  KeptDraws kept(listener, 1000, false);
  SampleResult result;
  result.tuning.metric_draws = 5;
  result.draws = 7;
  kept.end_warmup(result);
  kept.finish(result);
  EXPECT_EQ(listener.heard, "end_warmup 5 finish 7");
}

}  // namespace
}  // namespace darboux::testing

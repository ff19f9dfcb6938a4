#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>
#include <functional>

#include "linalg/dense.hpp"
#include "model/gaussian.hpp"
#include "sample/result_in_words.hpp"
#include "sample/sampler.hpp"

/// Which preconditioner a run has, what it rests on, and that it says so.
namespace darboux::testing {
namespace {

const Matrix covariance{{4.0, 1.9, 0.0}, {1.9, 1.0, 0.0}, {0.0, 0.0, 1e-4}};

SampleResult warmed_up(
    const SamplerSettings& options, const std::function<void(const Draw&)>& see = [](const Draw&) {}) {
  const auto model = std::make_shared<Gaussian>(Gaussian::from_covariance({3.0, -4.0, 0.0}, covariance));
  OwnedBatch starts(3, options.chains);
  RandomStream random({.seed = 5, .purpose = Purpose::start});
  for (Index j = 0; j < 3; ++j)
    for (Index c = 0; c < options.chains; ++c) starts(j, c) = 4.0 * random.uniform() - 2.0;
  CallbackSink sink(see);
  return Sampler(model, options).run(starts, sink);
}

/// Gradients are those at the draws, in the model's coordinates, whether a trajectory leaves them behind (leapfrog), they have
/// to be evaluated (midpoint, doubled), or the draw is a state in the middle of a tree.
TEST(LowRankMetric, IsFoundWithEveryKindOfTrajectory) {
  for (const IntegratorKind kind : {IntegratorKind::leapfrog, IntegratorKind::midpoint, IntegratorKind::doubled}) {
    for (const TrajectoryKind rule : {TrajectoryKind::jittered, TrajectoryKind::nuts}) {
      if (rule == TrajectoryKind::nuts && kind == IntegratorKind::doubled) continue;
      SamplerSettings options;
      options.seed = 2;
      options.metric = Metric::low_rank;
      options.integrator = kind;
      options.trajectory = TrajectoryRule::of(rule, {}, 10);
      options.warmup = 300;
      options.draws = 1;
      const Tuning tuning = warmed_up(options).tuning;
      EXPECT_EQ(tuning.factor.kind(), StructuredMatrix::Kind::low_rank);
      const Matrix l = tuning.factor.matrix();
      const Matrix found = l * l.transposed();
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j)
          EXPECT_NEAR(found(i, j), covariance(i, j), 0.1 * std::sqrt(covariance(i, i) * covariance(j, j)))
              << name(kind) << ' ' << name(rule);
    }
  }
}

/// However long trajectories are meant to be. Those of the first stretch and of the first two
/// windows, 50 iterations in all, have 10 steps in mean, up to half as many more by chance.
TEST(LowRankMetric, TrajectoriesAreShortUntilItIsKnown) {
  SamplerSettings options;
  options.seed = 4;
  options.metric = Metric::low_rank;
  options.trajectory = TrajectoryRule::of(TrajectoryKind::jittered, {.time = 30.0}, 10);
  options.warmup = 500;
  options.draws = 1;
  int early = 0, later = 0;
  (void)warmed_up(options, [&](const Draw& draw) {
    if (draw.phase == Phase::warmup)
      (draw.iteration < 50 ? early : later) = std::max(draw.iteration < 50 ? early : later, draw.transition.steps);
  });
  EXPECT_LE(early, 15);
  EXPECT_GT(later, 20);
}

TEST(LowRankMetric, DoesNotDependOnThreads) {
  SamplerSettings options;
  options.chains = 37;
  options.metric = Metric::low_rank;
  options.warmup = 100;
  options.draws = 1;
  const Tuning one = warmed_up(options).tuning;
  options.threads = 4;
  EXPECT_EQ(warmed_up(options).tuning, one);
}

TEST(Metric, SaysWhatItRestsOn) {
  const auto words = [](const StructuredMatrix& factor, Index draws, Metric asked) {
    Tuning tuning;
    tuning.factor = factor;
    tuning.metric_draws = draws;
    return metric_in_words(tuning, asked);
  };
  const auto dense = StructuredMatrix::from(Matrix{{1, 0}, {1, 1}});
  const auto diagonal = StructuredMatrix::diagonal({1, 2});
  const LowRankMatrix one({.after = {1, 1}, .directions = {{0, 1}}, .stretches = {2}, .before = {1, 1}});
  const LowRankMatrix two({.after = {1, 1}, .directions = {{0, 1}, {1, 0}}, .stretches = {2, 3}, .before = {1, 1}});
  EXPECT_EQ(words(dense, 2800, Metric::dense), "dense, from 2800 draws");
  EXPECT_EQ(words(StructuredMatrix::from(one), 70, Metric::low_rank), "low-rank with 1 direction, from 70 draws");
  EXPECT_EQ(words(StructuredMatrix::from(two), 70, Metric::low_rank), "low-rank with 2 directions, from 70 draws");
  EXPECT_EQ(words(diagonal, 4, Metric::dense), "diagonal, from 4 draws: too few for a dense one");
  EXPECT_EQ(words(diagonal, 5, Metric::dense), "diagonal, from 5 draws");  // what was found has no other entries
  EXPECT_EQ(words(diagonal, 70, Metric::low_rank),
            "diagonal, from 70 draws: a low-rank one was looked for, but no direction stands out");
  EXPECT_EQ(words(diagonal, 70, Metric::diagonal), "diagonal, from 70 draws");
  EXPECT_EQ(words(StructuredMatrix::identity(2), 0, Metric::identity), "identity");
  EXPECT_EQ(words(StructuredMatrix::identity(2), 0, Metric::dense),
            "identity: there were no draws to find another from");
}

}  // namespace
}  // namespace darboux::testing

#include "sample/sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>

#include "model/funnel.hpp"
#include "model/student_t.hpp"
#include "sample/sample_plan.hpp"
#include "support/recorded_run.hpp"

namespace darboux::testing {
namespace {

TEST(Sampler, FindsMeanAndSpreadOfABadlyScaledGaussian) {
  for (const Metric metric : {Metric::diagonal, Metric::dense}) {
    SamplerSettings options;
    options.chains = 8;
    options.seed = 1;
    options.metric = metric;
    const Recorded run = record(correlated_gaussian(), options);
    EXPECT_EQ(run.warmup, 8 * 1000);
    const std::vector<double> mean{3.0, -40.0, 0.0};
    const std::vector<double> sd{2.0, 1.0, 0.01};
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0, squares = 0.0;
      for (const auto& chain : run.values) {
        for (const auto& draw : chain) {
          sum += draw[j];
          squares += (draw[j] - mean[j]) * (draw[j] - mean[j]);
        }
      }
      // 8000 draws; even at an effective size of only 2000 the errors are sd/45 for the mean and 1/32 for the variance.
      EXPECT_NEAR(sum / 8000.0, mean[j], 4.0 * sd[j] / 45.0) << name(metric);
      EXPECT_NEAR(squares / 8000.0 / (sd[j] * sd[j]), 1.0, 4.0 / 32.0) << name(metric);
    }
  }
}

TEST(Sampler, SeedsMatter) {
  SamplerSettings options;
  options.warmup = 50;
  options.draws = 5;
  options.seed = 1;
  const Recorded one = record(correlated_gaussian(), options);
  options.seed = 2;
  EXPECT_NE(record(correlated_gaussian(), options).values, one.values);
}

TEST(Sampler, ATuningGivenBackReplacesWarmUp) {
  SamplerSettings options;
  options.seed = 4;
  const Recorded first = record(correlated_gaussian(), options);
  EXPECT_GT(first.result.warmup_gradients, 0);
  options.draws = 200;
  options.warmup = 250;
  const Recorded second = record(correlated_gaussian(), options, first.result.tuning);
  EXPECT_EQ(second.warmup, 4 * 250) << "as a burn-in";
  EXPECT_EQ(second.result.tuning, first.result.tuning);
  EXPECT_EQ(second.values[0].size(), 200U);
}

TEST(Sampler, StopsWhenAskedAndKeepsWhatWasDrawn) {
  SamplerSettings options;
  options.warmup = 20;
  options.draws = 1000000;
  std::atomic<bool> stop{false};
  std::int64_t seen = 0;
  CallbackSink sink([&](const Draw& draw) {
    if (draw.phase == Phase::sampling && ++seen == 100) stop = true;
  });
  const SampleResult result = Sampler(correlated_gaussian(), options).run(spread_starts(3, 4), sink, {.stop = &stop});
  EXPECT_EQ(result.end, SampleEnd::interrupted);
  EXPECT_EQ(seen, 100);  // a block finishes the transition in hand
}

/// Where a run is looked at in between, its draws are the first of those that it would have made anyway.
TEST(Sampler, LooksChangeNoDraws) {
  for (const TrajectoryKind trajectory : {TrajectoryKind::chees, TrajectoryKind::nuts}) {
    SamplerSettings options;
    options.chains = 20;
    options.warmup = 100;
    options.draws = 50;
    options.trajectory = TrajectoryRule::of(trajectory, {}, 10);
    const Recorded all = record(correlated_gaussian(), options);
    std::vector<int> looks;
    std::vector<std::vector<double>> last(20);
    options.threads = 3;
    CallbackSink sink([&](const Draw& draw) { last[at(draw.chain)] = {draw.values.begin(), draw.values.end()}; });
    const auto look = [&](int drawn) {
      looks.push_back(drawn);
      return std::min(drawn + 7, 21);
    };
    const SampleResult result =
        Sampler(correlated_gaussian(), options).run(spread_starts(3, 20), sink, {.next_look = look});
    EXPECT_EQ(looks, (std::vector<int>{0, 7, 14, 21}));
    EXPECT_EQ(result.draws, 21);
    EXPECT_EQ(result.end, SampleEnd::complete);
    for (std::size_t c = 0; c < last.size(); ++c) EXPECT_EQ(last[c], all.values[c][20]);
  }
}

TEST(Sampler, EndsWhenItsTimeIsUp) {
  SamplerSettings options;
  options.chains = 20;
  options.threads = 2;
  options.warmup = 20;
  options.draws = 1'000'000'000;
  options.max_seconds = 0.2;
  const auto begin = std::chrono::steady_clock::now();
  const Recorded run = record(correlated_gaussian(), options);
  EXPECT_EQ(run.result.end, SampleEnd::out_of_time);
  const auto taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken, std::chrono::milliseconds(200));
  EXPECT_LT(taken, std::chrono::seconds(3)) << "rounds take a tenth of a second, or one transition";
  EXPECT_GT(run.result.draws, 0);
  for (const auto& chain : run.values) EXPECT_EQ(std::ssize(chain), run.result.draws);

  options.draws = 10;
  options.max_seconds = 1e300;
  const Recorded whole = record(correlated_gaussian(), options);
  EXPECT_EQ(whole.result.end, SampleEnd::complete);
  EXPECT_EQ(whole.result.draws, 10);
}

/// A run that is gone on with has to make some draws again: they are not lost because there is little time for more.
TEST(Sampler, HasTimeForTheDrawsThatThereWere) {
  SamplerSettings options;
  options.chains = 3;
  options.warmup = 20;
  options.draws = 1'000'000'000;
  options.max_seconds = 1e-9;
  CallbackSink nobody([](const Draw&) {});
  const SampleResult result =
      Sampler(correlated_gaussian(), options).run(spread_starts(3, 3), nobody, {.least_draws = 70});
  EXPECT_EQ(result.end, SampleEnd::out_of_time);
  EXPECT_GE(result.draws, 70);
  EXPECT_EQ(record(correlated_gaussian(), options).result.draws, 0);
}

/// Other tools want chains of one length. The stop comes in the middle of a transition, when some blocks have made one more
/// than others.
TEST(Sampler, AllChainsStopAfterTheSameIteration) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  const auto model = std::make_shared<FunctionModel>(1, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls == 50000) stop = true;
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SamplerSettings options;
  options.chains = 20;
  options.warmup = 20;
  for (const int threads : {1, 3}) {
    options.draws = 1000000;
    options.threads = threads;
    stop = false;
    calls = 0;
    const auto draws_until = [&](const std::atomic<bool>* stopped) {
      std::vector<std::vector<double>> seen(20);
      CallbackSink keep([&](const Draw& draw) {
        if (draw.phase == Phase::sampling) seen[at(draw.chain)].push_back(draw.values[0]);
      });
      Sampler(model, options).run(spread_starts(1, 20), keep, {.stop = stopped});
      return seen;
    };
    const auto cut_short = draws_until(&stop);
    EXPECT_GE(cut_short[0].size(), 10U);
    for (const auto& chain : cut_short) EXPECT_EQ(chain.size(), cut_short[0].size()) << threads;
    options.draws = static_cast<int>(cut_short[0].size());
    EXPECT_EQ(draws_until(nullptr), cut_short) << "what is there in place of draws that some have not made?";
  }
}

/// Eight schools' kind of density, where the right step size for most places is far too long for some: the acceptance aimed at
/// rises, unless it was asked for.
TEST(Sampler, IsCarefulWhereADensityNarrows) {
  const auto tuned = [](const std::shared_ptr<const Model>& model, const SampleOptions& asked) {
    const SamplePlan plan = plan_sampling(model, asked);
    CallbackSink nowhere([](const Draw&) {});
    return Sampler(model, plan.settings).run(plan.starts, nowhere);
  };
  SampleOptions options;
  options.seed = 1;
  options.draws = 10;
  const auto funnel = std::make_shared<Funnel>(5);
  const SampleResult careful = tuned(funnel, options);
  EXPECT_GT(careful.hopeless, 0.02);
  EXPECT_DOUBLE_EQ(careful.target_acceptance, 0.95);
  const SampleResult even = tuned(std::make_shared<StudentT>(10, 5.0), options);
  EXPECT_EQ(even.hopeless, 0.0);
  EXPECT_DOUBLE_EQ(even.target_acceptance, 0.9);
  options.target_acceptance = 0.85;
  const SampleResult as_asked = tuned(funnel, options);
  EXPECT_EQ(as_asked.hopeless, 0.0);
  EXPECT_DOUBLE_EQ(as_asked.target_acceptance, 0.85);
}

/// Half of a Gaussian in each of three directions: many proposals are refused, and shorter steps would not change that.
TEST(Sampler, StepsStayLongBesideAWall) {
  const auto model = std::make_shared<FunctionModel>(3, [](std::span<const double> q, std::span<double> gradient) {
    double log_density = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (q[j] < 0.0) throw Reject();
      if (!gradient.empty()) gradient[j] = -q[j];
      log_density -= 0.5 * q[j] * q[j];
    }
    return log_density;
  });
  SampleOptions options;
  options.seed = 3;
  options.draws = 4000;
  options.threads = 1;
  const SamplePlan plan = plan_sampling(model, options);
  double sum = 0.0;
  CallbackSink sink([&](const Draw& draw) {
    if (draw.phase == Phase::sampling) sum += draw.values[0] / (4.0 * options.draws);
  });
  const SampleResult result = Sampler(model, plan.settings).run(plan.starts, sink);
  EXPECT_GT(result.refused, 0.05);
  EXPECT_GT(result.tuning.step_size, 0.1);
  EXPECT_LT(result.sampling_gradients, 20 * 4 * options.draws);
  EXPECT_NEAR(sum, std::sqrt(2.0 / M_PI), 0.05);
}

/// A normal density that ends so many standard deviations below its mean, and a run of so many chains.
SampleResult beside_a_wall(double wall, Index chains) {
  const auto model = std::make_shared<FunctionModel>(1, [=](std::span<const double> q, std::span<double> gradient) {
    if (q[0] < wall) throw Reject();
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SampleOptions options;
  options.chains = chains;
  options.seed = 3;
  options.draws = 10;
  const SamplePlan plan = plan_sampling(model, options);
  CallbackSink nowhere([](const Draw&) {});
  return Sampler(model, plan.settings).run(plan.starts, nowhere);
}

TEST(Sampler, WallsThatAreMetSeldomAndBySingleChainsToo) {
  for (const double wall : {0.0, -1.0, -1.5, -2.0})
    for (const Index chains : {1, 4}) {
      const SampleResult result = beside_a_wall(wall, chains);
      EXPECT_GT(result.tuning.step_size, 0.2) << wall << ", chains: " << chains;
      EXPECT_EQ(result.hopeless, 0.0) << "nothing narrows here";
    }
  EXPECT_EQ(beside_a_wall(-6.0, 4).refused, 0.0) << "no wall in reach";
}

/// At any moment: while the first step size is sought, between rounds, within one, while copies are tried.
TEST(Sampler, CanBeStoppedAnywhereInWarmUp) {
  std::atomic<bool> stop{false};
  int calls = 0, last_call = 0;
  const auto model = std::make_shared<FunctionModel>(2, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls >= last_call) stop = true;
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = -q[j];
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  });
  for (const IntegratorKind integrator : {IntegratorKind::leapfrog, IntegratorKind::doubled}) {
    SamplerSettings options;
    options.integrator = integrator;
    options.warmup = 300;
    options.draws = 1;
    int iterations = 0;
    CallbackSink sink([&](const Draw&) { ++iterations; });
    for (last_call = 1; iterations < options.warmup * options.chains; last_call += 1 + last_call / 20) {
      stop = false;
      calls = iterations = 0;
      const SampleResult result = Sampler(model, options).run(spread_starts(2, 4), sink, {.stop = &stop});
      ASSERT_TRUE(std::isfinite(result.tuning.step_size)) << "stopped at call " << last_call;
      ASSERT_EQ(iterations % options.chains, 0) << "stopped at call " << last_call;
    }
  }
}

TEST(Sampler, ShortWarmUpsFindAStepSize) {
  SamplerSettings options;
  options.draws = 100;
  for (const int warmup : {20, 50, 100, 200}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      options.warmup = warmup;
      options.seed = seed;
      double acceptance = 0.0;
      CallbackSink sink([&](const Draw& draw) {
        if (draw.phase == Phase::sampling) acceptance += draw.transition.acceptance_probability / 400;
      });
      Sampler(std::make_shared<Gaussian>(Gaussian::standard(5)), options).run(spread_starts(5, 4), sink);
      EXPECT_GT(acceptance, 0.6) << warmup;
      EXPECT_LT(acceptance, 0.99) << warmup;
    }
  }
}

TEST(Sampler, AnExceptionOfTheModelPassesThroughAfterTheDraws) {
  int calls = 0;
  const auto model = std::make_shared<FunctionModel>(1, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls > 5000) throw std::runtime_error("the licence server is down");
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SamplerSettings options;
  options.warmup = 0;
  options.chains = 2;
  options.draws = 100000;
  int draws = 0;
  CallbackSink sink([&](const Draw&) { ++draws; });
  try {
    (void)Sampler(model, options).run(spread_starts(1, 2), sink);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the licence server is down");
  }
  EXPECT_GT(draws, 100);
}

/// On a Gaussian every step size would do, but the copies of `explicit` swap where they turn by half a turn per step.
TEST(Sampler, ExplicitIsWarmedUpWithinWhatItsBindingAllows) {
  SamplerSettings options;
  options.integrator = IntegratorKind::explicit_copies;
  options.structure = make_structure(Recipe::coupled, 2, {.size = SpectralStrength{0.5}, .seed = 1, .A = {}});
  options.warmup = 200;
  options.draws = 1;
  const auto model = std::make_shared<const Gaussian>(Gaussian::standard(2));
  CallbackSink nowhere([](const Draw&) {});
  const SampleResult result = Sampler(model, options).run(spread_starts(2, 4), nowhere);
  EXPECT_LE(result.tuning.step_size, 0.5);
  EXPECT_GT(result.tuning.step_size, 0.05);
}

TEST(Sampler, RefusesBadOptionsByName) {
  const auto message = [](auto change) -> std::string {
    SamplerSettings options;
    change(options);
    try {
      const Sampler sampler(correlated_gaussian(), options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  using O = SamplerSettings;
  using ::testing::HasSubstr;
  EXPECT_EQ(message([](O&) {}), "accepted");
  EXPECT_THAT(message([](O& o) { o.chains = 0; }), HasSubstr("chains = 0"));
  EXPECT_THAT(message([](O& o) { o.draws = -1; }), HasSubstr("draws = -1"));
  EXPECT_THAT(message([](O& o) { o.trajectory = JitteredTrajectory{.length = {.time = NAN}}; }),
              HasSubstr("trajectory-time = nan"));
  EXPECT_THAT(message([](O& o) { o.target_acceptance = 1.0; }), HasSubstr("target-acceptance = 1"));
  EXPECT_THAT(message([](O& o) { o.structure = PoissonStructure::canonical(7); }),
              HasSubstr("7 dimensions: must be 3"));
  EXPECT_THAT(message([](O& o) { o.structure = make_structure(Recipe::coupled, 3); }), HasSubstr("leapfrog needs"));
  const auto in_single_precision = [&](IntegratorKind kind, Recipe recipe) {
    return message([&](O& o) {
      o.gradient_precision = GradientPrecision::single;
      o.integrator = kind;
      o.structure = make_structure(recipe, 3);
    });
  };
  EXPECT_EQ(in_single_precision(IntegratorKind::leapfrog, Recipe::canonical), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::magnetic_leapfrog, Recipe::magnetic_position), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::doubled, Recipe::coupled), "accepted");
  EXPECT_EQ(in_single_precision(IntegratorKind::split_midpoint, Recipe::magnetic_position), "accepted");
  EXPECT_THAT(
      message([](O& o) { o.gradient_precision = GradientPrecision::mixed; }),
      HasSubstr("gradient-precision = mixed is for integrators that solve equations, but leapfrog solves none"));
  EXPECT_THAT(in_single_precision(IntegratorKind::midpoint, Recipe::canonical),
              HasSubstr("gradient-precision = single: midpoint moves positions along the gradient"));
  EXPECT_THAT(in_single_precision(IntegratorKind::split_midpoint, Recipe::coupled),
              HasSubstr("split-midpoint moves positions along the gradient"));
}

}  // namespace
}  // namespace darboux::testing

#include "sample/chain_share.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <darboux/model/function_model.hpp>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>

#include "darboux/core/error.hpp"
#include "model/funnel.hpp"
#include "model/skewed.hpp"
#include "sample/sample_plan.hpp"
#include "support/recorded_run.hpp"
#include "support/synthetic_logistic.hpp"
#include "support/thread_group.hpp"

/// A run over several processes is the run of one, to the last bit. Threads stand for processes here.
namespace darboux::testing {
namespace {

struct Made {
  std::vector<double> values;
  Transition transition;
  bool operator==(const Made&) const = default;
};

/// What a group has drawn, and what each of its members says of it.
struct Together {
  std::map<std::tuple<Phase, Index, int>, Made> made;  // by phase, chain and iteration
  std::vector<SampleResult> results;
  std::vector<std::string> states;  // of the first member
  std::mutex mutex;
};

class Member final : public DrawSink, public CheckpointSink {
 public:
  explicit Member(Together& all, bool keeps_states) : all_(all), keeps_states_(keeps_states) {}
  void draw(const Draw& draw) override {
    const std::scoped_lock lock(all_.mutex);
    const bool is_new = all_.made
                            .emplace(std::tuple(draw.phase, draw.chain, draw.iteration),
                                     Made{{draw.values.begin(), draw.values.end()}, draw.transition})
                            .second;
    EXPECT_TRUE(is_new);
  }
  bool wants_state() override { return true; }
  void take(Phase, int, std::string state) override {
    if (keeps_states_) all_.states.push_back(std::move(state));
  }

 private:
  Together& all_;
  bool keeps_states_;
};

using Control = std::function<RunControl(int rank)>;

void run(
    Together& all, int size, const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
    const Starts& starts, const Control& control = [](int) { return RunControl(); }) {
  all.results.resize(static_cast<std::size_t>(size));
  in_group(size, [&](Group& group) {
    Member member(all, group.is_first());
    RunControl own = control(group.rank());
    own.group = &group;
    own.checkpoints = &member;
    try {
      all.results[static_cast<std::size_t>(group.rank())] = Sampler(model, settings).run(starts, member, own);
    } catch (const std::exception& e) {
      group.fail(e.what());
      throw;
    }
  });
}

void expect_same_result(const SampleResult& a, const SampleResult& b) {
  EXPECT_EQ(a.tuning, b.tuning);
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.late_chains, b.late_chains);
  EXPECT_EQ(a.absent_chains, b.absent_chains);
  EXPECT_EQ(a.hopeless, b.hopeless);
  EXPECT_EQ(a.refused, b.refused);
  EXPECT_EQ(a.gradient_precision, b.gradient_precision);
  EXPECT_EQ(a.warmup_gradients, b.warmup_gradients);
  EXPECT_EQ(a.late_gradients, b.late_gradients);
  EXPECT_EQ(a.sampling_gradients, b.sampling_gradients);
}

/// All draws, what is said of each, and the tuning, whoever drew which chain.
void expect_same(const std::shared_ptr<const Model>& model, const SamplerSettings& settings, const Starts& starts) {
  Together alone;
  run(alone, 1, model, settings, starts);
  ASSERT_FALSE(alone.made.empty());
  for (const int size : {2, 3, static_cast<int>(settings.chains)})
    for (const int threads : {1, 2}) {
      SamplerSettings own = settings;
      own.threads = threads;
      Together group;
      run(group, size, model, own, starts);
      EXPECT_TRUE(group.made == alone.made) << size << " processes of " << threads << " threads";
      for (const SampleResult& result : group.results) expect_same_result(result, alone.results.front());
    }
}

Starts at_random(Index dim, Index chains) { return {.q = spread_starts(dim, chains)}; }

SamplerSettings short_settings(Index chains) {
  SamplerSettings settings;
  settings.chains = chains;
  settings.warmup = 150;
  settings.draws = 20;
  settings.seed = 11;
  return settings;
}

TEST(OverProcesses, EveryTrajectoryAndMetricDrawsTheSame) {
  const auto model = correlated_gaussian();
  for (const TrajectoryKind kind : {TrajectoryKind::jittered, TrajectoryKind::chees, TrajectoryKind::nuts})
    for (const Metric metric : {Metric::identity, Metric::diagonal, Metric::dense, Metric::low_rank}) {
      SamplerSettings settings = short_settings(5);
      settings.metric = metric;
      settings.trajectory = TrajectoryRule::of(kind, {}, 6);
      SCOPED_TRACE(std::string(name(kind)) + ", " + std::string(name(metric)));
      expect_same(model, settings, at_random(3, 5));
    }
}

/// With what the command line decides: chosen steps, bent coordinates, single precision.
TEST(OverProcesses, AutomaticChoicesAreTheSame) {
  const std::vector<std::shared_ptr<const Model>> models{
      std::make_shared<const Skewed>(3), std::make_shared<const Funnel>(4), synthetic_logistic(60, 4).model};
  for (const auto& model : models) {
    SampleOptions asked;
    asked.chains = 7;
    asked.draws = 30;
    asked.warmup = 300;
    asked.seed = 3;
    asked.threads = 1;
    const SamplePlan plan = plan_sampling(model, asked);
    expect_same(model, plan.settings, plan.starts);
  }
}

TEST(OverProcesses, CopiesAreChosenByAll) {
  SamplerSettings settings = short_settings(4);
  settings.integrator = IntegratorKind::doubled;
  expect_same(correlated_gaussian(), settings, at_random(3, 4));
}

/// One in the lesser mode of two is known to all, and brought to where those of other processes are.
TEST(OverProcesses, LateChainsAreBroughtAlong) {
  const auto two_modes = std::make_shared<FunctionModel>(2, [](std::span<const double> q, std::span<double> gradient) {
    const double side = std::abs(q[0] + 20.0) < std::abs(q[0] - 20.0) + 1.5 ? -20.0 : 20.0;
    if (!gradient.empty()) {
      gradient[0] = side - q[0];
      gradient[1] = -q[1];
    }
    return -0.5 * (std::pow(q[0] - side, 2) + q[1] * q[1]) - (side > 0.0 ? 60.0 : 0.0);
  });
  Starts starts{.q = OwnedBatch(2, 5)};
  for (Index c = 0; c < 5; ++c) starts.q(0, c) = c == 1 || c == 4 ? 20.0 : -20.0;
  const SamplerSettings settings = short_settings(5);
  expect_same(two_modes, settings, starts);
  Together group;
  run(group, 2, two_modes, settings, starts);
  EXPECT_EQ(group.results.front().late_chains, (std::vector<Index>{1, 4}));
}

/// A state is of all chains: another number of processes goes on from it, in warm-up and after.
TEST(OverProcesses, AnyNumberOfThemGoesOn) {
  const auto model = correlated_gaussian();
  SamplerSettings settings = short_settings(5);
  settings.metric = Metric::dense;
  const Starts starts = at_random(3, 5);
  Together whole;
  run(whole, 1, model, settings, starts);
  Together of_three;
  run(of_three, 3, model, settings, starts, [](int) {
    return RunControl{
        .next_look = [](int drawn) { return drawn + 7; }};  // the last states: after 7, 14, 20 and all draws
  });
  ASSERT_GT(of_three.states.size(), 10U);
  for (const std::size_t point : {std::size_t{3}, of_three.states.size() / 2, of_three.states.size() - 3})
    for (const int size : {1, 2, 5}) {
      Together rest;
      run(rest, size, model, settings, starts, [&](int) { return RunControl{.state = of_three.states[point]}; });
      ASSERT_FALSE(rest.made.empty());
      for (const auto& [place, made] : rest.made) EXPECT_TRUE(whole.made.at(place) == made);
      EXPECT_TRUE(rest.made.contains({Phase::sampling, 4, 19}));
      expect_same_result(rest.results.front(), whole.results.front());
    }
}

/// Of whichever is asked; nobody waits for those who have ended.
TEST(OverProcesses, AllStopTogether) {
  const auto model = correlated_gaussian();
  SamplerSettings settings = short_settings(5);
  settings.draws = 1'000'000;
  for (const int asked : {0, 2}) {
    std::atomic<bool> stop = false;
    Together group;
    run(group, 3, model, settings, at_random(3, 5), [&](int rank) {
      return RunControl{.stop = rank == asked ? &stop : nullptr, .next_look = [&stop, rank, asked](int drawn) {
                          if (drawn > 0 && rank == asked) stop = true;
                          return drawn + 7;
                        }};
    });
    std::map<Index, int> draws;
    for (const auto& [place, made] : group.made)
      if (std::get<Phase>(place) == Phase::sampling) ++draws[std::get<Index>(place)];
    ASSERT_EQ(draws.size(), 5U);
    for (const auto& [chain, count] : draws) EXPECT_EQ(count, draws[0]);
    for (const SampleResult& result : group.results) {
      EXPECT_EQ(result.end, SampleEnd::interrupted);
      EXPECT_EQ(result.draws, draws[0]);
    }
  }
}

/// Whatever one of them sees of clocks and signals.
TEST(OverProcesses, WhatOneWantsAllKnow) {
  in_group(3, [](Group& group) {
    const ChainShare share(group, 3);
    const bool is_last = group.rank() == 2;
    const ChainShare::Round all = share.agree({.iterations = 10 - group.rank(),
                                               .asked_to_stop = is_last,
                                               .out_of_time = group.is_first(),
                                               .seconds = is_last ? 2.0 : 1.0,
                                               .divergences = 1 + group.rank()});
    EXPECT_EQ(all.iterations, 8);
    EXPECT_FALSE(all.failed);
    EXPECT_TRUE(all.asked_to_stop);
    EXPECT_TRUE(all.out_of_time);
    EXPECT_EQ(all.seconds, 2.0);
    EXPECT_EQ(all.divergences, 6);
  });
}

TEST(OverProcesses, TimeIsUpForAll) {
  SamplerSettings settings = short_settings(5);
  settings.draws = 100'000'000;
  settings.max_seconds = 0.3;
  Together group;
  run(group, 3, correlated_gaussian(), settings, at_random(3, 5));
  for (const SampleResult& result : group.results) {
    EXPECT_EQ(result.end, SampleEnd::out_of_time);
    EXPECT_GT(result.draws, 0);
    EXPECT_EQ(result.draws, group.results.front().draws);
  }
}

/// What one throws, others hear of, and chains have the same number of draws.
TEST(OverProcesses, AFailureOfOneEndsAll) {
  std::atomic<int> calls = 0;
  const auto model = std::make_shared<FunctionModel>(1, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls > 50'000) throw std::runtime_error("the model has had enough");
    if (!gradient.empty()) gradient[0] = -q[0];
    return -0.5 * q[0] * q[0];
  });
  SamplerSettings settings = short_settings(6);
  settings.draws = 1'000'000;
  Together group;
  try {
    run(group, 3, model, settings, at_random(1, 6));
    ADD_FAILURE() << "it went on";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("the model has had enough"), std::string::npos) << e.what();
  }
  std::map<Index, int> draws;
  for (const auto& [place, made] : group.made) ++draws[std::get<Index>(place)];
  ASSERT_EQ(draws.size(), 6U);
  for (const auto& [chain, count] : draws) EXPECT_EQ(count, draws[0]);
}

/// For the line of progress: the first counts what diverges anywhere.
TEST(OverProcesses, DivergencesOfAllAreCounted) {
  SamplerSettings settings = short_settings(4);
  settings.warmup = 0;
  settings.draws = 400;
  settings.first.step_size = 1.9;
  settings.trajectory = TrajectoryRule::of(TrajectoryKind::jittered, {.steps = 10}, 6);
  settings.metric = Metric::identity;
  std::int64_t told = 0;
  Together group;
  run(group, 2, std::make_shared<Funnel>(4), settings, at_random(4, 4), [&](int rank) {
    RunControl control;
    if (rank == 0) control.divergences = [&](std::int64_t more) { told += more; };
    return control;
  });
  std::int64_t divergences = 0;
  for (const auto& [place, made] : group.made) divergences += made.transition.status == Status::diverged ? 1 : 0;
  EXPECT_GT(divergences, 0);
  EXPECT_EQ(told, divergences);
}

/// Chain 3 is where single precision is too rough (see gradient_precision_test.cpp), and others are with another process.
TEST(OverProcesses, PrecisionIsThatOfAll) {
  std::vector<double> y(8, 0.0);
  y[0] = y[1] = 1.0;
  const auto model = std::make_shared<const LogisticRegression>(
      Matrix(8, 2, 1.0), y, LogisticOptions{.intercept = false, .prior_scale = 1e6, .names = {}});
  Starts starts{.q = OwnedBatch(2, 6)};
  starts.q(0, 3) = 1e6 + 0.1;
  starts.q(1, 3) = -1e6;
  SamplerSettings settings = short_settings(6);
  settings.warmup = 0;
  settings.draws = 1;
  Together group;
  run(group, 3, model, settings, starts);
  for (const SampleResult& result : group.results) EXPECT_EQ(result.gradient_precision, GradientPrecision::full);
}

/// The others hear of it before they draw another round.
TEST(OverProcesses, AFailureOfOneIsHeardAtOnce) {
  std::atomic<int> rounds = 0;
  EXPECT_THROW(in_group(2,
                        [&](Group& group) {
                          const ChainShare share(group, 2);
                          const bool failed = group.rank() == 1;
                          EXPECT_TRUE(share.agree({.failed = failed}).failed);
                          ++rounds;
                          if (failed) throw std::runtime_error("it fails");
                        }),
               std::runtime_error);
  EXPECT_EQ(rounds, 2);
}

/// In the order that is asked for, which need not be that of processes.
TEST(OverProcesses, PointsAreThoseOfTheChains) {
  in_group(3, [](Group& group) {
    const ChainShare share(group, 7);
    const std::vector<Index> chains{6, 0, 3, 2};
    const OwnedBatch points =
        share.of_all(chains, 2, [&](std::size_t k) { return std::vector{1.0 * static_cast<double>(chains[k]), 0.5}; });
    for (Index k = 0; k < 4; ++k) {
      EXPECT_EQ(points(0, k), static_cast<double>(chains[at(k)]));
      EXPECT_EQ(points(1, k), 0.5);
    }
  });
}

TEST(OverProcesses, EachNeedsAChain) {
  EXPECT_THROW(in_group(3, [](Group& group) { ChainShare(group, 2); }), InputError);
}

/// Decisions are taken by each, from the same numbers: where the numbers differ, draws would.
TEST(OverProcesses, OthersNumbersAreNoticed) {
  EXPECT_THROW(
      in_group(2,
               [](Group& group) {
                 (void)ChainShare(group, 2).agree({.step_size = group.is_first() ? 0.5 : std::nextafter(0.5, 1.0)});
               }),
      Error);
}

}  // namespace
}  // namespace darboux::testing

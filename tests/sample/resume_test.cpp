#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <darboux/model/function_model.hpp>
#include <darboux/structure/recipes.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "darboux/core/error.hpp"
#include "model/funnel.hpp"
#include "model/skewed.hpp"
#include "model/student_t.hpp"
#include "sample/sample_plan.hpp"
#include "support/expect.hpp"
#include "support/recorded_run.hpp"
#include "support/synthetic_logistic.hpp"

/// A run that goes on from a state makes the same draws as one that was never stopped.
namespace darboux::testing {
namespace {

/// Draws of one run by phase, iteration and chain, with all that is said of them.
struct Made {
  std::vector<double> values;
  Transition transition;
  bool operator==(const Made&) const = default;
};
using Place = std::tuple<Phase, int, Index>;

struct Point {
  Phase phase;
  int iterations;
  std::string state;
};

class Recorder final : public DrawSink, public CheckpointSink {
 public:
  void draw(const Draw& draw) override {
    const std::scoped_lock lock(mutex_);
    const bool is_new = made.emplace(Place{draw.phase, draw.iteration, draw.chain},
                                     Made{{draw.values.begin(), draw.values.end()}, draw.transition})
                            .second;
    EXPECT_TRUE(is_new);
  }
  void end_warmup(const SampleResult&) override { ++ends_of_warmup; }
  bool wants_state() override { return wants_states; }
  void take(Phase phase, int iterations, std::string state) override {
    points.push_back({phase, iterations, std::move(state)});
  }

  std::map<Place, Made> made;
  std::vector<Point> points;
  int ends_of_warmup = 0;
  bool wants_states = true;

 private:
  std::mutex mutex_;
};

struct Whole {
  Recorder recorder;
  SampleResult result;
};

/// A run from its beginning, at `starts` or anywhere.
void run(Whole& whole, const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
         RunControl control = {}, const std::optional<OwnedBatch>& starts = {}) {
  control.checkpoints = &whole.recorder;
  whole.result = Sampler(model, settings)
                     .run(starts.value_or(spread_starts(model->dim(), settings.chains)), whole.recorder, control);
}

void expect_same_rest(const Whole& whole, const Whole& rest, const Point& from) {
  std::map<Place, Made> expected;
  for (const auto& [place, made] : whole.recorder.made) {
    const auto& [phase, iteration, chain] = place;
    if (phase > from.phase || (phase == from.phase && iteration >= from.iterations)) expected.emplace(place, made);
  }
  EXPECT_TRUE(rest.recorder.made == expected) << rest.recorder.made.size() << " draws, not " << expected.size();
  EXPECT_EQ(rest.recorder.ends_of_warmup, from.phase == Phase::warmup ? 1 : 0);
  EXPECT_EQ(rest.result.tuning, whole.result.tuning);
  EXPECT_EQ(rest.result.gradient_precision, whole.result.gradient_precision);
  EXPECT_EQ(rest.result.warmup_gradients, whole.result.warmup_gradients);
  EXPECT_EQ(rest.result.sampling_gradients, whole.result.sampling_gradients);
  EXPECT_EQ(rest.result.target_acceptance, whole.result.target_acceptance);
  EXPECT_EQ(rest.result.hopeless, whole.result.hopeless);
  EXPECT_EQ(rest.result.refused, whole.result.refused);
  EXPECT_EQ(rest.result.scatter, whole.result.scatter);
  EXPECT_EQ(rest.result.late_gradients, whole.result.late_gradients);
  EXPECT_EQ(rest.result.late_chains, whole.result.late_chains);
  EXPECT_EQ(rest.result.absent_chains, whole.result.absent_chains);
  EXPECT_EQ(rest.result.draws, whole.result.draws);
}

/// From some of the points, first and last among them, and with other blocks and threads. Returns what came of the whole run.
SampleResult expect_resumable(const std::shared_ptr<const Model>& model, SamplerSettings settings,
                              const std::optional<Tuning>& tuning = {}, const std::optional<OwnedBatch>& starts = {}) {
  Whole whole;
  run(whole, model, settings, {.tuning = tuning}, starts);
  EXPECT_GT(whole.recorder.points.size(), 10U);
  constexpr std::size_t tried = 12;
  for (std::size_t i = 0; i <= tried; ++i) {
    const Point& from = whole.recorder.points[i * (whole.recorder.points.size() - 1) / tried];
    SCOPED_TRACE(fmt::format("{} {} of {}", name(settings.integrator), from.iterations, name(from.phase)));
    settings.threads = 1 + static_cast<int>(i % 3);
    Whole rest;
    run(rest, model, settings, {.tuning = tuning, .state = from.state});
    expect_same_rest(whole, rest, from);
  }
  return whole.result;
}

SamplerSettings settings_of(IntegratorKind integrator, TrajectoryKind trajectory) {
  SamplerSettings settings;
  settings.chains = 10;  // several blocks on several threads
  settings.warmup = 240;
  settings.draws = 60;
  settings.seed = 4;
  settings.integrator = integrator;
  settings.trajectory = TrajectoryRule::of(trajectory, {.most_steps = 30}, 6);
  if (!traits_of(integrator).is_explicit || traits_of(integrator).doubled_space)
    settings.structure = make_structure(Recipe::coupled, 3, {.size = SpectralStrength{0.5}, .seed = 2, .A = {}});
  return settings;
}

TEST(Resume, EveryIntegratorAndTrajectoryGoesOnAsIfItHadNotBeenStopped) {
  using enum IntegratorKind;
  using enum TrajectoryKind;
  for (const auto& [integrator, trajectory] : {std::pair{leapfrog, jittered},
                                               {leapfrog, nuts},
                                               {leapfrog, chees},
                                               {doubled, jittered},
                                               {split_midpoint, jittered}})
    (void)expect_resumable(correlated_gaussian(), settings_of(integrator, trajectory));
}

TEST(Resume, WhatIsKeptFromOneIterationToTheNextIsKept) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.first.momentum_kept = 0.7;
  (void)expect_resumable(correlated_gaussian(), settings);
}

TEST(Resume, MomentaOfFixedLengthAreKept) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.first.motion = MotionKind::microcanonical;
  settings.first.momentum_kept = 0.7;
  settings.first.stages = 2;
  (void)expect_resumable(correlated_gaussian(), settings);
}

TEST(Resume, PreconditionersOfEveryKindAreLearntFurther) {
  for (const Metric metric : all_values<Metric>()) {
    SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::chees);
    settings.metric = metric;
    (void)expect_resumable(synthetic_logistic(60, 5).model, settings);
  }
}

TEST(Resume, ShapesOfCoordinatesAreLearntFurther) {
  for (const std::optional<MarginalMap> map :
       {std::optional<MarginalMap>(), std::optional(MarginalMap::sinh_arcsinh)}) {
    SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
    settings.map = map;
    const SampleResult result = expect_resumable(std::make_shared<const Skewed>(3), settings);
    EXPECT_EQ(result.tuning.shapes.size(), 3U);
  }
}

TEST(Resume, ABurnInGoesOn) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  Tuning tuning{.step_size = 0.3, .steps = 4.0, .center = {}, .factor = {}, .shapes = {}};
  (void)expect_resumable(correlated_gaussian(), settings, tuning);
}

TEST(Resume, ChainsThatWereBroughtAlongStayKnown) {
  const auto two_modes = std::make_shared<FunctionModel>(2, [](std::span<const double> q, std::span<double> gradient) {
    const double side = std::abs(q[0] + 20.0) < std::abs(q[0] - 20.0) + 1.5 ? -20.0 : 20.0;
    if (!gradient.empty()) {
      gradient[0] = side - q[0];
      gradient[1] = -q[1];
    }
    return -0.5 * (std::pow(q[0] - side, 2) + q[1] * q[1]) - (side > 0.0 ? 60.0 : 0.0);
  });
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  OwnedBatch starts(2, settings.chains);
  for (Index c = 0; c < settings.chains; ++c) starts(0, c) = c == 3 ? 20.0 : -20.0;
  const SampleResult result = expect_resumable(two_modes, settings, {}, starts);
  EXPECT_EQ(result.late_chains, std::vector<Index>{3});
}

TEST(Resume, WallsAndNarrowPlacesStayKnown) {
  const auto half = std::make_shared<FunctionModel>(1, [](std::span<const double> q, std::span<double> gradient) {
    if (q[0] < -3.0) throw Reject();
    if (!gradient.empty()) gradient[0] = -1.0;
    return -q[0];
  });
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  EXPECT_GT(expect_resumable(half, settings).refused, 0.0);
  settings.acceptance_may_rise = true;
  settings.warmup = 600;
  EXPECT_GT(expect_resumable(std::make_shared<Funnel>(5), settings).hopeless, 0.0);
}

/// From every point of warm-up: the best pair may be one of before.
TEST(Resume, TheBestCopiesOfBeforeStayKnown) {
  const SamplerSettings settings = settings_of(IntegratorKind::doubled, TrajectoryKind::jittered);
  Whole whole;
  run(whole, correlated_gaussian(), settings);
  for (const Point& from : whole.recorder.points) {
    if (from.phase != Phase::warmup) continue;
    SCOPED_TRACE(from.iterations);
    Whole rest;
    run(rest, correlated_gaussian(), settings, {.state = from.state});
    EXPECT_EQ(rest.result.tuning.copy_spread, whole.result.tuning.copy_spread);
    EXPECT_EQ(rest.result.tuning.binding_angle, whole.result.tuning.binding_angle);
    expect_same_rest(whole, rest, from);
    if (::testing::Test::HasFailure()) return;
  }
}

/// From every point of warm-up, those between trials among them.
TEST(Resume, StepsAreChosenFromAllTrials) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.warmup = 300;
  settings.metric = Metric::dense;
  settings.chooses_steps = true;
  const auto model = synthetic_logistic(60, 5).model;
  Whole whole;
  run(whole, model, settings);
  EXPECT_GT(whole.result.tuning.step_spread, 0.0);
  for (const Point& from : whole.recorder.points) {
    if (from.phase != Phase::warmup) continue;
    SCOPED_TRACE(from.iterations);
    Whole rest;
    run(rest, model, settings, {.state = from.state});
    EXPECT_EQ(rest.result.tuning, whole.result.tuning);
    EXPECT_EQ(rest.result.foreseen, whole.result.foreseen);
    expect_same_rest(whole, rest, from);
    if (::testing::Test::HasFailure()) return;
  }
}

/// Steps, stages, shares of momentum and bent coordinates are chosen together, where nothing is asked for.
TEST(Resume, WhatWarmUpDecidesByDefaultIsDecidedTheSame) {
  const auto by_default = [](const std::shared_ptr<const Model>& model, SampleOptions asked) {
    asked.chains = 10;
    asked.warmup = 400;
    asked.draws = 60;
    asked.seed = 4;
    asked.threads = 1;
    const SamplePlan plan = plan_sampling(model, asked, StartsAre::known);
    EXPECT_TRUE(plan.settings.chooses_steps);
    return expect_resumable(model, plan.settings).tuning;
  };
  const auto logistic = synthetic_logistic(60, 5).model;
  EXPECT_GT(by_default(logistic, {}).step_spread, 0.0) << "steps are chosen";
  EXPECT_EQ(by_default(std::make_shared<const Skewed>(3), {}).shapes.size(), 3U) << "coordinates are bent";
  (void)by_default(std::make_shared<Funnel>(5), {});  // which narrows
  EXPECT_EQ(by_default(logistic, {.metric = Metric::low_rank}).factor.kind(), StructuredMatrix::Kind::low_rank);
  EXPECT_EQ(by_default(logistic, {.motion = MotionKind::microcanonical}).motion, MotionKind::microcanonical);
  EXPECT_EQ(by_default(std::make_shared<StudentT>(6, 5.0), {}).motion, MotionKind::microcanonical) << "it scatters";
}

/// Another number means that states consist of something else, which earlier versions do not read nor theirs this one: count up the
/// schema in src/run/checkpoint_file.cpp, and put the number here.
TEST(Resume, StatesOfThisSchemaHaveSoManyBytes) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::chees);
  settings.chains = 2;
  settings.metric = Metric::diagonal;
  Whole whole;
  run(whole, correlated_gaussian(), settings);
  EXPECT_EQ(whole.recorder.points.front().state.size(), 1421U) << "in warm-up";
  EXPECT_EQ(whole.recorder.points.back().state.size(), 715U) << "in sampling";
}

/// Whether or not anybody has asked for a state since.
TEST(Resume, DrawsCanBeAdded) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::nuts);
  Whole whole, part, rest;
  run(whole, correlated_gaussian(), settings);
  settings.draws = 17;
  part.recorder.wants_states = false;
  run(part, correlated_gaussian(), settings);
  ASSERT_EQ(part.recorder.points.size(), 1U);
  const Point& end = part.recorder.points.back();
  EXPECT_EQ(end.phase, Phase::sampling);
  EXPECT_EQ(end.iterations, 17);
  settings.draws = 60;
  run(rest, correlated_gaussian(), settings, {.state = end.state});
  expect_same_rest(whole, rest, end);
}

/// Stopped within a round, where some blocks have got further than others: the state is one from before.
TEST(Resume, AStopLeavesStatesThatAreWhole) {
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> calls = 0, last = std::numeric_limits<std::int64_t>::max();
  const auto model = std::make_shared<FunctionModel>(2, [&](std::span<const double> q, std::span<double> gradient) {
    if (++calls >= last) stop = true;
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = -q[j];
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  });
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.chains = 40;
  Whole whole;
  run(whole, model, settings);
  const std::int64_t all = calls;
  for (int percent = 5; percent < 100; percent += 5) {
    SCOPED_TRACE(percent);
    Whole part, rest;
    calls = 0;
    last = all * percent / 100;
    run(part, model, settings, {.stop = &stop});
    ASSERT_EQ(part.result.end, SampleEnd::interrupted);
    last = std::numeric_limits<std::int64_t>::max();
    stop = false;
    const Point& from = part.recorder.points.back();
    run(rest, model, settings, {.state = from.state});
    expect_same_rest(whole, rest, from);
  }
}

/// Where in a state of warm-up its iteration is: the number that every point names.
std::size_t place_of_iteration(const std::vector<Point>& points) {
  const auto has_it = [](const Point& point, std::size_t at) {
    std::int32_t found = 0;
    std::memcpy(&found, point.state.data() + at, sizeof found);
    return found == point.iterations;
  };
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at + sizeof(std::int32_t) <= points.front().state.size(); ++at)
    if (std::ranges::all_of(points, [&](const Point& point) { return has_it(point, at); })) places.push_back(at);
  EXPECT_EQ(places.size(), 1U);
  return places.empty() ? 0 : places.front();
}

/// A wrong byte in a checkpoint, whose checksum somebody has made to fit.
TEST(Resume, AWarmUpThatIsNowhereIsRefused) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.draws = 1;
  settings.metric = Metric::identity;
  Whole whole;
  run(whole, correlated_gaussian(), settings);
  std::vector<Point> of_warmup = whole.recorder.points;
  std::erase_if(of_warmup, [](const Point& point) { return point.phase != Phase::warmup; });
  // Of the last stretch, in which lists do not grow any more.
  std::erase_if(of_warmup,
                [size = of_warmup.back().state.size()](const Point& point) { return point.state.size() != size; });
  ASSERT_GT(of_warmup.size(), 3U);
  const std::size_t iteration = place_of_iteration(of_warmup);
  // As WarmUp::archive has them: iteration, stretch, whether it is in it, iterations left of it.
  const std::size_t stretch = iteration + sizeof(std::int32_t), left = stretch + sizeof(Index) + 1;
  for (const auto& [what, byte] : {std::pair{"a negative iteration", iteration + sizeof(std::int32_t) - 1},
                                   {"a negative stretch", stretch + sizeof(Index) - 1},
                                   {"a stretch after the last", stretch + 1},
                                   {"fewer than no iterations left", left + sizeof(std::int32_t) - 1},
                                   {"more left than there are", left + sizeof(std::int32_t) - 2}}) {
    std::string state = of_warmup.front().state;
    state.at(byte) = static_cast<char>(state.at(byte) ^ 0x80);
    Whole other;
    EXPECT_TRUE(mentions(message_of<Error>([&] { run(other, correlated_gaussian(), settings, {.state = state}); }),
                         {"warm-up is where it never gets"}))
        << what;
  }
}

TEST(Resume, AStateOfOtherSettingsIsRefused) {
  SamplerSettings settings = settings_of(IntegratorKind::leapfrog, TrajectoryKind::jittered);
  settings.draws = 1;
  Whole whole, other;
  run(whole, correlated_gaussian(), settings);
  settings.chains = 11;
  EXPECT_FALSE(message_of<Error>([&] {
                 run(other, correlated_gaussian(), settings, {.state = whole.recorder.points.back().state});
               }).empty());
}

}  // namespace
}  // namespace darboux::testing

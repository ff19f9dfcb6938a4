#include <gtest/gtest.h>

#include <cmath>
#include <darboux/model/differentiate.hpp>
#include <darboux/model/function_model.hpp>
#include <numeric>

#include "model/fitzhugh_nagumo.hpp"
#include "model/funnel.hpp"
#include "model/gaussian.hpp"
#include "model/student_t.hpp"
#include "run/efficiency.hpp"
#include "sample/density_scatter.hpp"
#include "sample/result_in_words.hpp"
#include "sample/sample_plan.hpp"
#include "sample/sampler.hpp"
#include "support/expect.hpp"

/// What warm-up makes of StepChoice.
namespace darboux::testing {
namespace {

/// Takes no draws.
class Nobody final : public DrawSink {
 public:
  void draw(const Draw&) override {}
};

struct Told {
  SampleResult result;
  std::string steps, reason;
};
Told told_by_run(const std::shared_ptr<const Model>& model, SampleOptions options) {
  options.seed = options.seed.value_or(1);
  options.threads = 1;
  options.draws = 200;
  const SamplePlan plan = plan_sampling(model, options);
  Nobody nobody;
  const SampleResult result = Sampler(plan.model, plan.settings).run(plan.starts, nobody, {.tuning = plan.tuning});
  return {result, steps_in_words(result, plan.settings), steps_reason(result, plan.settings)};
}
SampleResult result_of(const std::shared_ptr<const Model>& model, const SampleOptions& options) {
  return told_by_run(model, options).result;
}

std::shared_ptr<const Model> round_gaussian(Index dim) {
  return std::make_shared<Gaussian>(Gaussian::from_precision(std::vector<double>(at(dim), 0.0), Matrix::identity(dim)));
}

TEST(ChosenSteps, AreOneOfTwoStagesForARoundTarget) {
  const auto [result, steps, reason] = told_by_run(round_gaussian(10), {});
  EXPECT_EQ(result.tuning.stages, 2);
  EXPECT_EQ(result.tuning.steps, 1.0);
  EXPECT_NEAR(result.tuning.step_size, 1.5, 0.1);
  EXPECT_EQ(result.tuning.step_spread, 0.2);
  EXPECT_GT(result.foreseen, 1.3 * result.foreseen_otherwise);
  EXPECT_EQ(result.sampling_gradients, 4 * 200 * 2);
  EXPECT_TRUE(mentions(steps, {"1 step of 2 stages, each 1.5 ± 20 %", reason}));
  EXPECT_TRUE(mentions(reason, {"foreseen", "acceptance alone"}));
}

/// What is foreseen for a Gaussian is what comes.
TEST(ChosenSteps, YieldWhatIsForeseen) {
  for (const Index dim : {5, 50}) {
    const SamplePlan plan = plan_sampling(round_gaussian(dim), {.draws = 4000, .seed = 3, .threads = 1});
    const Efficiency found = measure_efficiency(plan.model, plan.settings, plan.starts);
    const SampleResult result = result_of(round_gaussian(dim), {.seed = 3});
    const double per_gradient = found.ess() / found.gradients();
    EXPECT_NEAR(per_gradient / result.foreseen, 1.0, 0.2) << dim;
  }
}

/// One that narrows so much that some proposals hardly have a chance.
TEST(ChosenSteps, AreNotLongWhereADensityNarrows) {
  const auto [result, steps, reason] = told_by_run(std::make_shared<Funnel>(5, Funnel::Form::centred), {});
  ASSERT_GT(result.hopeless, 0.0);
  EXPECT_GT(result.scatter, DensityScatter::wide);
  EXPECT_EQ(result.tuning.motion, MotionKind::hamiltonian) << "of which diagnostics show the neck";
  EXPECT_GE(result.narrow, result.hopeless);
  EXPECT_TRUE(mentions(steps, {"steps on average", reason}));
  EXPECT_TRUE(mentions(reason, {"no longer ones were tried", "hardly had a chance"}));
  EXPECT_EQ(result.tuning.step_spread, 0.0);
  EXPECT_EQ(result.tuning.stages, 1);
  EXPECT_EQ(result.foreseen, 0.0);
}

/// One that narrows a little: steps are for a higher acceptance then, and may be few and long all the same.
TEST(ChosenSteps, AreCarefulWhereAFewProposalsAreHopeless) {
  int careful = 0, long_steps = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const SampleResult result = result_of(std::make_shared<FitzHughNagumo>(), {.seed = seed});
    if (result.hopeless == 0.0) continue;
    EXPECT_GE(result.hopeless, 0.01) << seed;
    EXPECT_DOUBLE_EQ(result.target_acceptance, 0.95) << seed;
    if (result.hopeless >= 0.02) {
      EXPECT_EQ(result.tuning.step_spread, 0.0) << seed;
      continue;
    }
    ++careful;
    long_steps += result.tuning.step_spread > 0.0 ? 1 : 0;
    EXPECT_EQ(care_in_words(result).empty(), result.tuning.step_spread > 0.0) << seed;
  }
  EXPECT_GE(careful, 2);
  EXPECT_GE(long_steps, 1);
}

/// With five degrees of freedom.
std::shared_ptr<const Model> with_long_tails(Index dim) { return std::make_shared<StudentT>(dim, 5.0); }

/// Hamiltonian motion keeps the energy, and with long tails there are many levels of it to cross.
TEST(ChosenSteps, AreMicrocanonicalWhereLogDensitiesScatter) {
  const SampleResult result = result_of(with_long_tails(10), {});
  EXPECT_GT(result.scatter, DensityScatter::wide);
  EXPECT_EQ(result.tuning.motion, MotionKind::microcanonical);
  EXPECT_EQ(result.tuning.momentum_kept, 0.4);
  EXPECT_NEAR(result.tuning.steps * result.tuning.step_size, 2.0, 0.3);
  EXPECT_EQ(result.foreseen, 0.0) << "of a Gaussian, which it is not";
}

TEST(ChosenSteps, AreHamiltonianForAGaussian) {
  for (const Index dim : {5, 100, 300}) {
    const SampleResult result = result_of(round_gaussian(dim), {});
    EXPECT_NEAR(result.scatter, 1.0, 0.35) << dim;
    EXPECT_EQ(result.tuning.motion, MotionKind::hamiltonian) << dim;
  }
}

TEST(ChosenSteps, AreOfTheMotionThatIsGiven) {
  const SampleResult result = result_of(with_long_tails(10), {.motion = MotionKind::hamiltonian});
  EXPECT_GT(result.scatter, DensityScatter::wide);
  EXPECT_EQ(result.tuning.motion, MotionKind::hamiltonian);
}

/// The same plan as where warm-up chose that motion, and the same words: nothing is foreseen of what is not Hamiltonian.
TEST(ChosenSteps, OfMicrocanonicalMotionAreTheSameGivenAndChosen) {
  for (const std::optional<MotionKind> given : {std::optional<MotionKind>(), std::optional(MotionKind::microcanonical)})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const auto [result, steps, reason] = told_by_run(with_long_tails(10), {.seed = seed, .motion = given});
      EXPECT_EQ(result.tuning.motion, MotionKind::microcanonical);
      EXPECT_EQ(result.tuning.momentum_kept, 0.4);
      EXPECT_NEAR(result.tuning.steps * result.tuning.step_size, 2.0, 0.3);
      EXPECT_EQ(result.tuning.step_spread, 0.2);
      EXPECT_EQ(result.foreseen, 0.0);
      EXPECT_TRUE(mentions(reason, {"cannot be foreseen in this motion"}));
    }
  const Tuning by_rule =
      result_of(with_long_tails(10), {.motion = MotionKind::microcanonical, .trajectory = TrajectoryKind::jittered})
          .tuning;
  EXPECT_EQ(by_rule.momentum_kept, 0.0) << "a rule that is given leaves nothing to choose";
  EXPECT_EQ(by_rule.step_spread, 0.0);
}

/// Shorter than steps that acceptance alone would have.
TEST(ChosenSteps, AreAsShortAsATimeThatIsGiven) {
  for (const double time : {0.3, 0.1, 0.03})
    for (const std::optional<TrajectoryKind> rule :
         {std::optional<TrajectoryKind>(), std::optional(TrajectoryKind::jittered)}) {
      const auto [result, steps, reason] =
          told_by_run(round_gaussian(3), {.trajectory = rule, .trajectory_time = time});
      EXPECT_NEAR(result.tuning.steps * result.tuning.step_size / time, 1.0, 0.11) << steps;
      if (!rule) {
        EXPECT_TRUE(mentions(reason, {"foreseen, were the target Gaussian"}));
      } else {
        EXPECT_TRUE(mentions(steps, {"1 step, of size"}));
        EXPECT_FALSE(mentions(steps, {"1 steps"}));
      }
    }
}

TEST(ChosenSteps, KeepTimeAndRefreshmentThatAreGivenInAnyMotion) {
  const SampleResult result = result_of(with_long_tails(10), {.trajectory_time = 1.0, .momentum_kept = 0.2});
  EXPECT_EQ(result.tuning.motion, MotionKind::microcanonical);
  EXPECT_EQ(result.tuning.momentum_kept, 0.2);
  EXPECT_NEAR(result.tuning.steps * result.tuning.step_size, 1.0, 0.15);
}

TEST(ChosenSteps, AreHamiltonianInFewDimensions) {
  const SampleResult result = result_of(with_long_tails(2), {});
  EXPECT_GT(result.scatter, DensityScatter::wide);
  EXPECT_EQ(result.tuning.motion, MotionKind::hamiltonian);
}

TEST(ChosenSteps, AreHamiltonianBesideWalls) {
  const auto half = std::make_shared<FunctionModel>(10, [](std::span<const double> q, std::span<double> gradient) {
    if (q[0] < 0.0 || q[1] < 0.0) throw Reject();
    constexpr double freedom = 5.0, power = 15.0;  // of Student's t
    const double away = freedom + std::inner_product(q.begin(), q.end(), q.begin(), 0.0);
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = -power * q[j] / away;
    return -0.5 * power * std::log(away);
  });
  const SampleResult result = result_of(half, {});
  ASSERT_GT(result.refused, 0.0);
  EXPECT_GT(result.scatter, DensityScatter::wide);
  EXPECT_EQ(result.tuning.motion, MotionKind::hamiltonian);
}

/// With one stage and all momentum drawn anew, a step by acceptance alone may be nearly a quarter turn in two dimensions.
TEST(ChosenSteps, AreThoseThatAreForeseenToGiveMore) {
  int by_acceptance = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto [result, steps, reason] =
        told_by_run(round_gaussian(2), {.seed = seed, .stages = 1, .momentum_kept = 0.0});
    ASSERT_GT(result.foreseen, 0.0);
    if (result.tuning.step_spread > 0.0) {
      EXPECT_GT(result.foreseen, result.foreseen_otherwise) << seed;
      continue;
    }
    EXPECT_EQ(result.foreseen, result.foreseen_otherwise) << seed;
    EXPECT_TRUE(mentions(steps, {"steps on average", "no fixed number of longer steps"}));
    ++by_acceptance;
  }
  EXPECT_GT(by_acceptance, 0);
  EXPECT_LT(by_acceptance, 10);
}

TEST(ChosenSteps, KeepToWhatIsGiven) {
  const auto model = round_gaussian(10);
  EXPECT_EQ(result_of(model, {.stages = 3}).tuning.stages, 3);
  EXPECT_EQ(result_of(model, {.momentum_kept = 0.25}).tuning.momentum_kept, 0.25);
  const Tuning longer = result_of(model, {.trajectory_time = 3.0}).tuning;
  EXPECT_NEAR(longer.steps * longer.step_size, 3.0, 0.35);
  for (const SampleOptions& options :
       {SampleOptions{.trajectory = TrajectoryKind::jittered}, SampleOptions{.steps = 3},
        SampleOptions{.metric = Metric::identity}, SampleOptions{.direction = DirectionMode::random}}) {
    const Tuning tuning = result_of(model, options).tuning;
    EXPECT_EQ(tuning.step_spread, 0.0);
    EXPECT_EQ(tuning.stages, 1);
    EXPECT_EQ(tuning.momentum_kept, 0.0);
  }
  EXPECT_EQ(result_of(model, {.stages = 2, .trajectory = TrajectoryKind::jittered}).tuning.stages, 2);
  EXPECT_EQ(result_of(model, {.stages = 2, .trajectory = TrajectoryKind::nuts}).tuning.stages, 2);
}

/// Where they are not chosen, a run says why.
TEST(ChosenSteps, HaveAReason) {
  const auto model = round_gaussian(10);
  EXPECT_TRUE(mentions(told_by_run(model, {.warmup = 150}).steps, {"a warm-up of 150 iterations is too short", "200"}));
  EXPECT_GT(result_of(model, {.warmup = 200}).foreseen, 0.0);
  const Told by_rule = told_by_run(model, {.trajectory = TrajectoryKind::jittered});
  EXPECT_TRUE(mentions(by_rule.reason, {"what is asked for leaves nothing else to choose"}));
  EXPECT_FALSE(mentions(by_rule.steps, {"asked"}));
  EXPECT_TRUE(mentions(told_by_run(model, {.warmup = 0, .step_size = 0.5}).reason, {"nothing was adapted"}));
  EXPECT_TRUE(mentions(told_by_run(model, {.tuning = by_rule.result.tuning}).reason, {"nothing was adapted"}));
  SampleOptions careless{.target_acceptance = 0.9};
  const Told kept = told_by_run(std::make_shared<Funnel>(5, Funnel::Form::centred), careless);
  EXPECT_EQ(kept.result.hopeless, 0.0) << "the acceptance stays where it was given";
  EXPECT_TRUE(mentions(kept.reason, {"no longer ones were tried", "hardly had a chance"}));
}

/// More stages are accepted at half a turn and beyond, where trajectories are long enough; but nothing is learnt of squares there.
TEST(ChosenSteps, OfMoreStagesAreAtMostAQuarterTurn) {
  for (const int stages : {2, 3})
    for (const double time : {3.2, 10.0}) {
      const SampleResult result = result_of(
          round_gaussian(3), {.stages = stages, .trajectory = TrajectoryKind::jittered, .trajectory_time = time});
      EXPECT_LE(result.tuning.step_size, 1.5 + 1e-9) << stages << ' ' << time;
      EXPECT_GT(result.tuning.step_size, 0.7) << stages << ' ' << time;
    }
}

/// A later run goes on with what was chosen.
TEST(ChosenSteps, ComeWithATuning) {
  const auto model = round_gaussian(10);
  const Tuning found = result_of(model, {}).tuning;
  const SampleResult again = result_of(model, {.tuning = found});
  EXPECT_EQ(again.tuning, found);
  EXPECT_EQ(again.sampling_gradients, 4 * 200 * 2);
  EXPECT_EQ(result_of(model, {.momentum_kept = 0.5, .tuning = found}).tuning.momentum_kept, 0.5);
  for (const IntegratorKind other : {IntegratorKind::magnetic_leapfrog, IntegratorKind::midpoint}) {
    const std::string message =
        message_of<InputError>([&] { (void)result_of(model, {.integrator = other, .tuning = found}); });
    EXPECT_TRUE(mentions(message, {"tuning: ", name(other), "the integrator and structure that it was found for"}));
  }
}

}  // namespace
}  // namespace darboux::testing

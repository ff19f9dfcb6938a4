#include "run/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <darboux/core/error.hpp>

namespace darboux::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Methods, AreWordsInAnyOrder) {
  for (const char* const text : {"jittered/doubled/coupled:0.25/diagonal", "diagonal/coupled:0.25/doubled/static"}) {
    const RunConfig c = with_method({}, text);
    EXPECT_EQ(c.trajectory, TrajectoryKind::jittered);
    EXPECT_EQ(c.integrator, IntegratorKind::doubled);
    EXPECT_EQ(c.structure_source, "coupled");
    EXPECT_EQ(c.strength, 0.25);
    EXPECT_EQ(c.metric, Metric::diagonal);
  }
  EXPECT_EQ(with_method({}, "mine.json").structure_source, "mine.json");
}

TEST(Methods, LeaveTheRestAsItIs) {
  RunConfig base;
  base.structure_source = "coupled";
  base.k = 3.0;
  base.metric = Metric::identity;
  const RunConfig nuts = with_method(base, "nuts");
  EXPECT_EQ(nuts.structure_source, "coupled");
  EXPECT_EQ(nuts.k, 3.0);
  EXPECT_EQ(nuts.metric, Metric::identity);
  EXPECT_FALSE(nuts.integrator.has_value());
  EXPECT_EQ(with_method(base, "magnetic-position").k, 3.0);
  for (const char* const none : {"canonical", "auto"}) {
    const RunConfig c = with_method(base, none);
    EXPECT_EQ(c.structure_source, none);
    EXPECT_FALSE(c.k.has_value()) << "has no strength";
  }
  const RunConfig other = with_method(base, "magnetic-position:0.5");
  EXPECT_FALSE(other.k.has_value());
  EXPECT_EQ(other.strength, 0.5);
}

TEST(Methods, RefuseWhatIsNone) {
  const auto refused = [](const char* text, const auto& message) {
    EXPECT_THAT([&] { (void)with_method({}, text); }, ThrowsMessage<InputError>(message)) << text;
  };
  refused("chees/lepfrog", AllOf(HasSubstr("method chees/lepfrog: unknown word"), HasSubstr("mean \"leapfrog\"?")));
  refused("nuts/chees", HasSubstr("nuts and chees both name the trajectory"));
  refused("nuts:3", HasSubstr("only a structure takes a number"));
  refused("coupled:x", HasSubstr("strength = x: must be a number"));
  refused("nuts/", HasSubstr("unknown word \"\""));
}

RunConfig gaussian() {
  RunConfig c;
  c.model = "gaussian";
  c.dimension = 3;
  c.warmup = 100;
  c.draws = 150;
  c.seed = 5;
  return c;
}

TEST(Comparison, IsRefusedBeforeAnythingIsRun) {
  const auto refused = [](const RunConfig& c, const std::vector<std::string>& methods, const auto& message) {
    EXPECT_THAT([&] { (void)plan_comparison(c, methods); }, ThrowsMessage<InputError>(message));
  };
  refused(gaussian(), {"nuts", "leapfrog/coupled"}, HasSubstr("method leapfrog/coupled: "));
  refused(gaussian(), {"nuts", "nuts"}, HasSubstr("method nuts is named twice"));
  RunConfig c = gaussian();
  c.target_ess = 100;
  refused(c, {"nuts"}, HasSubstr("target-ess cannot be used to compare"));
}

/// Seeds and starting points are those of single runs, the same for all methods.
TEST(Comparison, HoldsAllButTheMethodEqual) {
  Comparison comparison = plan_comparison(gaussian(), {"nuts", "chees"});
  std::vector<std::string> order;
  run_comparison(comparison, 2,
                 [&](const ComparedMethod& m, int run) { order.push_back(m.name + std::to_string(run)); });
  EXPECT_THAT(order, ::testing::ElementsAre("nuts0", "chees0", "nuts1", "chees1"));
  for (std::size_t run = 0; run < 2; ++run) {
    RunConfig c = with_method(gaussian(), "chees");
    c.seed = 5 + run;
    c.threads = 1;
    const SamplePlan plan = make_plan(c).sample;
    const Efficiency alone = measure_efficiency(plan.model, plan.settings, plan.starts);
    EXPECT_EQ(comparison.methods[1].runs[run].ess(), alone.ess());
    EXPECT_EQ(comparison.methods[1].runs[run].cost.sampling_gradients, alone.cost.sampling_gradients);
  }
  EXPECT_NE(comparison.methods[1].runs[0].ess(), comparison.methods[1].runs[1].ess());
}

/// A method whose runs have these effective sizes for 1000 gradients.
ComparedMethod with_sizes(const std::vector<double>& sizes, double rhat = 1.0) {
  ComparedMethod method;
  for (const double size : sizes) {
    Efficiency run;
    run.bulk_ess = run.square_ess = size;
    run.rhat = rhat;
    run.cost.sampling_gradients = 1000;
    run.cost.warmup_gradients = 3000;
    run.cost.sampling_seconds = 2.0;
    run.failures = 1;
    method.runs.push_back(run);
  }
  return method;
}

/// Three draws have no R̂: nothing is known to be well.
TEST(Comparison, ARunTooShortToTellIsNotConverged) {
  RunConfig c = gaussian();
  c.draws = 3;
  c.seed = 1;
  const SamplePlan plan = make_plan(c).sample;
  const Efficiency seen = measure_efficiency(plan.model, plan.settings, plan.starts);
  EXPECT_FALSE(seen.converged());
  EXPECT_EQ(seen.ess(), 0.0);
  EXPECT_GT(seen.rhat, 1e300);
  EXPECT_EQ(interval_of({seen.ess(), 1.0}).center, 0.0);
}

TEST(Comparison, MeasuresPerUnitOfCost) {
  const ComparedMethod method = with_sizes({400.0, 400.0});
  EXPECT_NEAR(method.per_1000_gradients().center, 400.0, 1e-9);
  EXPECT_NEAR(method.per_1000_gradients_with_warmup().center, 100.0, 1e-9);
  EXPECT_NEAR(method.per_second().center, 200.0, 1e-9);
  EXPECT_EQ(method.failures(), 2);
}

TEST(Comparison, ClaimsNoDifferenceWhereIntervalsOverlap) {
  std::vector<ComparedMethod> methods{
      with_sizes({400, 410, 420}), with_sizes({500, 510, 520}),       with_sizes({300, 510, 700}),
      with_sizes({800, 810, 820}), with_sizes({900, 910, 920}, 1.06), with_sizes({900, 910, 99}),
  };
  methods[3].settings.integrator = IntegratorKind::explicit_copies;
  EXPECT_THAT(standings(methods),
              ::testing::ElementsAre(Standing::worse, Standing::best, Standing::no_difference, Standing::approximate,
                                     Standing::not_converged, Standing::not_converged));
  methods[3].settings.integrator = IntegratorKind::midpoint;
  methods[3].settings.kernel.reverse_check_rate = 0.5;
  EXPECT_EQ(standings(methods)[3], Standing::approximate);
  EXPECT_THAT(standings({methods[4]}), ::testing::ElementsAre(Standing::not_converged));
}

}  // namespace
}  // namespace darboux::testing

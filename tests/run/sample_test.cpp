#include "darboux/run/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/diagnose/ess.hpp>
#include <darboux/model/differentiate.hpp>
#include <darboux/model/registry.hpp>
#include <darboux/structure/recipes.hpp>
#include <filesystem>
#include <memory>
#include <numbers>
#include <optional>
#include <span>

#include "draws/read_columns.hpp"
#include "model/logistic_data.hpp"
#include "run/draws_content.hpp"
#include "run/file_run.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
namespace fs = std::filesystem;

auto skewed() {
  return differentiate(2, [](const auto& q) {
    using std::exp;
    return q[0] - exp(q[0]) - 0.5 * q[1] * q[1];
  });
}

std::vector<double> all_of(const ChainDraws& draws) {
  std::vector<double> values;
  for (const auto chain : draws) values.insert(values.end(), chain.begin(), chain.end());
  return values;
}

TEST(Sample, GivesDrawsWithWhatTheSamplerSays) {
  const Draws draws = sample(skewed(), {.chains = 3, .draws = 400, .seed = 1});
  EXPECT_EQ(draws.names(), (std::vector<std::string>{"q[1]", "q[2]"}));
  EXPECT_EQ(draws.chains(), 3);
  EXPECT_EQ(draws.size(), 400);
  EXPECT_EQ(draws["q[1]"].size(), 1200U);
  EXPECT_EQ(draws["lp__"][1][7], draws.transitions(1)[7].log_density);
  EXPECT_EQ(draws.warmup("q[1]").size(), 0U);
  EXPECT_EQ(draws.transitions(2).size(), 400U);
  EXPECT_GT(draws.result().tuning.step_size, 0.0);
  EXPECT_GT(draws.result().sampling_gradients, 1200);
  EXPECT_EQ(draws.result().end, SampleEnd::complete);
  EXPECT_THAT([&] { (void)draws["q[3]"]; }, ThrowsMessage<InputError>(HasSubstr("unknown quantity \"q[3]\"")));
}

/// What is taken while a run goes on are draws that it has to its end.
TEST(Sample, CanBeLookedAtWhileItGoesOn) {
  const auto model = std::make_shared<const decltype(skewed())>(skewed());
  const auto content = std::make_shared<Draws::Content>(
      plan_sampling(model, {.chains = 3, .draws = 40, .save_warmup = true, .seed = 1, .threads = 1}));
  std::optional<Draws> looked;
  CallbackSink sink([&](const Draw& draw) {
    if (draw.phase != Phase::sampling || draw.chain != 2 || draw.iteration != 20) return;
    SampleResult so_far;
    so_far.end = SampleEnd::interrupted;
    looked = finished_so_far(*content, so_far);
  });
  const Draws draws = sample_into(content, {.sink = &sink});
  ASSERT_TRUE(looked);
  EXPECT_GT(looked->size(), 0);
  EXPECT_LE(looked->size(), 21);
  EXPECT_EQ(looked->result().draws, looked->size());
  EXPECT_EQ(looked->result().end, SampleEnd::interrupted);
  EXPECT_EQ(draws.result().end, SampleEnd::complete);
  for (const char* name : {"q[1]", "lp__"})
    for (std::size_t c = 0; c < 3; ++c) {
      const std::span<const double> some = (*looked)[name][c], all = draws[name][c];
      EXPECT_EQ(all_of(ChainDraws({some})), all_of(ChainDraws({all.first(some.size())}))) << name;
      EXPECT_EQ(looked->warmup(name)[c].size(), draws.warmup(name)[c].size());
    }
}

/// A half-normal whose log density is NaN on the other side.
TEST(Sample, DrawsAreNeverWhereTheDensityIsNoNumber) {
  const auto half = differentiate(1, [](const auto& q) {
    using std::log;
    return -0.5 * q[0] * q[0] + 0.0 * log(q[0]);
  });
  const Draws draws = sample(half, {.draws = 4000, .seed = 1});
  for (const double x : all_of(draws["q[1]"])) ASSERT_GT(x, 0.0);
  const Summary x = draws.summary().rows[1].values;
  EXPECT_NEAR(x.mean, std::sqrt(2.0 / std::numbers::pi), 4.0 * x.mcse_mean);
  EXPECT_GT(x.ess_bulk, 400.0);
  EXPECT_LT(x.rhat, 1.01);
}

TEST(Sample, SummarisesAsTheCommandLineDoes) {
  const DrawsSummary summary = sample(skewed(), {.seed = 1}).summary();
  ASSERT_EQ(summary.rows.size(), 3U);
  EXPECT_EQ(summary.rows[0].name, "lp__");
  EXPECT_NEAR(summary.rows[1].values.mean, -0.5772, 4.0 * summary.rows[1].values.mcse_mean);
  EXPECT_TRUE(summary.warnings.empty()) << summary.warnings.front();
  EXPECT_THAT(summary.text, HasSubstr("q[1]"));
  EXPECT_FALSE(sample(skewed(), {.chains = 1, .draws = 10, .seed = 1}).summary().warnings.empty());
}

/// What a model says of its data is a warning here, too.
TEST(Sample, SummarisesWhatTheModelFoundInItsData) {
  std::string table = "y,x\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i / 20) + "," + std::to_string(i * i) + "\n";
  const DrawsSummary summary =
      sample(std::make_shared<const StandardisedLogistic>(logistic_from_table(parse_csv(table, "a.csv"))),
             {.draws = 200, .seed = 1})
          .summary();
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_THAT(summary.warnings.back(), HasSubstr("(separation)"));
  EXPECT_THAT(summary.text, HasSubstr("(separation)"));
}

/// The same decisions, and so the same draws, to the last bit: by dimension, by structure, with a rule of one's own.
TEST(Sample, MakesTheChoicesOfTheCommandLine) {
  const fs::path folder = fs::temp_directory_path() / ("darboux_sample_" + std::to_string(::getpid()));
  const auto compare = [&](const std::function<void(RunConfig&)>& configure,
                           const std::function<void(SampleOptions&)>& choose) {
    RunConfig config;
    config.model = "skewed";
    config.dimension = 4;
    config.warmup = 120;
    config.draws = 20;
    config.seed = 5;
    config.out = folder.string();
    configure(config);
    (void)run_to_files(make_plan(config));
    SampleOptions options{.warmup = 120, .draws = 20, .seed = 5};
    choose(options);
    ModelOptions of_model;
    of_model.dimension = config.dimension;
    const Draws draws = sample(make_model("skewed", of_model), options);
    for (Index c = 0; c < draws.chains(); ++c) {
      const StanCsvReader file(folder / ("chain_" + std::to_string(c + 1) + ".csv"));
      const auto written = read_columns(file, std::vector<std::size_t>{0, 7});
      const ChainDraws first = draws[draws.names().front()];
      EXPECT_EQ(written[1], std::vector<double>(first[at(c)].begin(), first[at(c)].end()));
      for (std::size_t i = 0; i < written[0].size(); ++i) EXPECT_EQ(written[0][i], draws.transitions(c)[i].log_density);
    }
    fs::remove_all(folder);
  };
  compare([](RunConfig&) {}, [](SampleOptions&) {});
  compare([](RunConfig& c) { c.dimension = 201; }, [](SampleOptions&) {});
  compare([](RunConfig& c) { c.trajectory = TrajectoryKind::nuts; },
          [](SampleOptions& o) { o.trajectory = TrajectoryKind::nuts; });
  compare([](RunConfig& c) { c.structure_source = "coupled"; },
          [](SampleOptions& o) {
            o.structure = make_structure(Recipe::coupled, 4, {.size = SpectralStrength{0.5}, .seed = 1, .A = {}});
          });
}

TEST(Sample, ThinsAndKeepsWarmUpWhereWanted) {
  const SampleOptions all{.warmup = 30, .draws = 21, .seed = 2};
  SampleOptions some = all;
  some.thin = 4;
  some.save_warmup = true;
  const Draws whole = sample(skewed(), all), thinned = sample(skewed(), some);
  EXPECT_EQ(thinned.size(), 6);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(thinned["q[1]"][0][i], whole["q[1]"][0][4 * i]);
  EXPECT_EQ(thinned.warmup("q[2]")[0].size(), 8U);
  EXPECT_EQ(whole.warmup("q[2]")[0].size(), 0U);
}

TEST(Sample, GoesOnUntilThereAreEnoughEffectiveDraws) {
  const Draws draws = sample(skewed(), {.draws = 50, .target_ess = 1000, .seed = 3});
  EXPECT_GT(draws.size(), 50);
  EXPECT_GE(ess_bulk(draws["q[1]"]), 1000.0);
  EXPECT_GE(ess_bulk(draws["q[2]"]), 1000.0);
}

TEST(Sample, LetsOthersWatchAndStop) {
  std::atomic<bool> stop{false};
  std::atomic<int> warmup{0}, seen{0};
  CallbackSink watcher([&](const Draw& draw) {
    if (draw.phase == Phase::warmup)
      ++warmup;
    else if (++seen == 40)
      stop = true;
  });
  const Draws draws =
      sample(skewed(), {.warmup = 50, .draws = 1'000'000, .seed = 1, .threads = 1}, {.sink = &watcher, .stop = &stop});
  EXPECT_EQ(draws.result().end, SampleEnd::interrupted);
  EXPECT_EQ(warmup, 4 * 50);
  EXPECT_EQ(draws.size(), seen / 4);
  EXPECT_THAT(draws.summary().text, HasSubstr("did not get to its end"));
}

TEST(Sample, WithATuningNothingIsAdapted) {
  const Draws first = sample(skewed(), {.draws = 100, .seed = 1});
  const Draws second = sample(skewed(), {.warmup = 0, .draws = 100, .seed = 2, .tuning = first.result().tuning});
  EXPECT_EQ(second.result().tuning, first.result().tuning);
  EXPECT_LT(second.result().warmup_gradients - second.result().start_gradients, 20) << "but for looking around";
  EXPECT_NE(all_of(second["q[1]"]), all_of(first["q[1]"]));
  std::atomic<int> burnt_in{0};
  CallbackSink watcher([&](const Draw& draw) { burnt_in += draw.phase == Phase::warmup ? 1 : 0; });
  const Draws third = sample(skewed(), {.draws = 10, .seed = 2, .tuning = first.result().tuning}, {.sink = &watcher});
  EXPECT_EQ(burnt_in, 4 * 100);
  EXPECT_EQ(third.result().tuning, first.result().tuning);
}

/// Chains with the same random numbers, iteration by iteration, would meet within a few hundred of them.
TEST(Sample, ARunWithTheTuningOfAnotherIsIndependentOfItWhateverTheSeed) {
  const Draws first = sample(skewed(), {.draws = 1000, .seed = 1});
  const Draws second = sample(skewed(), {.warmup = 0, .draws = 2000, .seed = 1, .tuning = first.result().tuning});
  int equal = 0;
  for (std::size_t c = 0; c < 4; ++c)
    for (const std::size_t offset : {0U, 500U, 1000U})
      for (std::size_t i = 0; i < 1000; ++i)
        equal += std::abs(first["q[1]"][c][i] - second["q[1]"][c][i + offset]) < 1e-6 ? 1 : 0;
  EXPECT_LT(equal, 20);
}

/// Chains begin with a Gaussian, which a banana is not; many that are short must not show it.
TEST(Sample, BurnInReachesTheTarget) {
  const auto banana = make_model("banana", {});
  const Tuning tuning = sample(banana, {.draws = 100, .seed = 1}).result().tuning;
  const Draws draws = sample(banana, {.chains = 4000, .draws = 1, .seed = 2, .tuning = tuning});
  double sum = 0.0;
  for (const auto chain : draws["q[2]"]) sum += chain[0] / 4000.0;
  const double sd = std::sqrt(1.0 + 2.0 * 0.25 * 16.0);  // of q₂, with bend ½ and scale 2
  EXPECT_NEAR(sum, 0.0, 4.0 * sd / std::sqrt(4000.0));
}

TEST(Sample, RefusesWhatCannotBeMeant) {
  const auto refused = [](const SampleOptions& options, const std::string& part) {
    EXPECT_THAT([&] { (void)sample(skewed(), options); }, ThrowsMessage<InputError>(HasSubstr(part)));
  };
  refused({.chains = 0}, "chains = 0: must be at least 1");
  refused({.thin = 0}, "thin = 0: must be at least 1");
  refused({.seed = 1, .integrator = IntegratorKind::leapfrog, .copy_spread = 0.1}, "copy-spread is for doubled");
  refused({.seed = 1, .structure = PoissonStructure::canonical(3)}, "3 dimensions: must be 2");
  OwnedBatch starts(2, 3);
  refused({.starts = starts}, "must be 2 × 4, one lane per chain");
  OwnedBatch far(2, 4);
  far(0, 2) = 1e4;  // e^10000
  refused({.starts = far}, "starts: the log density or its gradient is not finite at the starting point of chain 3");
  refused({.draws = -1, .target_ess = 100}, "draws = -1: must be at least 1");
  refused({.target_ess = NAN}, "target-ess = nan: must be a number greater than 0");
  refused({.max_draws = 5}, "max-draws is for target-ess");
  EXPECT_THAT([] { (void)sample(std::shared_ptr<const Model>()); }, ThrowsMessage<InputError>(HasSubstr("no model")));
}

}  // namespace
}  // namespace darboux::testing

#include "run/file_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <darboux/core/error.hpp>
#include <darboux/diagnose/summary.hpp>
#include <filesystem>
#include <functional>
#include <sstream>

#include "draws/run_directory.hpp"
#include "draws/stan_csv_reader.hpp"
#include "io/file.hpp"
#include "run/tuning_file.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FileRunTest : public ::testing::Test {
 protected:
  FileRunTest() { fs::create_directories(folder_); }
  ~FileRunTest() override { fs::remove_all(folder_); }

  [[nodiscard]] RunConfig config(const std::string& out) const {
    RunConfig c;
    c.model = "gaussian";
    c.dimension = 3;
    c.warmup = 100;
    c.draws = 50;
    c.seed = 7;
    c.threads = 1;
    c.out = (folder_ / out).string();
    return c;
  }
  static FileRun run(
      const RunConfig& c, const std::atomic<bool>* stop = nullptr,
      const std::function<void(const Draw&)>& on_draw = [](const Draw&) {}) {
    CallbackSink sink(on_draw);
    return run_to_files(make_plan(c), {.sink = &sink, .stop = stop});
  }
  [[nodiscard]] std::string text(const std::string& file) const { return read_text(folder_ / file); }

  fs::path folder_ = fs::temp_directory_path() / ("darboux_file_run_" + std::to_string(::getpid()));
};

TEST_F(FileRunTest, LeavesDrawsManifestAndTuning) {
  const FileRun done = run(config("a"));
  EXPECT_EQ(done.manifest.status, RunStatus::complete);
  EXPECT_EQ(done.manifest.files.size(), 4U);
  for (const DrawFile& file : done.manifest.files) EXPECT_EQ(file.rows, 50);
  EXPECT_EQ(done.summary.rows.size(), 4U);  // lp__ and three coordinates
  EXPECT_EQ(read_manifest(folder_ / "a/run.json"), done.manifest);
  EXPECT_GT(done.manifest.warmup.gradients, 0);
  EXPECT_GT(done.manifest.sampling.gradients, 0);
  EXPECT_TRUE(done.manifest.max_rhat.has_value());
  const Tuning tuning = read_tuning(folder_ / "a/tuning.json", {.name = config("a").model, .dim = 3});
  EXPECT_EQ(tuning.center.size(), 3U);
  const ValueTree* aimed_at = done.manifest.tuning.find("target_acceptance");
  ASSERT_NE(aimed_at, nullptr);
  EXPECT_EQ(*aimed_at, ValueTree(done.result.target_acceptance));
  EXPECT_GT(done.result.target_acceptance, 0.5);
}

/// Steps have their reason beside them, and trajectories their length where it is not each one's own.
TEST_F(FileRunTest, KeepsWhyStepsAreAsTheyAre) {
  const FileRun done = run(config("a"));  // a short warm-up
  const auto kept = [](const FileRun& of, const char* key) { return of.manifest.tuning.find(key); };
  EXPECT_THAT(std::get<std::string>(kept(done, "reason")->value()),
              HasSubstr("a warm-up of 100 iterations is too short"));
  const Tuning& tuning = done.result.tuning;
  EXPECT_EQ(*kept(done, "trajectory_time"), ValueTree(tuning.steps * tuning.step_size));
  RunConfig nuts = config("b");
  nuts.trajectory = TrajectoryKind::nuts;
  EXPECT_EQ(kept(run(nuts), "trajectory_time"), nullptr);
}

/// Far from where uniform starts would lie: without warm-up, the first draws already have to be posterior draws.
TEST_F(FileRunTest, ATuningGivenBackStartsChainsWhereTheyBelong) {
  std::string csv = "y,x\n";
  for (int i = 0; i < 400; ++i) csv += std::to_string(i % 2) + "," + std::to_string(1000 + 10 * (i % 7)) + "\n";
  write_text(folder_ / "d.csv", csv);
  RunConfig c = config("a");
  c.model = "logistic";
  c.dimension = {};
  c.data = (folder_ / "d.csv").string();
  c.warmup = 300;
  (void)run(c);
  RunConfig again = c;
  again.out = (folder_ / "b").string();
  again.tuning_file = (folder_ / "a/tuning.json").string();
  again.draws = 1;
  std::vector<double> first;
  (void)run(again, nullptr, [&](const Draw& draw) { first.push_back(draw.transition.log_density); });
  const Summary later = [&] {
    std::vector<double> all;
    again.draws = 500;
    again.out = (folder_ / "c").string();
    (void)run(again, nullptr, [&](const Draw& draw) { all.push_back(draw.transition.log_density); });
    return summarise(ChainDraws({std::span<const double>(all)}));
  }();
  for (const double log_density : first) EXPECT_GT(log_density, later.mean - 8.0 * later.sd);
  EXPECT_EQ(std::get<std::string>(run([&] {
                                    RunConfig named = again;
                                    named.out = (folder_ / "d").string();
                                    return named;
                                  }())
                                      .manifest.decided.find("response")
                                      ->value()),
            "y");
}

TEST_F(FileRunTest, TheHeaderHasTheGreatestDepthOfTrees) {
  RunConfig c = config("a");
  c.trajectory = TrajectoryKind::nuts;
  c.max_depth = 3;
  (void)run(c);
  EXPECT_NE(text("a/chain_1.csv").find("max_depth = 3"), std::string::npos);
  EXPECT_EQ(text("a/chain_1.csv").find("max_depth = 10"), std::string::npos);
}

TEST_F(FileRunTest, WithoutWarmUpTheTrajectoryTimeStillHolds) {
  RunConfig c = config("a");
  c.warmup = 0;
  c.step_size = 0.1;
  c.trajectory_time = 3.0;
  double steps = 0.0;
  (void)run(c, nullptr, [&](const Draw& draw) { steps += draw.transition.steps / 200.0; });
  EXPECT_NEAR(steps, 30.0, 1.5);
}

/// The first of the looks at 1000, 1500, 2250, … draws that finds enough ends the run, and what it found is what the summary finds.
TEST_F(FileRunTest, GoesOnUntilTheEssIsReached) {
  RunConfig c = config("whole");
  c.target_ess = 6000.0;
  const FileRun done = run(c);
  EXPECT_EQ(done.manifest.status, RunStatus::complete);
  EXPECT_EQ(done.manifest.stopped_by, StoppedBy::target_ess);
  EXPECT_GE(done.manifest.min_bulk_ess.value(), 6000.0);
  EXPECT_EQ(read_manifest(folder_ / "whole/run.json"), done.manifest);
  const std::int64_t rows = done.manifest.files.front().rows;
  EXPECT_GT(rows, 1000);
  for (const DrawFile& file : done.manifest.files) EXPECT_EQ(file.rows, rows);
  EXPECT_EQ(StanCsvReader(folder_ / "whole/chain_1.csv").setting("num_samples"), std::to_string(rows));
  EXPECT_EQ(done.summary.draws_per_chain, rows);
  EXPECT_TRUE(done.summary.chains.front().announced_draws == rows);

  std::int64_t before = 1000;  // the look before the last one did not find enough
  while (before + (before + 1) / 2 < rows) before += (before + 1) / 2;
  EXPECT_EQ(before + (before + 1) / 2, rows);
  RunConfig shorter = config("shorter");
  shorter.draws = static_cast<int>(before);
  const FileRun earlier = run(shorter);
  EXPECT_EQ(earlier.manifest.stopped_by, StoppedBy::draws);
  EXPECT_LT(earlier.manifest.min_bulk_ess.value(), 6000.0);

  c.out = (folder_ / "threads").string();
  c.threads = 3;
  EXPECT_EQ(run(c).manifest.files, done.manifest.files);
  const auto draws = [&](const std::string& file) {
    const std::string all = text(file);
    return all.substr(all.find("lp__"), all.find("Elapsed") - all.find("lp__"));
  };
  EXPECT_EQ(draws("threads/chain_4.csv"), draws("whole/chain_4.csv"));
  EXPECT_TRUE(draws("whole/chain_1.csv").starts_with(draws("shorter/chain_1.csv").substr(0, 2000)));
}

TEST_F(FileRunTest, SaysThatTheTargetWasNotReached) {
  RunConfig c = config("a");
  c.target_ess = 1e9;
  c.max_draws = 120;
  c.thin = 7;
  const FileRun done = run(c);
  EXPECT_EQ(done.manifest.status, RunStatus::complete);
  EXPECT_EQ(done.manifest.stopped_by, StoppedBy::max_draws);
  EXPECT_EQ(done.manifest.files.front().rows, 18);  // ⌈120/7⌉
}

TEST_F(FileRunTest, TimeThatIsUpLeavesACompleteRun) {
  RunConfig c = config("a");
  c.draws = 1'000'000'000;
  c.max_seconds = 0.3;
  const FileRun done = run(c);
  EXPECT_EQ(done.manifest.status, RunStatus::complete);
  EXPECT_EQ(done.manifest.stopped_by, StoppedBy::max_seconds);
  const std::int64_t rows = done.manifest.files.front().rows;
  EXPECT_GT(rows, 0);
  EXPECT_EQ(done.summary.draws_per_chain, rows);
  EXPECT_EQ(StanCsvReader(folder_ / "a/chain_1.csv").setting("num_samples"), std::to_string(rows));
  EXPECT_FALSE(done.summary.interrupted);

  c = config("b");
  c.warmup = 1'000'000'000;
  c.max_seconds = 0.1;
  const FileRun none = run(c);
  EXPECT_EQ(none.manifest.status, RunStatus::interrupted);
  EXPECT_EQ(none.manifest.stopped_by, StoppedBy::max_seconds);
  EXPECT_THAT(none.manifest.message, HasSubstr("no draws"));
}

/// Only time and place differ between runs of one seed.
TEST_F(FileRunTest, SameSeedSameDrawsWhateverTheThreads) {
  const auto rows = [&](const std::string& file) {
    std::string lines;
    std::istringstream in(text(file));
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with("#")) lines += line + "\n";
    return lines;
  };
  RunConfig c = config("one");
  c.chains = 20;
  run(c);
  c.out = (folder_ / "two").string();
  c.threads = 3;
  run(c);
  for (const int chain : {1, 13, 20}) {
    const std::string file = "/chain_" + std::to_string(chain) + ".csv";
    EXPECT_EQ(rows("one" + file), rows("two" + file));
    EXPECT_EQ(rows("one/statistics" + file), rows("two/statistics" + file));
  }
}

/// Too few draws for a dense metric: the files keep the shape that they announced.
TEST_F(FileRunTest, AShortWarmUpIsWritten) {
  RunConfig c = config("short");
  c.warmup = 4;
  c.dimension = 20;
  EXPECT_EQ(run(c).manifest.status, RunStatus::complete);
  c.out = (folder_ / "none").string();
  c.warmup = 0;
  c.step_size = 0.1;
  EXPECT_EQ(run(c).manifest.status, RunStatus::complete);
}

TEST_F(FileRunTest, ThinsAndSavesWarmUp) {
  RunConfig c = config("thin");
  c.thin = 3;
  c.save_warmup = true;
  const FileRun done = run(c);
  EXPECT_EQ(done.manifest.files[0].rows, 17);         // ⌈50/3⌉
  EXPECT_EQ(done.manifest.files[0].warmup_rows, 34);  // ⌈100/3⌉
}

TEST_F(FileRunTest, ATuningGivenBackReplacesWarmUp) {
  run(config("first"));
  RunConfig c = config("second");
  c.tuning_file = (folder_ / "first/tuning.json").string();
  const FileRun done = run(c);
  EXPECT_GT(done.manifest.warmup.gradients, 4 * 100) << "for a burn-in";
  EXPECT_EQ(text("first/tuning.json"), text("second/tuning.json"));
  EXPECT_THAT(text("second/chain_1.csv"), HasSubstr("engaged = 0"));
  c = config("third");
  c.dimension = 4;
  c.tuning_file = (folder_ / "first/tuning.json").string();
  try {
    run(c);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("dimension is 3: must be 4"));
  }
}

TEST_F(FileRunTest, AnInterruptedRunIsReadable) {
  RunConfig c = config("stopped");
  c.draws = 1'000'000;
  std::atomic<bool> stop{false};
  std::atomic<int> seen{0};
  const FileRun done = run(c, &stop, [&](const Draw& draw) {
    if (draw.phase == Phase::sampling && ++seen == 400) stop = true;
  });
  EXPECT_EQ(done.manifest.status, RunStatus::interrupted);
  EXPECT_EQ(done.manifest.files[0].rows, 100);
  EXPECT_EQ(StanCsvReader(folder_ / "stopped/chain_1.csv").count_rows().sampling_rows, 100);
  EXPECT_TRUE(done.summary.rows.empty());  // who interrupts does not want to wait
}

TEST_F(FileRunTest, StoppedDuringWarmUpThereIsNothingToSummarise) {
  std::atomic<bool> stop{true};
  const FileRun done = run(config("early"), &stop);
  EXPECT_EQ(done.manifest.status, RunStatus::interrupted);
  EXPECT_TRUE(done.summary.rows.empty());
}

TEST_F(FileRunTest, AFailedRunKeepsWhatWasDrawn) {
  const RunConfig c = config("failed");
  std::atomic<int> seen{0};
  try {
    run(c, nullptr, [&](const Draw& draw) {
      if (draw.phase == Phase::sampling && ++seen == 80) throw std::runtime_error("the cat pulled the plug");
    });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "the cat pulled the plug");
  }
  const RunManifest manifest = read_manifest(folder_ / "failed/run.json");
  EXPECT_EQ(manifest.status, RunStatus::failed);
  EXPECT_EQ(manifest.message, "the cat pulled the plug");
  EXPECT_GE(StanCsvReader(folder_ / "failed/chain_1.csv").count_rows().sampling_rows, 19);
}

TEST_F(FileRunTest, AFinishedRunIsNotOverwritten) {
  run(config("mine"));
  const std::string before = text("mine/chain_1.csv");
  EXPECT_THROW(run(config("mine")), InputError);
  EXPECT_EQ(text("mine/chain_1.csv"), before);
}

TEST_F(FileRunTest, BadInputLeavesNothingBehind) {
  const auto refused = [&](auto change) -> std::string {
    RunConfig c = config("never");
    change(c);
    try {
      run(c);
    } catch (const InputError& e) {
      EXPECT_FALSE(fs::exists(folder_ / "never"));
      return e.what();
    }
    return "accepted";
  };
  using C = RunConfig;
  EXPECT_THAT(refused([](C& c) { c.model = "gausian"; }), HasSubstr("did you mean \"gaussian\""));
  EXPECT_THAT(refused([](C& c) { c.data = "x.csv"; }), HasSubstr("does not take it"));
  EXPECT_THAT(refused([](C& c) { c.structure_source = "copled"; }), HasSubstr("did you mean \"coupled\""));
  EXPECT_THAT(refused([](C& c) { c.structure_source = "aut"; }), HasSubstr("did you mean \"auto\""));
  EXPECT_THAT(refused([](C& c) { c.strength = 1.0; }), HasSubstr("canonical"));
  EXPECT_THAT(refused([](C& c) { c.structure_source = "auto", c.k = 1.0; }), HasSubstr("structure = auto stands for"));
  EXPECT_THAT(refused([](C& c) {
                c.structure_source = "coupled";
                c.strength = 1.0;
                c.k = 2.0;
              }),
              HasSubstr("give one of them"));
  EXPECT_THAT(refused([](C& c) { c.tolerance = 1e-6; }), HasSubstr("is for midpoint"));
  EXPECT_THAT(refused([](C& c) { c.copy_spread = 0.1; }), HasSubstr("is for doubled"));
  EXPECT_THAT(refused([](C& c) { c.warmup = 0; }), HasSubstr("--step-size"));
  EXPECT_THAT(refused([](C& c) { c.momentum_kept = 1.0; }), HasSubstr("momentum-kept = 1"));
  EXPECT_THAT(refused([](C& c) { c.integrator = IntegratorKind::leapfrog, c.structure_source = "coupled"; }),
              HasSubstr("E = 0"));
  EXPECT_THAT(refused([](C& c) { c.init = "somewhere"; }), HasSubstr("somewhere"));
  EXPECT_THAT(refused([](C& c) { c.gradient_precision = GradientPrecision::single; }),
              HasSubstr("gradient-precision = single: this model computes its gradients in full precision only"));
  EXPECT_THAT(refused([](C& c) { c.tuning_file = "/nonexistent/tuning.json"; }), HasSubstr("/nonexistent/tuning.json"));
}

/// A text that looks like a number or a truth is a text in run.json, and comes back as it was.
TEST_F(FileRunTest, TextsStayTexts) {
  std::string csv = "007,x\n";
  for (int i = 0; i < 40; ++i) csv += std::to_string(i % 2) + "," + std::to_string(i % 7) + "\n";
  const fs::path here = fs::current_path();
  fs::current_path(folder_);
  write_text("true", csv);
  RunConfig c = config("a");
  c.model = "logistic";
  c.dimension = {};
  c.data = "true";
  c.response = "007";
  c.out = "1.0";
  (void)run(c);
  const RunManifest manifest = read_manifest("1.0/run.json");
  fs::current_path(here);
  RunConfig again;
  for (const auto& [key, value] : std::get<ValueTree::Entries>(manifest.asked.value()))
    set_field(again, key, text_of(value));
  EXPECT_EQ(*manifest.asked.find("data"), ValueTree("true"));
  EXPECT_EQ(*manifest.asked.find("response"), ValueTree("007"));
  EXPECT_EQ(*manifest.asked.find("out"), ValueTree("1.0"));
  EXPECT_EQ(*manifest.asked.find("chains"), ValueTree(4));
  EXPECT_EQ(*manifest.asked.find("reverse-check"), ValueTree(1.0));
  EXPECT_EQ(*manifest.asked.find("quiet"), ValueTree(false));
  EXPECT_EQ(again.data, "true");
  EXPECT_EQ(again.response, "007");
  EXPECT_EQ(again.out, "1.0");
}

}  // namespace
}  // namespace darboux::testing

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "draws/run_directory.hpp"
#include "draws/stan_csv_reader.hpp"
#include "resumed.hpp"
#include "run/checkpoint_file.hpp"
#include "support/expect.hpp"

/// A real process, killed at any moment, and what darboux resume makes of what it left.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Method {
  std::string name, arguments;
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

class KilledAtAnyMoment : public Resumed, public ::testing::WithParamInterface<Method> {
 protected:
  /// Of a run that was killed, by what it has left.
  [[nodiscard]] std::string how_far() const {
    if (!fs::exists(path("out/run.json"))) return "before_anything";
    if (!fs::exists(path("out/checkpoint.bin"))) return "before_a_checkpoint";
    if (!fs::exists(path("out/tuning.json"))) return "in_warmup";
    return read_manifest(path("out/run.json")).status == RunStatus::running ? "in_sampling" : "after_sampling";
  }
  /// Kills a run when the file of a chain, which grows with every iteration, has that share of what it is to have.
  void run_and_kill_when_drawn(const std::string& arguments, double share) const {
    const auto wanted = share * static_cast<double>(fs::file_size(path("whole/chain_1.csv")));
    const pid_t child = start("sample " + arguments + " --out out");
    wait_for("out/chain_1.csv");
    const auto patience = Clock::now() + 120s;
    while (static_cast<double>(fs::file_size(path("out/chain_1.csv"))) < wanted && Clock::now() < patience)
      std::this_thread::sleep_for(1ms);
    ::kill(child, SIGKILL);
    (void)wait(child);
  }
};

#ifdef DARBOUX_SANITIZED
constexpr int usual_kills = 4;  // sanitizers look at the code, not at the moments
#else
constexpr int usual_kills = 10;
#endif

/// Seventy times in all, or 280 in a long test: half of them at any time, from the start of the process to its end, half while it draws.
TEST_P(KilledAtAnyMoment, GoesOnToTheSameBytes) {
  const std::string arguments = GetParam().arguments + often;
  const auto begin = Clock::now();
  run_at_once(arguments, "whole");
  const auto whole = Clock::now() - begin;
  const int kills = std::getenv("DARBOUX_LONG") != nullptr ? 40 : usual_kills;
  std::mt19937 random(7);
  std::map<std::string, int> found;  // where the kills came
  for (int i = 0; i < kills; ++i) {
    fs::remove_all(path("out"));
    if (i % 2 == 0)
      run_and_kill(arguments, whole * std::uniform_int_distribution(0, 1000)(random) / 1000);
    else
      run_and_kill_when_drawn(arguments, static_cast<double>(i) / kills);
    ++found[how_far()];
    if (!fs::exists(path("out/run.json"))) {
      EXPECT_EQ(run("resume out").status, 2);
      continue;
    }
    const Outcome outcome = run("resume out --quiet --threads " + std::to_string(1 + i % 3));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same("whole");
    if (HasFailure()) return;
  }
  for (const auto& [where, count] : found) RecordProperty("kills_" + where, count);
  EXPECT_GT(found["in_warmup"], 0);
  EXPECT_GT(found["in_sampling"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, KilledAtAnyMoment,
    ::testing::Values(Method{"leapfrog", "banana --warmup 12000 --draws 12000"},
                      Method{"nuts", "funnel --trajectory nuts --warmup 4000 --draws 4000"},
                      Method{"chees", "skewed --trajectory chees --metric diagonal --warmup 12000 --draws 15000"},
                      Method{"doubled", "gaussian --structure coupled --integrator doubled --warmup 3000 --draws 3000"},
                      Method{"split_midpoint", "gaussian --structure coupled --warmup 3000 --draws 3000"},
                      Method{"default_bent", "skewed --warmup 6000 --draws 12000"},
                      Method{"microcanonical",
                             "gaussian --motion microcanonical --momentum-kept 0.7 --warmup 8000 "
                             "--draws 12000"}),
    [](const auto& method) { return method.param.name; });

/// Killed again and again, each time a little further.
TEST_F(Resumed, AfterManyDeathsTheBytesAreTheSame) {
  const std::string arguments = "banana --warmup 500 --draws 3000" + often;
  run_at_once(arguments, "whole");
  run_and_kill(arguments, 50ms, "out/run.json");
  for (int i = 0; i < 5; ++i) {
    const pid_t child = start("resume out --quiet");
    std::this_thread::sleep_for(100ms);
    ::kill(child, SIGKILL);
    (void)wait(child);
  }
  ASSERT_EQ(run("resume out --quiet").status, 0);
  expect_same("whole");
}

TEST_F(Resumed, AnInterruptSaysHowToGoOn) {
  const std::string arguments = "banana --draws 4000 --seed 3 --chains 40";
  run_at_once(arguments + " --threads 2", "whole");
  const pid_t child = start("sample " + arguments + " --threads 2 --out out");
  wait_for("out/tuning.json");
  std::this_thread::sleep_for(50ms);
  ::kill(child, SIGINT);
  const Outcome interrupted = wait(child);
  ASSERT_EQ(interrupted.status, 1);
  EXPECT_TRUE(mentions(interrupted.out, {"Interrupted", "To go on: darboux resume out"}));
  EXPECT_TRUE(fs::exists(path("out/checkpoint.bin")));
  const Outcome rest = run("resume out");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(
      mentions(rest.out, {"Going on after"}));  // draws, or where the machine is slow the last iterations of warm-up
  expect_same("whole");
}

TEST_F(Resumed, DrawsAreAddedToAFinishedRun) {
  run_at_once("banana --draws 10000 --seed 3 --checkpoint-seconds 0.01", "whole");
  ASSERT_EQ(run("sample banana --draws 900 --seed 3 --checkpoint-seconds 0.01 --out out").status, 0);
  const Outcome nothing = run("resume out");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_TRUE(mentions(nothing.out, {"complete", "--draws"}));
  const Outcome fewer = run("resume out --draws 800");
  EXPECT_EQ(fewer.status, 2);
  EXPECT_TRUE(mentions(fewer.err, {"draws = 800", "at least 900"}));
  const Outcome more = run("resume out --draws 10000");
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_TRUE(mentions(more.out, {"Going on after 900 draws of each chain"}));
  expect_same("whole");
}

TEST_F(Resumed, AShortRunDoesNotGetShorter) {
  ASSERT_EQ(run("sample banana --draws 900 --seed 3 --out out").status, 0);
  const Outcome fewer = run("resume out --draws 10");
  EXPECT_EQ(fewer.status, 2);
  EXPECT_TRUE(mentions(fewer.err, {"draws = 10", "at least 900"}));
}

/// Whatever rule ended it: what is drawn again has all that was there.
TEST_F(Resumed, AShortRunThatATargetEndedDoesNotGetShorter) {
  ASSERT_EQ(run("sample gaussian --target-ess 9000 --seed 3 --out out").status, 0);
  ASSERT_FALSE(fs::exists(path("out/checkpoint.bin"))) << "of a run of less than two seconds";
  const auto rows = [&] { return read_manifest(path("out/run.json")).files[0].rows; };
  const std::int64_t before = rows();
  ASSERT_GT(before, 1000);
  const std::string draws = read_text(path("out/chain_1.csv"));
  const Outcome fewer = run("resume out --draws 1000");
  EXPECT_EQ(fewer.status, 2);
  EXPECT_TRUE(mentions(fewer.err, {"draws = 1000", "at least " + std::to_string(before)}));
  EXPECT_EQ(read_text(path("out/chain_1.csv")), draws);
  const Outcome smaller = run("resume out --target-ess 500 --quiet");
  EXPECT_EQ(smaller.status, 0) << smaller.err;
  EXPECT_EQ(rows(), before);
}

TEST_F(Resumed, ARunThatWasKilledWhileItWasSummarisedIsSummarised) {
  const std::string arguments = "banana --draws 1000 --seed 3 --checkpoint-seconds 0.01";
  run_at_once(arguments, "whole");
  ASSERT_EQ(run("sample " + arguments + " --out out").status, 0);
  RunManifest manifest = read_manifest(path("out/run.json"));
  manifest.min_bulk_ess = manifest.min_tail_ess = manifest.max_rhat = std::nullopt;
  write_manifest(manifest, path("out/run.json"));
  EXPECT_EQ(run("resume out").status, 0);
  expect_same("whole");
}

TEST_F(Resumed, ARunThatWasTooShortForACheckpointBeginsAgain) {
  run_at_once("banana --seed 3 --draws 2000", "whole");
  ASSERT_EQ(run("sample banana --seed 3 --draws 500 --out out").status, 0);
  EXPECT_FALSE(fs::exists(path("out/checkpoint.bin"))) << "of a run of less than two seconds";
  const Outcome more = run("resume out --draws 2000");
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_TRUE(mentions(more.out, {"no checkpoint", "drawn again"}));
  expect_same("whole");
}

/// Of an earlier version, or of one that was to leave them seldom, nothing is drawn again: it may have taken days.
TEST_F(Resumed, ALongRunWithoutCheckpointsStaysAsItIs) {
  for (const std::string seconds : {"", " --checkpoint-seconds 1000"}) {
    fs::remove_all(path("out"));
    ASSERT_EQ(run("sample banana --seed 3 --draws 500 --out out --quiet" + seconds).status, 0);
    std::string manifest = read_text(path("out/run.json"));
    if (const auto at = manifest.find("\"checkpoint_seconds\""); seconds.empty()) manifest.replace(at, 5, "\"xxxx");
    write_text(path("out/run.json"), manifest);
    const std::string draws = read_text(path("out/chain_1.csv"));
    const Outcome more = run("resume out --draws 2000");
    EXPECT_EQ(more.status, 2);
    EXPECT_TRUE(mentions(more.err, {"left no checkpoints", "new run"}));
    EXPECT_EQ(read_text(path("out/chain_1.csv")), draws);
  }
}

TEST_F(Resumed, LooksForATargetAreWhereTheyWouldHaveBeen) {
  const std::string arguments = "gaussian --target-ess 9000 --max-draws 100000";
  run_at_once(arguments + often, "whole");
  run_and_kill(arguments + often, 20ms, "out/tuning.json");
  ASSERT_EQ(run("resume out --quiet").status, 0);
  expect_same("whole");
  const Outcome longer = run("resume out --target-ess 20000 --max-draws 200000");
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_TRUE(mentions(longer.out, {"Stopped by target-ess = 20000"}));
}

TEST_F(Resumed, TimeThatIsUpEndsAResumedRunToo) {
  ASSERT_EQ(run("sample banana --draws 100000000 --seed 1 --max-seconds 0.5 --out out --quiet").status, 0);
  const auto rows = read_manifest(path("out/run.json")).files[0].rows;
  const Outcome more = run("resume out --max-seconds 0.5");
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_TRUE(mentions(more.out, {"Stopped by max-seconds = 0.5", "To go on: darboux resume out"}));
  EXPECT_GT(read_manifest(path("out/run.json")).files[0].rows, rows);
}

/// A run that was killed a while after its newest checkpoint: it has rows that no manifest and no checkpoint knows of.
class KilledAfterACheckpoint : public Resumed {
 protected:
  void SetUp() override {
    const pid_t child = start(
        "sample banana --warmup 200 --draws 100000000 --thin 10 --seed 3 --checkpoint-seconds 2 --quiet --out out");
    wait_for("out/checkpoint.bin");
    const auto size = [&] { return fs::file_size(path("out/chain_1.csv")); };
    const auto patience = Clock::now() + 120s;
    for (const auto before = size(); size() == before && Clock::now() < patience;) std::this_thread::sleep_for(1ms);
    ::kill(child, SIGKILL);
    (void)wait(child);
  }
  /// Of the longest chain, by its file.
  [[nodiscard]] std::int64_t most_rows() const {
    std::int64_t most = 0;
    for (const DrawFile& file : read_manifest(path("out/run.json")).files)
      most = std::max(most, StanCsvReader(path("out/" + file.file)).count_rows().sampling_rows);
    return most;
  }
  [[nodiscard]] std::string everything() const {
    std::string all = read_text(path("out/run.json"));
    for (const DrawFile& file : read_manifest(path("out/run.json")).files) all += read_text(path("out/" + file.file));
    return all;
  }
};

TEST_F(KilledAfterACheckpoint, NoRowThatCanBeReadIsLost) {
  ASSERT_EQ(read_manifest(path("out/run.json")).files[0].rows, 0) << "nobody was left to count";
  const Checkpoint newest = read_checkpoint(path("out/checkpoint.bin"));
  const std::int64_t rows = most_rows(), draws = (rows - 1) * 10 + 1;
  ASSERT_GT(draws, newest.phase == Phase::sampling ? newest.iterations : 0);
  const std::string before = everything();
  const Outcome fewer = run("resume out --draws " + std::to_string(draws - 1));
  EXPECT_EQ(fewer.status, 2);
  EXPECT_TRUE(mentions(fewer.err, {"at least " + std::to_string(draws)})) << fewer.err;
  EXPECT_TRUE(everything() == before);
  const Outcome rest = run("resume out --max-seconds 0.01 --quiet");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_GE(most_rows(), rows);
  EXPECT_EQ(read_manifest(path("out/run.json")).files[0].rows, most_rows());
}

/// As of a folder that was copied without them: what seems to be a run of its first seconds may have taken days.
TEST_F(KilledAfterACheckpoint, WithoutItsCheckpointsARunStaysAsItIs) {
  for (const std::string name : {"out/checkpoint.bin", "out/checkpoint-before.bin"}) fs::remove(path(name));
  const std::string before = everything();
  for (const std::string asked : {"", " --max-seconds 0.1"}) {
    const Outcome refused = run("resume out --quiet" + asked);
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(mentions(refused.err, {"checkpoint.bin", "are gone", std::to_string(most_rows()) + " of a chain",
                                       "Put these files back", "seed = 3"}))
        << refused.err;
    EXPECT_TRUE(everything() == before);
  }
}

TEST_F(Resumed, ACompleteRunWithoutItsCheckpointsStaysAsItIs) {
  ASSERT_EQ(run("sample banana --seed 3 --draws 900 --checkpoint-seconds 0.01 --out out --quiet").status, 0);
  for (const std::string name : {"out/checkpoint.bin", "out/checkpoint-before.bin"}) fs::remove(path(name));
  const std::string draws = read_text(path("out/chain_1.csv"));
  const Outcome more = run("resume out --draws 2000");
  EXPECT_EQ(more.status, 2);
  EXPECT_TRUE(mentions(more.err, {"checkpoint.bin", "are gone", "900 of a chain"})) << more.err;
  EXPECT_EQ(read_text(path("out/chain_1.csv")), draws);
}

}  // namespace
}  // namespace darboux

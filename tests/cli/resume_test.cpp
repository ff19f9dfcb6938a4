#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "draws/run_directory.hpp"
#include "program.hpp"
#include "support/expect.hpp"

/// A real process, killed at any moment, and what darboux resume makes of what it left.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class Resumed : public testing::WithProgram {
 protected:
  /// What a text says apart from times.
  [[nodiscard]] static std::string timeless(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (line.find("start_datetime") == std::string::npos && line.find(" seconds (") == std::string::npos)
        out += line + "\n";
    return out;
  }
  /// A run to compare with; it ends up in the folder `name`, but its files say that it was made in `out`, like those of others.
  void run_at_once(const std::string& arguments, const std::string& name) const {
    const Outcome outcome = run("sample " + arguments + " --out out");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    fs::rename(path("out"), path(name));
  }
  void expect_same(const std::string& name) const {
    const RunManifest whole = read_manifest(path(name + "/run.json")), resumed = read_manifest(path("out/run.json"));
    ASSERT_FALSE(whole.files.empty());
    for (const DrawFile& file : whole.files)
      for (const std::string& part : {file.file, file.statistics})
        EXPECT_TRUE(timeless(read_text(path("out/" + part))) == timeless(read_text(path(name + "/" + part)))) << part;
    EXPECT_EQ(read_text(path("out/tuning.json")), read_text(path(name + "/tuning.json")));
    EXPECT_EQ(resumed.status, RunStatus::complete);
    EXPECT_EQ(resumed.files, whole.files);
    EXPECT_EQ(resumed.asked, whole.asked);
    EXPECT_EQ(resumed.inputs, whole.inputs);
    EXPECT_EQ(resumed.tuning, whole.tuning);
    EXPECT_EQ(resumed.warmup.gradients, whole.warmup.gradients);
    EXPECT_EQ(resumed.sampling.gradients, whole.sampling.gradients);
    EXPECT_EQ(resumed.min_bulk_ess, whole.min_bulk_ess);
    EXPECT_FALSE(fs::exists(path("out/run.lock")));
  }
  void wait_for(const std::string& file) const {
    const auto patience = Clock::now() + 120s;
    while (!fs::exists(path(file)) && Clock::now() < patience) std::this_thread::sleep_for(1ms);
  }
  /// Starts a run, and kills it after a while.
  void run_and_kill(const std::string& arguments, Clock::duration after, const std::string& once_there_is = ".") const {
    const pid_t child = start("sample " + arguments + " --out out");
    wait_for(once_there_is);
    std::this_thread::sleep_for(after);
    ::kill(child, SIGKILL);
    (void)wait(child);
  }
  void flip_a_bit(const std::string& file, std::size_t at) const {
    std::string text = read_text(path(file));
    text.at(at) = static_cast<char>(text.at(at) ^ 1);
    write_text(path(file), text);
  }
};

struct Method {
  std::string name, arguments;
};
void PrintTo(const Method& method, std::ostream* out) { *out << method.name; }

const std::string often = " --checkpoint-seconds 0.01 --chains 6 --save-warmup --seed 3";

class KilledAtAnyMoment : public Resumed, public ::testing::WithParamInterface<Method> {
 protected:
  /// Of a run that was killed, by what it has left.
  [[nodiscard]] std::string how_far() const {
    if (!fs::exists(path("out/run.json"))) return "before_anything";
    if (!fs::exists(path("out/checkpoint.bin"))) return "before_a_checkpoint";
    if (!fs::exists(path("out/tuning.json"))) return "in_warmup";
    return read_manifest(path("out/run.json")).status == RunStatus::running ? "in_sampling" : "after_sampling";
  }
};

#ifdef DARBOUX_SANITIZED
constexpr int usual_kills = 4;  // sanitizers look at the code, not at the moments
#else
constexpr int usual_kills = 10;
#endif

/// Fifty times in all, or two hundred in a long test.
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
    run_and_kill(arguments, whole * std::uniform_int_distribution(0, 1000)(random) / 1000);
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
  // How many there are depends on how evenly fast the machine is.
  EXPECT_GT(found["in_warmup"] + found["in_sampling"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, KilledAtAnyMoment,
    ::testing::Values(Method{"leapfrog", "banana --warmup 12000 --draws 12000"},
                      Method{"nuts", "funnel --trajectory nuts --warmup 4000 --draws 4000"},
                      Method{"chees", "skewed --trajectory chees --metric diagonal --warmup 12000 --draws 15000"},
                      Method{"doubled", "gaussian --structure coupled --integrator doubled --warmup 3000 --draws 3000"},
                      Method{"split_midpoint", "gaussian --structure coupled --warmup 3000 --draws 3000"}),
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

TEST_F(Resumed, ADamagedCheckpointIsNamedAndTheOneBeforeIsUsed) {
  run_at_once("banana --warmup 500 --draws 3001" + often, "whole");
  ASSERT_EQ(run("sample banana --warmup 500 --draws 3000" + often + " --out out").status, 0);
  ASSERT_TRUE(fs::exists(path("out/checkpoint-before.bin")));
  flip_a_bit("out/checkpoint.bin", 500);
  const Outcome outcome = run("resume out --draws 3001 --quiet");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(mentions(outcome.err, {"out/checkpoint.bin is damaged", "from the checkpoint before"}));
  expect_same("whole");
}

TEST_F(Resumed, ADamagedFileOfDrawsIsNamedWithWhatCanBeKept) {
  const std::string arguments = "banana --warmup 500 --draws 3000" + often;
  ASSERT_EQ(run("sample " + arguments + " --out out --quiet").status, 0);
  const std::string draws = read_text(path("out/chain_2.csv"));
  const std::string beginning = draws.substr(0, draws.find('\n', 20'000) + 1);
  const auto rows =
      std::count(beginning.begin(), beginning.end(), '\n') - std::count(beginning.begin(), beginning.end(), '#') - 1;
  write_text(path("out/chain_2.csv"), beginning);
  const Outcome cut = run("resume out --draws 5000");
  EXPECT_EQ(cut.status, 2);
  EXPECT_TRUE(
      mentions(cut.err, {"out/chain_2.csv has been cut", std::to_string(rows) + " of chain_2.csv", "seed = 3"}));
  write_text(path("out/chain_2.csv"), draws);
  flip_a_bit("out/chain_2.csv", 20'000);
  const Outcome changed = run("resume out --draws 5000");
  EXPECT_EQ(changed.status, 2);
  EXPECT_TRUE(mentions(changed.err, {"out/chain_2.csv is damaged"}));
}

TEST_F(Resumed, DataMustBeWhatTheyWere) {
  std::string table = "y,x\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i % 3 == 0 ? 1 : 0) + "," + std::to_string(i * 7 % 11) + "\n";
  (void)file("table.csv", table);
  ASSERT_EQ(run("sample logistic --data table.csv --seed 1 --out out --quiet").status, 0);
  (void)file("table.csv", table + "1,3\n");
  const Outcome changed = run("resume out --draws 2000");
  EXPECT_EQ(changed.status, 2);
  EXPECT_TRUE(mentions(changed.err, {"data = table.csv", "has changed", "Put back", "new run"}));
  fs::remove(path("table.csv"));
  const Outcome gone = run("resume out --draws 2000");
  EXPECT_EQ(gone.status, 2);
  EXPECT_TRUE(mentions(gone.err, {"data = table.csv", "folder in which the run was started"}));
  (void)file("table.csv", table);
  EXPECT_EQ(run("resume out --draws 2000 --quiet").status, 0);
}

TEST_F(Resumed, AnotherProcessorIsTold) {
  ASSERT_EQ(run("sample banana --seed 1 --out out --quiet").status, 0);
  const std::string manifest = read_text(path("out/run.json"));
  const std::string key = "\"cpu_class\": \"";
  std::string other = manifest;
  other.insert(other.find(key) + key.size(), "another ");
  write_text(path("out/run.json"), other);
  const Outcome outcome = run("resume out --draws 2000 --quiet");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(mentions(outcome.err, {"class another ", "last bits may differ"}));
  EXPECT_TRUE(mentions(read_manifest(path("out/run.json")).warnings.front(), {"last bits may differ"}));
}

TEST_F(Resumed, TwoProcessesDoNotWriteOneFolder) {
  const pid_t child = start("sample banana --draws 100000000 --seed 1 --out out --quiet");
  wait_for("out/tuning.json");
  (void)file("out/.darboux-1-0.tmp", "half of a file that the first one is writing");
  const std::string number = "process " + std::to_string(child);
  for (const std::string arguments : {"resume out", "sample banana --out out"}) {
    const std::string shell = "'" DARBOUX_PROGRAM_FILE "' " + arguments + " 2> '" + path("refusal").string() + "'";
    EXPECT_NE(std::system(("cd '" + folder_.string() + "' && " + shell).c_str()), 0);
    EXPECT_TRUE(mentions(read_text(path("refusal")), {number}));
    EXPECT_TRUE(fs::exists(path("out/.darboux-1-0.tmp"))) << "nothing is touched";
  }
  ::kill(child, SIGKILL);
  (void)wait(child);
  EXPECT_TRUE(fs::exists(path("out/run.lock"))) << "left by the dead";
  EXPECT_NE(run("resume out --max-seconds 0.1 --quiet").status, 2);
}

TEST_F(Resumed, WhatIsNoRunIsRefused) {
  EXPECT_EQ(run("resume nowhere").status, 2);
  EXPECT_TRUE(mentions(run("resume .").err, {"no run.json", "darboux sample"}));
  EXPECT_EQ(run("resume").status, 2);
}

}  // namespace
}  // namespace darboux

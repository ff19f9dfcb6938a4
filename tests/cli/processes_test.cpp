#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "io/folder_lock.hpp"
#include "resumed.hpp"
#include "support/expect.hpp"
#include "support/mpi.hpp"

/// One run, drawn by several processes that mpirun starts on this machine.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using Clock = std::chrono::steady_clock;

class Processes : public Resumed {
 protected:
  void SetUp() override {
    Resumed::SetUp();
    testing::need_mpi();
  }
  static std::string over(int count) { return "'" + testing::mpirun() + "' -n " + std::to_string(count) + " "; }
  /// The same, where one of them is somewhere else, or lives under other limits.
  [[nodiscard]] std::string over(int count, const std::string& what_rank_1_does_first) const {
    std::ofstream(path("one.sh")) << "if [ \"${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}\" = 1 ]; then "
                                  << what_rank_1_does_first << "; fi\nexec \"$@\"\n";
    return over(count) + "sh '" + path("one.sh").string() + "' ";
  }
  [[nodiscard]] Outcome draw(int processes, const std::string& arguments) const {
    return run("sample " + arguments + " --out out", processes == 1 ? "" : over(processes));
  }

  /// All but the first.
  [[nodiscard]] std::vector<pid_t> others_than_the_first(pid_t launcher) const {
    std::vector<pid_t> others = testing::children_of(launcher);
    std::erase(others, std::stoi(FolderLock::holder(path("out")).value_or("0")));
    return others;
  }
  /// Begins a run that takes for ever, and waits until there are draws that a checkpoint knows of.
  [[nodiscard]] pid_t begin(int processes) const {
    const pid_t launcher = start("sample " + endless + " --out out", "exec " + over(processes));
    wait_for("out/tuning.json");
    const auto warmed_up = fs::last_write_time(path("out/tuning.json"));
    std::error_code not_yet;
    do wait_for("out/checkpoint-before.bin");
    while (fs::last_write_time(path("out/checkpoint-before.bin"), not_yet) <= warmed_up);
    return launcher;
  }
  /// Every chain's rows, which the manifest need not know.
  [[nodiscard]] std::vector<std::size_t> rows_of_chains() const {
    std::vector<std::size_t> all;
    for (const DrawFile& file : read_manifest(path("out/run.json")).files) {
      const std::string text = rows("out/" + file.file);
      all.push_back(static_cast<std::size_t>(std::ranges::count(text, '\n')));
    }
    return all;
  }
  /// Goes on until there are `draws` draws of each chain, which are those of a run in one go.
  void expect_to_go_on(int processes, std::size_t draws) const {
    const std::string more = " --draws " + std::to_string(draws);
    const Outcome outcome = run("resume out" + more, processes == 1 ? "" : over(processes));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    ASSERT_EQ(run("sample " + settings + more + " --out whole").status, 0);
    for (const DrawFile& file : read_manifest(path("whole/run.json")).files)
      EXPECT_TRUE(rows("out/" + file.file) == rows("whole/" + file.file)) << file.file;
  }

  const std::string settings = "eight-schools --chains 5 --warmup 100 --seed 4 --threads 1 --quiet";
  const std::string endless = settings + " --draws 100000000 --checkpoint-seconds 0.2";
};

/// Models with starting paths, with gradients in single precision and with none of that; bent coordinates, chosen steps, NUTS; two
/// threads in each.
TEST_F(Processes, DrawTheSameWhateverTheirNumber) {
  const std::string data = DARBOUX_SOURCE_FOLDER "/data/german.csv";
  for (const std::string& arguments :
       {"logistic --data '" + data + "' --chains 5 --warmup 60 --draws 20 --seed 1",
        std::string("eight-schools --chains 5 --warmup 120 --draws 50 --seed 2 --save-warmup --trajectory nuts"),
        std::string("funnel --chains 7 --warmup 150 --draws 60 --seed 3 --thin 2 --metric diagonal --threads 2")}) {
    SCOPED_TRACE(arguments);
    fs::remove_all(path("whole"));
    run_at_once(arguments, "whole");
    for (const int processes : {2, 3}) {
      const Outcome outcome = draw(processes, arguments);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      expect_same("whole");
      const ValueTree cluster = read_manifest(path("out/run.json")).cluster;
      ASSERT_NE(cluster.find("ranks"), nullptr);
      EXPECT_EQ(*cluster.find("ranks"), ValueTree(processes));
      EXPECT_GT(std::get<std::int64_t>(cluster.find("exchanges")->value()), 20);
      fs::remove_all(path("out"));
    }
  }
}

/// More of them than processors, and some with a chain more than others.
TEST_F(Processes, DrawTheSameByEight) {
  for (const std::string trajectory : {"chees", "nuts"}) {
    const std::string arguments = "gaussian --dimension 3 --chains 11 --warmup 60 --draws 30 --seed 5 --threads 1 ";
    run_at_once(arguments + "--trajectory " + trajectory, "whole");
    const Outcome outcome = draw(8, arguments + "--trajectory " + trajectory);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same("whole");
    EXPECT_EQ(*read_manifest(path("out/run.json")).cluster.find("ranks"), ValueTree(8));
    fs::remove_all(path("out"));
    fs::remove_all(path("whole"));
  }
}

/// The first one speaks, and only it.
TEST_F(Processes, TellOfOneRun) {
  const Outcome outcome = draw(3, "eight-schools --chains 5 --warmup 50 --draws 50 --seed 2 --log log");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"5 chains", "3 processes with", "Draws are in out"})) << outcome.out;
  EXPECT_EQ(outcome.out.find("processes with"), outcome.out.rfind("processes with"));
  EXPECT_EQ(read_manifest(path("out/run.json")).files.size(), 5U);
  const std::string log = read_text(path("log"));
  EXPECT_EQ(log.find("\"begin\""), log.rfind("\"begin\""));
}

/// Not each its own: a plain line now and then is of all chains.
TEST_F(Processes, TellProgressOfAllChains) {
  const Outcome outcome =
      run("sample eight-schools --chains 5 --warmup 50 --draws 100000000 --thin 100 --max-seconds 5 --seed 2 --out out",
          over(2));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.err, {" s  5 chains", "it/s", "left\n"})) << outcome.err;
  std::istringstream lines(outcome.err);
  double last = -1.0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("it/s") == std::string::npos) continue;
    EXPECT_GT(std::stod(line), last) << "one process tells, line by line: " << outcome.err;
    last = std::stod(line);
  }
}

TEST_F(Processes, GoOnUntilThereAreEnoughEffectiveDraws) {
  const std::string arguments = settings + " --target-ess 900 --max-draws 5000";
  run_at_once(arguments, "whole");
  const Outcome outcome = draw(2, arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_same("whole");
  EXPECT_EQ(read_manifest(path("out/run.json")).stopped_by, StoppedBy::target_ess);
}

/// kill −9 of any of them, as by a system that is out of memory.
TEST_F(Processes, EndWhenOneIsKilledAndGoOn) {
  for (const bool kills_first : {false, true}) {
    fs::remove_all(path("out"));
    fs::remove_all(path("whole"));
    const pid_t launcher = begin(3);
    const pid_t first = std::stoi(FolderLock::holder(path("out")).value_or("0"));
    const std::vector<pid_t> others = others_than_the_first(launcher);
    ASSERT_EQ(others.size(), 2U);
    const auto killed = Clock::now();
    ::kill(kills_first ? first : others.back(), SIGKILL);
    const Outcome outcome = wait(launcher);
    EXPECT_LT(Clock::now() - killed, std::chrono::seconds(20));
    expect_told_of_a_death(outcome, kills_first);
    EXPECT_EQ(run("summary out").status, 0);
    expect_to_go_on(kills_first ? 2 : 1, std::ranges::max(rows_of_chains()) + 20);
  }
}

/// Who is in the middle of a transition of many seconds meets nobody, and the launcher lets it live for one second.
TEST_F(Processes, EndWhenOneIsKilledAndTheOthersComputeForLong) {
  const std::string arguments =
      "sample gaussian --dimension 10000 --chains 3 --warmup 0 --step-size 0.01 --trajectory jittered --steps 900000 "
      "--seed 1 --threads 1 --log log --out out";
  for (const bool kills_first : {false, true}) {
    fs::remove_all(path("out"));
    const pid_t launcher = start(arguments, "exec " + over(3));
    wait_for("out/statistics/chain_3.csv");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    const pid_t first = std::stoi(FolderLock::holder(path("out")).value_or("0"));
    ASSERT_NE(first, 0);
    ::kill(kills_first ? first : others_than_the_first(launcher).front(), SIGKILL);
    expect_told_of_a_death(wait(launcher), kills_first);
    if (kills_first || !testing::launcher_spares_others()) continue;
    EXPECT_FALSE(fs::exists(path("out/run.lock")));
    EXPECT_TRUE(mentions(read_text(path("log")), {R"("event":"end")", R"("status":"failed")"}));
  }
}

/// Any of them, at any moment; gone on with by any number.
TEST_F(Processes, GoOnWheneverOneIsKilled) {
  const std::string arguments = settings + " --draws 6000 --checkpoint-seconds 0.05";
  run_at_once(arguments, "whole");
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) {
    const pid_t launcher = start("sample " + arguments + " --out out", "exec " + over(3));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(250, 1300)(random)));
    const std::vector<pid_t> children = testing::children_of(launcher);
    if (!children.empty()) ::kill(children[random() % children.size()], SIGKILL);
    (void)wait(launcher);
    if (!fs::exists(path("out/run.json"))) continue;  // it had not begun
    const int processes = i % 3 + 1;
    const Outcome rest = run("resume out --quiet", processes == 1 ? "" : over(processes));
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same("whole");
    fs::remove_all(path("out"));
  }
}

/// As a batch system does before time is up; of any of them.
TEST_F(Processes, EndInGoodOrderWhenOneIsAsked) {
  const pid_t launcher = begin(3);
  const std::vector<pid_t> others = others_than_the_first(launcher);
  ASSERT_EQ(others.size(), 2U);
  ::kill(others.front(), SIGTERM);
  const Outcome outcome = wait(launcher);
  EXPECT_NE(outcome.status, 0);
  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_EQ(manifest.status, RunStatus::interrupted) << outcome.err;
  for (const DrawFile& file : manifest.files) EXPECT_EQ(file.rows, manifest.files.front().rows);
  expect_to_go_on(2, std::ranges::max(rows_of_chains()) + 20);
}

TEST_F(Processes, RefuseWhatOneOfThemLacks) {
  fs::create_directory(path("elsewhere"));
  const std::string sample =
      "sample logistic --data d.csv --chains 4 --warmup 50 --draws 50 --seed 1 --out '" + path("out").string() + "'";
  std::ofstream(path("d.csv")) << "y,x\n0,1\n1,2\n0,1.5\n1,0.5\n0,0\n1,3\n";
  const Outcome without = run(sample, over(2, "cd elsewhere"));
  EXPECT_EQ(without.status, 2) << without.err;
  EXPECT_TRUE(mentions(without.err, {"rank 1 of 2 (process ", "d.csv"})) << without.err;
  std::ofstream(path("elsewhere/d.csv")) << "y,x\n0,1\n1,2\n0,1.5\n1,0.5\n0,0\n1,4\n";
  const Outcome with_another = run(sample, over(2, "cd elsewhere"));
  EXPECT_EQ(with_another.status, 2) << with_another.err;
  EXPECT_TRUE(mentions(with_another.err,
                       {"rank 0 of 2 (process ", "rank 1 of 2 (process ", "data = d.csv: crc32", "must be the same"}))
      << with_another.err;
  EXPECT_FALSE(fs::exists(path("out")));
}

/// Where a disk is full for one of them, say. (What MPI itself writes has to fit.)
TEST_F(Processes, EndWhenOneCannotWrite) {
  const Outcome outcome = run("sample " + endless + " --out out", over(3, "ulimit -f 16000"));
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_TRUE(
      mentions(outcome.err, {"rank 1 of 3 (process ", "could not go on: ", "File too large", "darboux resume out"}))
      << outcome.err;
  EXPECT_EQ(read_manifest(path("out/run.json")).status, RunStatus::failed);
  EXPECT_EQ(run("summary out").status, 0);
  expect_to_go_on(1, std::ranges::max(rows_of_chains()) + 20);
}

TEST_F(Processes, RefuseWhatSeveralCannotDo) {
  const Outcome store = draw(2, "gaussian --format zarr");
  EXPECT_EQ(store.status, 2);
  EXPECT_TRUE(mentions(store.err, {"format = zarr", "darboux convert --to zarr"})) << store.err;
  const Outcome few = draw(3, "gaussian --chains 2");
  EXPECT_EQ(few.status, 2);
  EXPECT_TRUE(mentions(few.err, {"chains = 2: must be at least 3", "--chains 3"})) << few.err;
  EXPECT_EQ(few.err.find("chains = 2"), few.err.rfind("chains = 2")) << few.err;
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace darboux

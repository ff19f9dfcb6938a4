#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <vector>

#include "io/folder_lock.hpp"
#include "resumed.hpp"
#include "support/expect.hpp"
#include "support/mpi.hpp"
#include "support/split_table.hpp"

/// One run, whose rows lie with several processes that mpirun starts on this machine.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class ProcessesOfRows : public Resumed {
 protected:
  void SetUp() override {
    Resumed::SetUp();
    testing::need_mpi();
    write_text(path("a.csv"), testing::MadeUpTable(200).text());
  }
  static std::string over(int count) { return "'" + testing::mpirun() + "' -n " + std::to_string(count) + " "; }

  const std::string settings =
      "logistic --data a.csv --response outcome --shard rows --seed 3 --chains 3 --warmup 60 --threads 1";
};

TEST_F(ProcessesOfRows, DrawWhatOneDraws) {
  const std::string arguments = settings + " --draws 30";
  run_at_once(arguments, "whole");
  for (const int processes : {2, 3}) {
    const Outcome outcome = run("sample " + arguments + " --out out", over(processes));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same("whole");
    EXPECT_TRUE(mentions(outcome.out, {fmt::format("{} processes, which share the rows,", processes)}));
    EXPECT_EQ(outcome.out.find("processes,"), outcome.out.rfind("processes,"));
    const ValueTree cluster = read_manifest(path("out/run.json")).cluster;
    ASSERT_NE(cluster.find("ranks"), nullptr);
    EXPECT_EQ(*cluster.find("ranks"), ValueTree(processes));
    EXPECT_EQ(*cluster.find("share"), ValueTree("rows"));
    fs::remove_all(path("out"));
  }
}

/// Bad input that a single one meets ends all.
TEST_F(ProcessesOfRows, EndTogetherWhereOneCannotGoOn) {
  testing::MadeUpTable other(20);
  other.header = "outcome,age,salary,member,town\n";
  write_text(path("part-1.csv"), testing::MadeUpTable(20).text());
  write_text(path("part-2.csv"), other.text());
  const Outcome outcome =
      run("sample logistic --data 'part-*.csv' --response outcome --shard rows --seed 3 --out out", over(3));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"part-2.csv: column 3 is called \"salary\"", "part-1.csv", "\"income\"", "rank"}))
      << outcome.err;
  EXPECT_EQ(outcome.err.find("salary"), outcome.err.rfind("salary")) << "only one speaks: " << outcome.err;
  EXPECT_FALSE(fs::exists(path("out")));
}

/// Each file is read as a whole by one process; trees that are grown ask for rows of some chains only.
TEST_F(ProcessesOfRows, DrawTheSameOfGzippedPartsByNuts) {
  const testing::MadeUpTable table(120);
  for (std::size_t part = 0; part < 4; ++part)
    testing::write_gzipped(path("part-" + std::to_string(part) + ".csv.gz"), table.text(30 * part, 30 * part + 30));
  const std::string arguments =
      "logistic --data 'part-*.csv.gz' --response outcome --shard rows --seed 3 --chains 3 --warmup 40 --draws 20 "
      "--threads 1 --trajectory nuts";
  run_at_once(arguments, "whole");
  for (const int processes : {2, 4}) {
    const Outcome outcome = run("sample " + arguments + " --out out", over(processes));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same("whole");
    fs::remove_all(path("out"));
  }
  const Outcome many = run("sample " + arguments + " --out out", over(5));
  EXPECT_EQ(many.status, 2);
  EXPECT_TRUE(mentions(many.err, {"5 processes, but it has 4 parts"})) << many.err;
}

/// kill −9 of one that only has rows, and of the one that draws, whose folder the others know from it alone.
TEST_F(ProcessesOfRows, EndWhenOneIsKilledAndGoOn) {
  const std::string endless = settings + " --quiet --draws 100000000 --checkpoint-seconds 0.2";
  for (const bool kills_first : {false, true}) {
    fs::remove_all(path("out"));
    fs::remove_all(path("whole"));
    const pid_t launcher = start("sample " + endless + " --out out", "exec " + over(3));
    wait_for("out/tuning.json");
    wait_for("out/checkpoint-before.bin");
    const pid_t first = std::stoi(FolderLock::holder(path("out")).value_or("0"));
    std::vector<pid_t> others = testing::children_of(launcher);
    std::erase(others, first);
    ASSERT_EQ(others.size(), 2U);
    ::kill(kills_first ? first : others.front(), SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    expect_told_of_a_death(wait(launcher), kills_first);
    EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(20));
    std::ptrdiff_t drawn = 0;
    for (const DrawFile& file : read_manifest(path("out/run.json")).files) {
      const std::string text = rows("out/" + file.file);
      drawn = std::max(drawn, std::ranges::count(text, '\n'));
    }
    const std::string draws = " --draws " + std::to_string(drawn + 20);
    const Outcome resumed = run("resume out" + draws, over(2));
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    ASSERT_EQ(run("sample " + settings + draws + " --out whole").status, 0);
    EXPECT_TRUE(rows("out/chain_1.csv") == rows("whole/chain_1.csv"));
    EXPECT_TRUE(rows("out/chain_3.csv") == rows("whole/chain_3.csv"));
  }
}

/// Any number of processes goes on with a run, but not with other data.
TEST_F(ProcessesOfRows, GoOn) {
  run_at_once(settings + " --draws 60", "whole");
  ASSERT_EQ(run("sample " + settings + " --draws 20 --out out", over(3)).status, 0);
  const Outcome resumed = run("resume out --draws 60", over(2));
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(rows("out/chain_1.csv") == rows("whole/chain_1.csv"));
  EXPECT_TRUE(rows("out/chain_3.csv") == rows("whole/chain_3.csv"));
  write_text(path("a.csv"), testing::MadeUpTable(200, 2).text());
  const Outcome refused = run("resume out --draws 90", over(2));
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.err, {"the table has changed since the run began"})) << refused.err;
}

}  // namespace
}  // namespace darboux

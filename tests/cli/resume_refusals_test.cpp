#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "resumed.hpp"
#include "support/expect.hpp"

/// What darboux resume refuses or does without, and what it says then.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

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

/// A refusal changes nothing, whatever it found before.
TEST_F(Resumed, ADamagedCheckpointStaysWhereTheRunIsRefused) {
  ASSERT_EQ(run("sample banana --warmup 500 --draws 3000" + often + " --out out").status, 0);
  flip_a_bit("out/checkpoint.bin", 500);
  const std::string damaged = read_text(path("out/checkpoint.bin"));
  EXPECT_EQ(run("resume out --draws 1").status, 2);
  ASSERT_TRUE(fs::exists(path("out/checkpoint.bin")));
  EXPECT_TRUE(read_text(path("out/checkpoint.bin")) == damaged);
}

TEST_F(Resumed, ACheckpointOfAnotherRunIsRefused) {
  const auto leave_in_warmup = [&](const std::string& arguments, const std::string& name) {
    const pid_t child =
        start("sample banana --warmup 100000000 --checkpoint-seconds 0.01 --out out --quiet " + arguments);
    wait_for("out/checkpoint-before.bin");
    ::kill(child, SIGKILL);
    (void)wait(child);
    fs::rename(path("out"), path(name));
  };
  leave_in_warmup("--seed 3", "mine");
  leave_in_warmup("--seed 4", "seed");
  leave_in_warmup("--seed 3 --target-acceptance 0.7", "settings");
  const auto resumed = [&] { return run("resume mine --max-seconds 0.1 --quiet"); };
  for (const std::string other : {"seed", "settings"}) {
    fs::copy_file(path(other + "/checkpoint-before.bin"), path("mine/checkpoint.bin"),
                  fs::copy_options::overwrite_existing);
    const Outcome outcome = resumed();
    EXPECT_NE(outcome.status, 2);
    EXPECT_TRUE(mentions(outcome.err, {"mine/checkpoint.bin is of a run with another seed or other settings",
                                       "from the checkpoint before"}));
  }
  const std::string manifest = read_text(path("mine/run.json"));
  std::string edited = manifest;
  edited.replace(edited.find("\"chains\": 4"), 11, "\"chains\": 5");
  write_text(path("mine/run.json"), edited);
  const Outcome refused = resumed();
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.err, {"settings than run.json names", "put back"}));
  write_text(path("mine/run.json"), manifest);
  EXPECT_NE(resumed().status, 2) << "nothing was changed";
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
  const Outcome nowhere = run("resume nowhere");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(mentions(nowhere.err, {"nowhere: there is no such folder", "darboux sample"}));
  EXPECT_TRUE(mentions(run("resume .").err, {"no run.json", "darboux sample"}));
  EXPECT_EQ(run("resume").status, 2);
}

TEST_F(Resumed, AManifestThatWasEditedIsNamed) {
  ASSERT_EQ(run("sample banana --draws 100 --seed 1 --quiet --out out").status, 0);
  const std::string manifest = read_text(path("out/run.json"));
  const auto refusal_with = [&](const std::string& before, const std::string& after) {
    std::string edited = manifest;
    edited.replace(edited.find(before), before.size(), after);
    write_text(path("out/run.json"), edited);
    const Outcome outcome = run("resume out --draws 200");
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_TRUE(
      mentions(refusal_with("\"chains\": 4", "\"chains\": \"four\""), {"out/run.json: asked: chains = four: must be"}));
  EXPECT_TRUE(mentions(refusal_with("\"chains\"", "\"chainz\""), {"out/run.json: asked: unknown setting", "chains"}));
}

TEST_F(Resumed, FilesOfSomebodyElseAreNamed) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to every file";
  ASSERT_EQ(run("sample banana --draws 100 --seed 1 --quiet --out out").status, 0);
  const std::string manifest = read_text(path("out/run.json"));
  fs::permissions(path("out/chain_2.csv"), fs::perms::owner_read);
  const Outcome outcome = run("resume out --draws 200");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"out/chain_2.csv: Permission denied", "copy the folder"}));
  EXPECT_EQ(read_text(path("out/run.json")), manifest);
}

}  // namespace
}  // namespace darboux

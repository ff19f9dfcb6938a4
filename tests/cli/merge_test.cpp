#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "draws/observation_file.hpp"
#include "draws/run_manifest.hpp"
#include "io/folder_lock.hpp"
#include "program.hpp"
#include "report/report.hpp"
#include "support/expect.hpp"
#include "support/split_table.hpp"

/// Runs in parts, as jobs of a cluster draw them, and what darboux merge makes of them.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::mentions;
using ::testing::Not;
using testing::Outcome;

class Merged : public testing::WithProgram {
 protected:
  Merged() {
    (void)file("page.html", std::string(report_page_start) + "@DATA@");
    EXPECT_EQ(
        run("sample gaussian --dimension 3 --chains 2 --warmup 200 --draws 10 --seed 7 --quiet --out pilot").status, 0);
  }
  [[nodiscard]] static std::string common() {
    return "gaussian --dimension 3 --draws 150 --seed 1 --tuning pilot/tuning.json --quiet ";
  }
  void draw(const std::string& arguments) const {
    const Outcome outcome = run("sample " + arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  void draw_parts() const {
    draw(common() + "--chain-ids 1-3 --out part-1");
    draw(common() + "--chain-ids 4-5 --out part-2");
  }
  /// Rows alone: heads say when and into which folder they were drawn.
  [[nodiscard]] std::string rows(const std::string& name) const {
    std::istringstream lines(read_text(path(name)));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with('#')) out += line + "\n";
    return out;
  }
  void expect_refused(const std::string& parts, const std::vector<std::string_view>& said) const {
    const Outcome outcome = run("merge " + parts + " --out all");
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    for (const std::string_view part : said) EXPECT_TRUE(mentions(outcome.err, {part})) << outcome.err;
    EXPECT_FALSE(fs::exists(path("all")));
  }
};

TEST_F(Merged, PartsAreTheRunInOneGo) {
  draw_parts();
  draw(common() + "--chains 5 --out whole");
  const Outcome outcome = run("merge part-2 part-1 --out all");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"5 chains of 2 parts"}));
  const RunManifest whole = read_manifest(path("whole/run.json")), all = read_manifest(path("all/run.json"));
  ASSERT_EQ(all.files, whole.files);
  ASSERT_EQ(all.files.size(), 5U);
  EXPECT_EQ(all.files[4].file, "chain_5.csv");
  for (const DrawFile& file : whole.files)
    for (const std::string& name : {file.file, file.statistics})
      EXPECT_TRUE(rows("all/" + name) == rows("whole/" + name)) << name;
  EXPECT_EQ(read_text(path("all/tuning.json")), read_text(path("whole/tuning.json")));
  EXPECT_EQ(all.status, RunStatus::complete);
  EXPECT_EQ(all.sampling.gradients, whole.sampling.gradients);
  EXPECT_EQ(all.warmup.gradients, whole.warmup.gradients);
  EXPECT_EQ(all.min_bulk_ess, whole.min_bulk_ess);
  EXPECT_EQ(all.max_rhat, whole.max_rhat);
  EXPECT_EQ(text_of(*all.asked.find("chains")), "5");
  EXPECT_EQ(all.given, whole.given);
  EXPECT_EQ(all.asked.find("chain-ids"), nullptr);
  EXPECT_EQ(text_of(*all.asked.find("out")), "all");
}

TEST_F(Merged, IsARunLikeAnyOther) {
  draw_parts();
  ASSERT_EQ(run("merge part-1 part-2 --out all --quiet").status, 0);
  draw(common() + "--chains 5 --out whole");
  const Outcome summary = run("summary all"), of_whole = run("summary whole");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_EQ(summary.out.substr(0, summary.out.find("gradients")),
            of_whole.out.substr(0, of_whole.out.find("gradients")));
  EXPECT_EQ(run("report all --page page.html --out all.html").status, 0);
  EXPECT_EQ(run("convert all --to zarr").status, 0);
  EXPECT_EQ(run("resume all").status, 0);  // complete
  const Outcome more = run("resume all --draws 300");
  EXPECT_EQ(more.status, 2);
  EXPECT_TRUE(mentions(more.err, {"all: this run was merged of part-1, part-2", "merge them again"})) << more.err;
}

TEST_F(Merged, PartsMayBeMissingAndGoOn) {
  draw_parts();
  draw(common() + "--chain-ids 9-9 --out part-3");
  ASSERT_EQ(run("merge part-3 part-2 --out all --quiet").status, 0);
  const RunManifest all = read_manifest(path("all/run.json"));
  EXPECT_EQ(text_of(*all.asked.find("chain-ids")), "4-5,9");
  ASSERT_EQ(all.files.size(), 3U);
  EXPECT_EQ(all.files[2].file, "chain_9.csv");
  EXPECT_TRUE(fs::exists(path("all/statistics/chain_9.csv")));
  EXPECT_EQ(run("summary all").status, 0);
  EXPECT_EQ(run("report all --page page.html --out all.html").status, 0);

  fs::remove_all(path("all"));
  ASSERT_EQ(run("resume part-1 --draws 200 --quiet").status, 0);
  expect_refused("part-1 part-2", {"part-2/chain_4.csv: has 150 draws, and chain 1 has 200", "darboux resume part-2"});
  ASSERT_EQ(run("resume part-2 --draws 200 --quiet").status, 0);
  ASSERT_EQ(run("merge part-1 part-2 --out all --quiet").status, 0);
  fs::rename(path("all"), path("merged"));
  draw("gaussian --dimension 3 --draws 200 --seed 1 --tuning pilot/tuning.json --quiet --chains 5 --out whole");
  EXPECT_TRUE(rows("merged/chain_4.csv") == rows("whole/chain_4.csv"));
}

TEST_F(Merged, RefusesWhatDoesNotBelongTogether) {
  draw_parts();
  const auto other = [&](const std::string& arguments) {
    fs::remove_all(path("other"));
    draw(arguments + " --quiet --out other");
  };
  expect_refused("part-1", {"two parts or more"});
  expect_refused("part-1 nowhere", {"nowhere: there is no run.json here"});
  other(common() + "--chain-ids 3-4");
  expect_refused("part-1 other", {"chain 3 is in part-1 and in other", "count twice", "--chain-ids"});
  expect_refused("part-1 part-1", {"chain 1 is in part-1 and in part-1"});
  other("gaussian --dimension 3 --draws 150 --seed 2 --tuning pilot/tuning.json --chain-ids 4-5");
  expect_refused("part-1 other", {"other: seed = 2, and in part-1 it is 1"});
  other("gaussian --dimension 3 --draws 150 --seed 1 --tuning pilot/tuning.json --chain-ids 4-5 --thin 3");
  expect_refused("part-1 other", {"other: thin = 3, and in part-1 it is 1"});
  other("funnel --dimension 3 --draws 150 --seed 1 --warmup 0 --step-size 0.1 --chains 4");
  expect_refused("part-1 other", {"other: ", "and in part-1 it is"});
  std::string tuning = read_text(path("pilot/tuning.json"));
  tuning.replace(tuning.find("\"step_size\": "), 13, "\"step_size\": 0.5, \"was\": ");
  (void)file("tuning.json", tuning);
  other("gaussian --dimension 3 --draws 150 --seed 1 --tuning tuning.json --chain-ids 4-5");
  expect_refused("part-1 other", {"other: its tuning.json is not that of part-1", "--tuning"});
  const std::string draws = read_text(path("part-2/chain_5.csv"));
  write_text(path("part-2/chain_5.csv"), draws.substr(0, draws.size() / 2));
  expect_refused("part-1 part-2", {"part-2/chain_5.csv: has ", "must be 0 + 150", "run.json"});
}

TEST_F(Merged, RefusesOtherData) {
  std::string table = "y,x\n";
  for (int i = 0; i < 40; ++i) table += std::to_string(i % 3 == 0) + "," + std::to_string(i * i % 17) + "\n";
  (void)file("a.csv", table);
  (void)file("same.csv", table);
  (void)file("b.csv", table + "1,3\n");
  draw("logistic --data a.csv --chains 2 --draws 10 --seed 1 --quiet --out trial");
  const std::string settings = "--draws 50 --seed 1 --tuning trial/tuning.json --log-likelihood --quiet ";
  draw("logistic --data a.csv --chain-ids 1-2 --out one " + settings);
  draw("logistic --data same.csv --chain-ids 3-5 --out two " + settings);
  draw("logistic --data b.csv --chain-ids 3-5 --out three " + settings);
  expect_refused("one three", {"three: the checksum of data = crc32 ", "and in one it is crc32 "});
  ASSERT_EQ(run("merge one two --out all --quiet").status, 0);

  draw("logistic --data a.csv --chains 5 --out whole " + settings);
  EXPECT_TRUE(rows("all/log_likelihood/chain_4.csv") == rows("whole/log_likelihood/chain_4.csv"));
  const ObservationSummary all = read_observation_summary(path("all/observations.json")),
                           whole = read_observation_summary(path("whole/observations.json"));
  EXPECT_EQ(all.observed, whole.observed);
  ASSERT_EQ(all.likelihood.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(all.likelihood[i], whole.likelihood[i], 1e-14);
}

/// Which nobody has read as a whole, so that there is no checksum of it.
TEST_F(Merged, RefusesAnotherTableWhoseRowsWereShared) {
  write_text(path("a.csv"), testing::MadeUpTable(200).text());
  const std::string settings = "logistic --data a.csv --response outcome --shard rows --seed 1 --quiet --draws 20 ";
  draw(settings + "--chains 2 --out trial");
  draw(settings + "--tuning trial/tuning.json --chain-ids 1-2 --out one");
  draw(settings + "--tuning trial/tuning.json --chain-ids 3-4 --out two");
  write_text(path("a.csv"), testing::MadeUpTable(200, 2).text());
  draw(settings + "--tuning trial/tuning.json --chain-ids 3-4 --out three");
  expect_refused("one three", {"three: the fingerprint of data = ", " 200 rows, ", "and in one it is "});
  EXPECT_EQ(run("merge one two --out all --quiet").status, 0);
}

TEST_F(Merged, RefusesPartsThatAreNotComplete) {
  draw_parts();
  RunManifest manifest = read_manifest(path("part-2/run.json"));
  manifest.status = RunStatus::interrupted;
  write_manifest(manifest, path("part-2/run.json"));
  expect_refused("part-1 part-2", {"part-2: its status is \"interrupted\"", "darboux resume part-2"});
}

/// A job array draws where there is room.
TEST_F(Merged, SaysWhereBitsMayDiffer) {
  draw_parts();
  RunManifest manifest = read_manifest(path("part-2/run.json"));
  const std::string here = manifest.cpu_class;
  manifest.cpu_class = "another";
  manifest.compiler = "Another 1.0";
  write_manifest(manifest, path("part-2/run.json"));
  ASSERT_EQ(run("merge part-1 part-2 --out all --quiet").status, 0);
  const std::vector<std::string> warnings = read_manifest(path("all/run.json")).warnings;
  EXPECT_THAT(warnings, Contains("part-2 was drawn with a processor of the class another, and part-1 with " + here +
                                 ": draws are as good, but their last bits may differ from those of a run in one go."));
  EXPECT_THAT(warnings,
              Contains(HasSubstr("part-2 was drawn with a library compiled by Another 1.0, and part-1 with")));
  EXPECT_THAT(warnings, Not(Contains(HasSubstr("with darboux "))));
}

/// What the processes of a part told each other is nothing that can be said of all parts.
TEST_F(Merged, TellsNothingOfProcesses) {
  draw_parts();
  RunManifest manifest = read_manifest(path("part-1/run.json"));
  manifest.cluster.set("ranks", 2);
  write_manifest(manifest, path("part-1/run.json"));
  ASSERT_EQ(run("merge part-1 part-2 --out all --quiet").status, 0);
  EXPECT_EQ(read_manifest(path("all/run.json")).cluster, ValueTree());
}

/// As mpirun starts them: of a program that knows nothing of the other processes.
TEST_F(Merged, CopiesOfAPlainProgramAreRefused) {
  const std::string launched = "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=";
  for (const std::string command :
       {"compare gaussian", "reproduce all", "convert pilot --to zarr", "summary pilot", "report pilot",
        "merge pilot pilot --out out", "check gaussian", "structure magnetic-position", "models", "manual"}) {
    const Outcome first = run(command, launched + "0 ");
    EXPECT_EQ(first.status, 2) << command;
    EXPECT_TRUE(mentions(first.err, {"mpirun started this program 4 times", "--threads", "--chain-ids"})) << first.err;
    EXPECT_EQ(first.out, "") << command;
  }
  for (const std::string harmless : {"--version", "--help", "convert --help"})
    EXPECT_EQ(run(harmless, launched + "0 ").status, 0) << harmless;
  EXPECT_FALSE(fs::exists(path("pilot.zarr")));
  fs::create_directory(path("bin"));  // where there is nothing that could be loaded
  fs::copy_file(DARBOUX_PROGRAM_FILE, path("bin/darboux"));
  const auto without_mpi = [&](const std::string& rank) {
    return "without() { shift; " + launched + rank + " bin/darboux \"$@\"; } && without ";
  };
  for (const std::string command : {"sample gaussian --out out", "resume pilot --draws 20"}) {
    const Outcome first = run(command, without_mpi("0"));
    EXPECT_EQ(first.status, 2);
    EXPECT_TRUE(mentions(first.err, {"mpirun started this program 4 times", "-DDARBOUX_MPI=ON", "--chain-ids"}))
        << first.err;
  }
  const Outcome second = run("sample gaussian --out out", without_mpi("1"));
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.err, "");
  EXPECT_FALSE(fs::exists(path("out")));
}

/// Parts know nothing of each other, so that copies of one find out by its folder alone.
TEST_F(Merged, CopiesOfAPartAreToldHowToStartParts) {
  const std::string part = "sample " + common() + "--chain-ids 4-5 --out part-2";
  const std::string launched = "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=";
  ASSERT_EQ(run(part, launched + "1 ").status, 0);
  const Outcome copy = run(part, launched + "0 ");
  EXPECT_EQ(copy.status, 2);
  EXPECT_TRUE(mentions(
      copy.err, {"part-2", "it holds a finished run", "mpirun started this program 4 times", "leave --chain-ids out"}))
      << copy.err;
  const Outcome again = run(part);
  EXPECT_EQ(again.status, 2);
  EXPECT_FALSE(mentions(again.err, {"--chain-ids"})) << again.err;
  const FolderLock writes(path("part-2"));
  EXPECT_TRUE(mentions(run(part, launched + "0 ").err, {"is writing", "mpirun started this program 4 times"}));
}

}  // namespace
}  // namespace darboux

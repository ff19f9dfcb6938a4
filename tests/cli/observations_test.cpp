#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "draws/run_manifest.hpp"
#include "program.hpp"
#include "support/expect.hpp"

/// The log likelihood of observations, and predictions, from the command line.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

const std::string german = "logistic --data '" DARBOUX_SOURCE_FOLDER "/data/german.csv' --seed 5 --warmup 200 ";

class ObservationsOfRuns : public testing::WithProgram {
 protected:
  void expect_same(const std::string& a, const std::string& b) const {
    for (const char* folder : {"log_likelihood", "posterior_predictive"})
      for (const char* file : {"chain_1.csv", "chain_2.csv"})
        EXPECT_TRUE(read_text(path(a) / folder / file) == read_text(path(b) / folder / file)) << folder << "/" << file;
    EXPECT_EQ(read_text(path(a + "/observations.json")), read_text(path(b + "/observations.json")));
  }
};

TEST_F(ObservationsOfRuns, OfARunThatIsGoneOnWithAreThoseOfOneInOneGo) {
  const std::string what = german + "--chains 2 --log-likelihood --posterior-predictive 20 ";
  ASSERT_EQ(run("sample " + what + "--draws 100 --out whole --quiet").status, 0);
  ASSERT_EQ(run("sample " + what + "--draws 40 --out parts --quiet").status, 0);
  ASSERT_EQ(run("resume parts --draws 100 --threads 2 --quiet").status, 0);
  expect_same("parts", "whole");
  EXPECT_EQ(read_manifest(path("parts/run.json")).files, read_manifest(path("whole/run.json")).files);
}

/// Killed while they are written, or just before: what is there is whole or absent, and darboux resume writes the rest.
TEST_F(ObservationsOfRuns, OfAProcessThatIsKilledAreWrittenByTheNext) {
  const std::string what = german + "--chains 2 --draws 1500 --log-likelihood --posterior-predictive 20 ";
  ASSERT_EQ(run("sample " + what + "--out whole --quiet").status, 0);
  const pid_t child = start("sample " + what + "--out parts --quiet");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!fs::exists(path("parts/.darboux-log_likelihood-1.tmp")) && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(child, SIGKILL);
  (void)wait(child);
  ASSERT_EQ(run("resume parts --quiet").status, 0);
  expect_same("parts", "whole");
  for (const auto& entry : fs::directory_iterator(path("parts")))
    EXPECT_FALSE(entry.path().filename().string().ends_with(".tmp")) << entry.path();
}

/// Asked for afterwards, whatever rule had ended the run: to the bytes of one that was told at first, and the draws stay.
TEST_F(ObservationsOfRuns, OfAFinishedRunAreAdded) {
  const std::string asked = "--log-likelihood --posterior-predictive 20 ";
  for (const std::string often : {"", "--checkpoint-seconds 0.01 "}) {
    for (const char* folder : {"whole", "parts"}) fs::remove_all(path(folder));
    const std::string what = german + "--chains 2 --draws 100 " + often;
    ASSERT_EQ(run("sample " + what + asked + "--out whole --quiet").status, 0);
    ASSERT_EQ(run("sample " + what + "--out parts --quiet --format csv,zarr").status, 0);
    const Outcome outcome = run("resume parts " + asked);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_same("parts", "whole");
    EXPECT_EQ(read_manifest(path("parts/run.json")).files, read_manifest(path("whole/run.json")).files);
    EXPECT_TRUE(fs::exists(path("parts/draws.zarr/log_likelihood/y/.zarray")));
  }
}

TEST_F(ObservationsOfRuns, OfARunWhoseTimeWasUpAreThoseOfTheDrawsThatItHas) {
  ASSERT_EQ(run("sample " + german + "--chains 2 --draws 100000000 --max-seconds 0.5 --out out --quiet").status, 0);
  const std::int64_t rows = read_manifest(path("out/run.json")).files[0].rows;
  ASSERT_GT(rows, 0);
  const Outcome outcome = run("resume out --posterior-predictive 3 --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_EQ(manifest.files[0].rows, rows);
  EXPECT_EQ(manifest.status, RunStatus::complete);
  EXPECT_TRUE(fs::exists(path("out/posterior_predictive/chain_2.csv")));
}

TEST_F(ObservationsOfRuns, AreRefusedBeforeSamplingWhereAModelTellsNothing) {
  const Outcome outcome = run("sample gaussian --log-likelihood --out g");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"log-likelihood is given, but model gaussian tells nothing", "logistic"}));
  EXPECT_FALSE(fs::exists(path("g")));
  EXPECT_TRUE(mentions(run("sample " + german + "--posterior-predictive 0").err, {"posterior-predictive = 0", "1"}));
}

TEST_F(ObservationsOfRuns, TheReportHasACalibrationCurveWhereTheyAreKnown) {
  ASSERT_EQ(run("sample " + german + "--draws 100 --log-likelihood --out with --quiet").status, 0);
  ASSERT_EQ(run("sample " + german + "--draws 100 --posterior-predictive 5 --out without --quiet").status, 0);
  const auto sections = [&](const std::string& folder) {
    std::vector<std::string> ids;
    const Outcome outcome = run("report " + folder + " --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out);
    for (const auto& section : report["sections"]) ids.push_back(section["id"]);
    return ids;
  };
  EXPECT_EQ(std::ranges::count(sections("with"), "calibration"), 1);
  EXPECT_EQ(std::ranges::count(sections("without"), "calibration"), 0);
}

}  // namespace
}  // namespace darboux

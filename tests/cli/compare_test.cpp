#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>

#include "program.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::Outcome;

class CompareCommand : public testing::WithProgram {
 protected:
  /// What a process says on standard error until that has a whole line, or a minute has passed; then it is ended.
  [[nodiscard]] std::string first_lines(const std::string& arguments) const {
    const pid_t child = start(arguments);
    std::string told;
    for (int i = 0; i < 600 && told.find('\n') == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (std::filesystem::exists(path(".err"))) told = read_text(path(".err"));
    }
    ::kill(child, SIGKILL);
    (void)wait(child);
    return told;
  }
};

constexpr const char* quick = "compare gaussian --dimension 2 --warmup 200 --draws 300 --seed 3 --runs 2 ";

TEST_F(CompareCommand, PrintsATableAndWhatWasHeldEqual) {
  const Outcome outcome =
      run(std::string(quick) + "--methods chees,nuts/diagonal,explicit/coupled:0.25 --csv runs.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(
      mentions(outcome.out, {"gaussian (2 parameters): 3 methods, 2 runs", "ESS/1000 gradients", "with warm-up",
                             "ESS/second", "best", "explicit/coupled:0.25 APPROXIMATE", "not ranked: its bias",
                             "4 chains, 200 + 300 iterations, seeds 3 to 4", "one thread per run", "runs.csv"}));
  std::istringstream lines(read_text(path("runs.csv")));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_TRUE(rows[0].starts_with("method,seed,approximate,converged,min_bulk_ess"));
  EXPECT_TRUE(rows[4].starts_with("nuts/diagonal,4,0,1,"));
  EXPECT_TRUE(rows[5].starts_with("explicit/coupled:0.25,3,1,"));
  for (const std::string& row : rows) EXPECT_EQ(std::count(row.begin(), row.end(), ','), 13) << row;
}

/// Of a table the same is said as before a run.
TEST_F(CompareCommand, SaysWhatItMadeOfATable) {
  (void)file("d.csv", "sick,x\nno,1\nyes,2\nno,3\nyes,4\nyes,5\nno,1.5\n");
  const std::string settings =
      "compare logistic --data d.csv --warmup 100 --draws 200 --seed 1 --runs 2 --methods nuts";
  const Outcome outcome = run(settings);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"Data: 6 rows of d.csv", "Outcome: sick is yes in 3 of 6 rows", "Prior: "}));
  EXPECT_TRUE(run(settings + " --csv -").out.starts_with("method,seed,")) << "for programs";
}

TEST_F(CompareCommand, TellsProgressInPlainLinesWhereThereIsNoTerminal) {
  const std::string told = first_lines("compare gaussian --dimension 100 --warmup 100000000 --methods chees,nuts");
  EXPECT_TRUE(mentions(told, {" s  run 1 of 5: chees\n"}));
  EXPECT_EQ(told.find('\x1b'), std::string::npos);
}

TEST_F(CompareCommand, RanksNothingThatHasNotConverged) {
  const Outcome outcome = run("compare skewed --warmup 100 --draws 10 --seed 1 --runs 2 --methods nuts,chees");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"not ranked: 2 of 2 runs not converged"}));
  EXPECT_EQ(outcome.out.find("best\n"), std::string::npos);
}

/// Settings that only some of the methods know are for those.
TEST_F(CompareCommand, GivesEachMethodItsOwnSettings) {
  (void)file("c.toml", "max-depth = 3\nstructure-seed = 2\n");
  const Outcome outcome = run(std::string(quick) + "--config c.toml --methods chees,nuts/coupled --csv -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("method,seed,"));
}

TEST_F(CompareCommand, RefusesBadInput) {
  (void)file("there.csv", "precious");
  const auto refused = [&](const std::string& arguments, std::initializer_list<std::string_view> said) {
    const Outcome outcome = run("compare " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(mentions(outcome.err, said)) << arguments;
    EXPECT_EQ(outcome.out, "");
  };
  refused("--methods nuts", {"which model?", "darboux compare MODEL"});
  refused("gaussian", {"which methods?", "--methods nuts,chees"});
  refused("gaussian --methods nuts,ches", {"method ches", "did you mean \"chees\"?"});
  refused("gaussian --methods nuts,leapfrog/coupled", {"method leapfrog/coupled", "E = 0"});
  refused("gaussian --methods nuts,nuts", {"named twice"});
  refused("gaussian --methods nuts --runs 1", {"--runs = 1", "from 2"});
  refused("gaussian --methods nuts --csv there.csv", {"--csv there.csv", "exists"});
  refused("gaussian --methods nuts --csv nowhere/runs.csv", {"--csv nowhere/runs.csv: there is no folder nowhere"});
  refused("gaussian --methods nuts --thin 2", {"unknown flag \"--thin\""});
  EXPECT_EQ(read_text(path("there.csv")), "precious");
}

}  // namespace
}  // namespace darboux

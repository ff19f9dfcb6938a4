#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "program.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;

class Reproduce : public WithProgram {
 protected:
  [[nodiscard]] std::string text(const std::string& file) const { return read_text(folder_ / file); }
  [[nodiscard]] std::size_t finished_parts() const {
    std::size_t count = 0;
    if (!std::filesystem::exists(folder_ / "r/cells")) return 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "r/cells"))
      if (entry.path().extension() == ".json") ++count;
    return count;
  }
};

/// Data so small that a whole experiment takes seconds: 40 rows, one feature.
class ReproduceSmall : public Reproduce {
 protected:
  ReproduceSmall() {
    std::filesystem::create_directory(folder_ / "small");
    std::string rows = "y,x1\n";
    for (int i = 0; i < 40; ++i) rows += std::to_string(i * i % 7 % 2) + "," + std::to_string(i) + "\n";
    write_text(folder_ / "small/mine.csv", rows);
    write_text(folder_ / "small/sets.csv", "name,rows,columns,training_rows\nmine,40,1,30\n");
  }
};

TEST_F(Reproduce, WritesTablesFiguresAndWhatBecameOfTheClaims) {
  const Outcome outcome = run("reproduce trajectories --out r");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("trajectories: 2 parts, 0 of them were there already"));
  for (const char* file :
       {"trajectories.json", "trajectories-positions.csv", "figures/trajectories-1.vl.json", "reproduction.md"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "r" / file)) << file;
  EXPECT_THAT(text("r/trajectories-positions.csv"),
              ::testing::StartsWith("structure,time,q1,q2\ncanonical,0,1.6,0.2\n"));

  const Outcome again = run("reproduce trajectories --out r");
  EXPECT_THAT(again.out, HasSubstr("2 parts, 2 of them were there already"));
}

/// Small runs decide nothing, so nothing that they leave says that anything is confirmed, or is not.
TEST_F(ReproduceSmall, QuickRunsGiveNoVerdicts) {
  const Outcome outcome = run("reproduce logistic --quick --data small --out r");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("They give no verdicts on claims."));
  EXPECT_THAT(outcome.out, HasSubstr("claim: the minimum ESS is larger with non-canonical structures"));
  const std::string page = text("r/reproduction.md"), results = text("r/logistic.json");
  EXPECT_THAT(page, HasSubstr("What small runs show of the paper's claims: no verdicts"));
  for (const std::string& told : {outcome.out, page, results})
    for (const char* word : {"onfirmed", "not testable", "\"verdict\""})
      EXPECT_EQ(told.find(word), std::string::npos) << word << " in " << told.substr(0, 200);
}

TEST_F(ReproduceSmall, GivesTheSameNumbersOnAnyNumberOfThreads) {
  ASSERT_EQ(run("reproduce logistic --quick --data small --threads 1 --out a").status, 0);
  ASSERT_EQ(run("reproduce logistic --quick --data small --threads 3 --out b").status, 0);
  EXPECT_EQ(text("a/logistic-coefficients.csv"), text("b/logistic-coefficients.csv"));
  ASSERT_EQ(run("reproduce logistic --quick --data small --seed 2 --out c").status, 0);
  EXPECT_NE(text("a/logistic-coefficients.csv"), text("c/logistic-coefficients.csv"));
}

TEST_F(ReproduceSmall, GoesOnAfterAnInterruption) {
  const pid_t child = start("reproduce logistic --quick --data small --threads 1 --out r");
  while (finished_parts() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(child, SIGINT);
  const Outcome stopped = wait(child);
  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(stopped.out, HasSubstr("Interrupted: what is finished is in r; the same command goes on from there."));
  const std::size_t kept = finished_parts();
  EXPECT_GE(kept, 2);
  const Outcome rest = run("reproduce logistic --quick --data small --out r");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("parts, " + std::to_string(kept) + " of them were there already"));
}

TEST_F(ReproduceSmall, TellsProgressInPlainLinesWhereThereIsNoTerminal) {
  const pid_t child = start("reproduce logistic --runs 1000 --data small --threads 1 --out r");
  std::string told;
  for (int i = 0; i < 600 && told.find('\n') == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (std::filesystem::exists(folder_ / ".err")) told = text(".err");
  }
  ::kill(child, SIGKILL);
  (void)wait(child);
  EXPECT_THAT(told, ::testing::MatchesRegex(" +[0-9]+ s  logistic: [0-9]+ of [0-9]+ parts, .*\n"));
}

TEST_F(ReproduceSmall, AFolderIsForOneSeedAndSize) {
  ASSERT_EQ(run("reproduce logistic --quick --data small --out r").status, 0);
  const std::string before = text("r/logistic-coefficients.csv");
  const Outcome other = run("reproduce logistic --quick --data small --seed 2 --out r");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--out r: holds results of other settings"));
  EXPECT_EQ(text("r/logistic-coefficients.csv"), before);
  EXPECT_EQ(run("reproduce trajectories --out r/logistic.json --quick").status, 2);

  ASSERT_EQ(run("reproduce trajectories --quick --out r").status, 0);  // the page keeps what is there
  EXPECT_THAT(text("r/reproduction.md"), HasSubstr("## Logistic regressions"));
  EXPECT_THAT(text("r/reproduction.md"), HasSubstr("## The paper's two pictures"));
}

TEST_F(ReproduceSmall, OtherDataAreNotTakenForTheSame) {
  ASSERT_EQ(run("reproduce logistic --quick --data small --out r").status, 0);
  std::string rows = text("small/mine.csv");
  rows.replace(rows.find("\n0,"), 3, "\n1,");
  write_text(folder_ / "small/mine.csv", rows);
  EXPECT_THAT(run("reproduce logistic --quick --data small --out r").out, HasSubstr("0 of them were there already"));
}

TEST_F(Reproduce, RefusesWhatItDoesNotKnow) {
  const Outcome unknown = run("reproduce logistics");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("logistic"));
  EXPECT_EQ(run("reproduce").status, 2);
  EXPECT_THAT(run("reproduce").err, HasSubstr("which experiment?"));
  EXPECT_EQ(run("reproduce all --runs 1").status, 2);
  const Outcome no_data = run("reproduce logistic --data nowhere");
  EXPECT_EQ(no_data.status, 2);
  EXPECT_THAT(no_data.err, HasSubstr("--data nowhere: must be a folder with sets.csv"));
}

}  // namespace
}  // namespace darboux::testing

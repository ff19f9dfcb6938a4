#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program.hpp"
#include "report/printable_text.hpp"
#include "report/summary_files.hpp"
#include "report/synthetic_run.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class SummaryCommand : public testing::WithProgram {
 protected:
  SummaryCommand() {
    fs::create_directories(path("run"));
    for (const std::uint64_t n : {1U, 2U, 3U, 4U})
      (void)file("run/chain_" + std::to_string(n) + ".csv", testing::stan_csv({.number = n}));
  }
  /// Bad input: exit 2, nothing on standard output, and a message that says all that.
  void expect_refusal(const std::string& arguments, std::initializer_list<std::string_view> parts) {
    const Outcome outcome = run("summary " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(mentions(outcome.err, parts));
  }
};

TEST_F(SummaryCommand, PrintsATableOfADirectory) {
  const Outcome outcome = run("summary run");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(mentions(outcome.out, {"synthetic · 4 chains × 400 draws\n", "mean", "R̂\n", "lp__ ", "theta ", "w[1] ",
                                     "no divergences · acceptance 0.75", "4,800 gradients", "No warnings.\n"}));
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

TEST_F(SummaryCommand, SaysHowToSeeFewerRowsThanVeryMany) {
  std::string names = "lp__", row = "-1";
  for (int k = 1; k <= 60; ++k) {
    names += fmt::format(",w.{}", k);
    row += fmt::format(",{}", k);
  }
  const std::string table = file("many.csv", fmt::format("{}\n{}\n{}\n", names, row, row)).string();
  EXPECT_TRUE(
      mentions(run("summary " + table).out, {"61 rows. To see fewer: darboux summary with --sort ess --max-rows"}));
  EXPECT_EQ(run("summary " + table + " --max-rows 60").out.find("To see fewer"), std::string::npos);
}

TEST_F(SummaryCommand, WarningsLeaveTheStatusAlone) {
  (void)file("run/chain_4.csv", testing::stan_csv({.number = 4, .shift = 3.0, .divergent = {17}}));
  const Outcome outcome = run("summary run");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(mentions(outcome.out, {"1 divergence ", "3 warnings", "chain 4: 1 (draw 17)", "theta (", "→ "}));
  EXPECT_TRUE(mentions(run("summary --help").out, {"do not change the exit status", "Examples:", "--parameters"}));
}

TEST_F(SummaryCommand, TakesFilesAndCombinesRuns) {
  fs::create_directories(path("more"));
  (void)file("more/a.csv", testing::stan_csv({.number = 7}));
  EXPECT_TRUE(mentions(run("summary run/chain_1.csv run/chain_2.csv").out, {"2 chains × 400"}));
  EXPECT_TRUE(mentions(run("summary run more").out, {"5 chains × 400"}));
  ASSERT_EQ(std::system(("gzip '" + path("more/a.csv").string() + "'").c_str()), 0);
  EXPECT_TRUE(mentions(run("summary run more").out, {"5 chains × 400"}));
}

TEST_F(SummaryCommand, ChoosesAndSortsRows) {
  const std::string chosen = run("summary run --parameters 'w*' --sort name").out;
  EXPECT_TRUE(mentions(chosen, {"1 of 3 quantities", "w[1]"}));
  EXPECT_EQ(chosen.find("theta"), std::string::npos);
  const std::string sorted = run("summary run --sort name --max-rows 2 --memory 1").out;
  EXPECT_TRUE(mentions(sorted, {"lp__", "theta", "… 1 more row"}));
  EXPECT_EQ(sorted.find("w[1]"), std::string::npos);
}

TEST_F(SummaryCommand, ShowsWhatIsAskedFor) {
  const Outcome outcome = run("summary run --quantiles 2.5%,0.5,97.5% --hdi 95% --above-zero");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {" 2.5% ", " 50% ", " 97.5% ", "hdi 95%", "P(>0)"}));
  EXPECT_EQ(outcome.out.find(" 5% "), std::string::npos) << "instead of the usual ones";
  const auto rows = nlohmann::json::parse(run("summary run --quantiles 0.05,0.95 --above-zero --json -").out)["rows"];
  const auto usual = nlohmann::json::parse(run("summary run --json -").out)["rows"];
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const char* key : {"q5", "q95", "mean", "rhat"}) EXPECT_EQ(rows[i][key], usual[i][key]);
  EXPECT_EQ(rows[1]["above_zero"], 1.0) << "theta is about 10";
  EXPECT_FALSE(rows[1].contains("q50"));
}

TEST_F(SummaryCommand, OddsRatiosAreOfCoefficients) {
  expect_refusal("run --odds-ratios", {"--odds-ratios", "model synthetic", "not of model logistic", "--parameters"});
  const Outcome chosen = run("summary run --odds-ratios --parameters 'w*'");
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_TRUE(mentions(chosen.out, {"odds ratio", "w[1]"}));
  (void)file("table.csv", "y,x\n0,1\n1,2\n0,3\n1,4\n1,5\n0,1.5\n");
  ASSERT_EQ(run("sample logistic --data table.csv --seed 1 --draws 100 --warmup 100 --quiet --out regression").status,
            0);
  const auto rows = nlohmann::json::parse(run("summary regression --odds-ratios --json -").out)["rows"];
  ASSERT_EQ(rows[2]["name"], "x");
  EXPECT_DOUBLE_EQ(rows[2]["odds_ratio_q50"].get<double>(), std::exp(rows[2]["q50"].get<double>()));
  EXPECT_TRUE(rows[1]["odds_ratio_q50"].is_null()) << "the intercept's is no ratio";
}

/// Chains that should not agree are not said to disagree.
TEST_F(SummaryCommand, TellsDifferentDistributionsFromDisagreement) {
  (void)file("table.csv", "y,x\n0,1\n1,2\n0,3\n1,4\n1,5\n0,1.5\n");
  (void)file("more.csv", "y,x\n0,1\n1,2\n0,3\n1,4\n1,5\n0,1.5\n1,2.5\n1,1\n1,1\n");
  const auto sample = [&](const std::string& how) {
    ASSERT_EQ(run("sample logistic --draws 200 --warmup 200 --quiet " + how).status, 0) << how;
  };
  sample("--data table.csv --seed 1 --out first");
  sample("--data table.csv --seed 2 --prior-scale 5 --out prior");
  sample("--data more.csv --seed 3 --out data");
  sample("--data table.csv --seed 4 --out again");
  for (const auto& [other, what] : {std::pair("prior", "prior-scale"), {"data", "data (table.csv and more.csv)"}}) {
    const Outcome outcome = run(std::string("summary first ") + other);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(mentions(outcome.out, {"These runs draw from different distributions", what, "darboux report"}));
    EXPECT_EQ(outcome.out.find("The chains disagree"), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(run("summary first again").out.find("different distributions"), std::string::npos);
  std::filesystem::copy(path("table.csv"), path("copy.csv"));
  sample("--data copy.csv --seed 5 --out copied");
  EXPECT_EQ(run("summary first copied").out.find("different distributions"), std::string::npos) << "the same data";
}

/// Of another table or other predictors the columns differ, too: why they do is said, and not which.
TEST_F(SummaryCommand, RefusesRunsWithoutQuantitiesInCommon) {
  (void)file("table.csv", "y,x\n0,1\n1,2\n0,3\n1,4\n1,5\n0,1.5\n");
  (void)file("wide.csv", "y,x,z\n0,1,1\n1,2,0\n0,3,4\n1,4,2\n1,5,7\n0,1.5,3\n");
  const auto sample = [&](const std::string& how) {
    ASSERT_EQ(run("sample " + how + " --draws 50 --warmup 50 --quiet").status, 0) << how;
  };
  sample("logistic --data table.csv --seed 1 --out first");
  sample("logistic --data wide.csv --seed 2 --out wide");
  sample("logistic --data wide.csv --columns z --prior-scale 2 --seed 3 --out z");
  sample("gaussian --dimension 1 --seed 4 --out gaussian");
  expect_refusal("first wide", {"first and wide are of different data: data (table.csv and wide.csv).",
                                "darboux summary first", "darboux report first wide"});
  expect_refusal("wide z", {"of different data and priors: columns (not given and z), prior-scale (1 and 2)."});
  expect_refusal("first first gaussian",
                 {"first and gaussian are of different models: ", "model (logistic and gaussian)"});
  EXPECT_EQ(run("report first wide").status, 0) << "as it says";
  const auto report = nlohmann::json::parse(run("report first wide --json -").out);
  EXPECT_EQ(report["sections"][0]["title"], "The runs are of different data: their estimates are not compared");
  EXPECT_EQ(report["sections"][1]["title"], "The runs differ in data and other settings") << "the seed";
  std::string refused = run("summary first/chain_1.csv gaussian/chain_1.csv").err;
  EXPECT_TRUE(mentions(refused, {"are of different models: logistic and gaussian.", "summarise each by itself"}));
}

TEST_F(SummaryCommand, WritesFilesForPrograms) {
  EXPECT_EQ(run("summary run --csv s.csv --json s.json").status, 0);
  EXPECT_TRUE(read_text(path("s.csv")).starts_with(summary_csv_titles));
  EXPECT_TRUE(mentions(read_text(path("s.json")), {"\"schema\": \"darboux-summary/1\"", "\"name\": \"theta\""}));
  EXPECT_EQ(run("summary run --csv s.csv --json s.json").status, 0) << "its own files may be overwritten";
  const Outcome piped = run("summary run --csv -");
  EXPECT_EQ(piped.out, read_text(path("s.csv")));
  EXPECT_EQ(run("summary run --json -").out, read_text(path("s.json")));
}

TEST_F(SummaryCommand, NeverOverwritesDraws) {
  const std::string before = read_text(path("run/chain_1.csv"));
  expect_refusal("run/chain_2.csv --csv run/chain_1.csv", {"--csv run/chain_1.csv", "is no summary", "another name"});
  expect_refusal("run --json run/chain_1.csv", {"--json run/chain_1.csv", "is no summary"});
  expect_refusal("run --csv run", {"--csv run", "no file"});
  EXPECT_EQ(read_text(path("run/chain_1.csv")), before);
}

TEST_F(SummaryCommand, RefusesBadInput) {
  fs::create_directories(path("bare"));
  (void)file("table.csv", "a,b\n1,2\n");
  (void)file("void.csv", "");
  (void)file("other.csv", "lp__,theta\n1,2\n");
  (void)file("ragged.csv", "lp__,theta\n1,2\n1\n");
  (void)file("words.csv", "lp__,theta\n1,two\n");
  expect_refusal("", {"which draws?", "darboux summary DIR"});
  expect_refusal("nowhere", {"nowhere: there is no such file or directory; give"});
  expect_refusal("bare", {"bare: there are no files of draws (*.csv) in this directory; give"});
  expect_refusal("table.csv", {"table.csv: this is no Stan CSV file", "lp__", "give"});
  expect_refusal("void.csv", {"void.csv: the file is empty"});
  expect_refusal("ragged.csv", {"ragged.csv line 3: 1 value, but there are 2 columns"});
  expect_refusal("words.csv", {"words.csv line 2: column theta: \"two\" is not a number"});
  (void)file("bare/run.json", "{");
  expect_refusal("bare", {"bare/run.json: not JSON: it ends too early, at line 1"});
  (void)file("bare/run.json", R"({"schema": "darboux-run/9"})");
  expect_refusal("bare", {"bare/run.json", "schema", "darboux-run/9", "reads \"darboux-run/2\""});
  (void)file("titles.csv", "lp__,theta\n");
  (void)file("statistics.csv", "# model = x\nstatus__,gradients__\n0,3\n");
  expect_refusal("statistics.csv",
                 {"statistics.csv: there is no quantity to summarise", "end in __", "files of draws"});
  expect_refusal("titles.csv", {"titles.csv: there are no draws"});
  expect_refusal("run other.csv", {"chain_1.csv", "other.csv", "different columns", "column 2"});
}

/// What was sent to a file must be there, or the status says that it is not.
TEST_F(SummaryCommand, NoticesAFullDisk) {
  const std::string program = "'" DARBOUX_PROGRAM_FILE "' summary '" + path("run").string() + "'";
  for (const std::string flags : {"", " --json -", " --csv -"}) {
    const int status = std::system((program + flags + " > /dev/full 2> '" + path(".err").string() + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << flags;
    EXPECT_TRUE(mentions(read_text(path(".err")), {"darboux: failed: cannot write"}));
  }
}

/// A file that ends in the middle of a row: the rows before it count.
TEST_F(SummaryCommand, ReadsWhatAKilledRunLeft) {
  const std::string whole = read_text(path("run/chain_1.csv"));
  (void)file("cut.csv", whole.substr(0, whole.size() / 2));
  ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && gzip -c run/chain_1.csv > w.gz && " +
                         "head -c $(($(wc -c < w.gz) / 2)) w.gz > cut.csv.gz")
                            .c_str()),
            0);
  for (const std::string name : {"cut.csv", "cut.csv.gz"}) {
    const Outcome outcome = run("summary " + name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(
        mentions(outcome.out, {"synthetic · 1 chain ×", "The last line was cut off", name, "What is there was used"}));
  }
}

TEST_F(SummaryCommand, RefusesBadFlags) {
  expect_refusal("run --parameters thta", {"unknown parameter \"thta\"; did you mean \"theta\"?"});
  expect_refusal("run --csv nowhere/s.csv", {"--csv nowhere/s.csv: there is no folder nowhere", "make it first"});
  expect_refusal("run --json ''", {"--json is given, but empty"});
  expect_refusal("''", {"is given, but empty"});
  expect_refusal("run --sort essential", {"--sort", "essential", "rhat"});
  expect_refusal("run --quantiles 5,50", {"--quantiles", "5", "2.5%"});
  expect_refusal("run --quantiles 0.5,,0.9", {"--quantiles"});
  expect_refusal("run --quantiles 101%", {"--quantiles", "101"});
  expect_refusal("run --hdi 1", {"--hdi", "2.5%"});
  expect_refusal("run --max-rows -1", {"--max-rows", "-1"});
  expect_refusal("run --memory lots", {"--memory", "lots"});
  expect_refusal("run --memory 0", {"--memory", "0"});
  expect_refusal("run --csv - --json -", {"--csv -", "--json -"});
  expect_refusal("run --sorted ess", {"--sorted", "did you mean \"--sort\"?"});
}

TEST_F(SummaryCommand, FitsTheTerminalAndColoursIt) {
  (void)file("run/chain_4.csv", testing::stan_csv({.number = 4, .shift = 3.0}));
  for (const unsigned columns : {50U, 70U}) {
    Outcome outcome = run_on_terminal("summary run", static_cast<unsigned short>(columns));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(mentions(outcome.out, {"\x1b[31m", "\x1b[1m"}));
    for (std::size_t at = 0; (at = outcome.out.find('\x1b')) != std::string::npos;)
      outcome.out.erase(at, outcome.out.find('m', at) - at + 1);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), columns) << line;
  }
}

#ifndef DARBOUX_SANITIZED
class MemoryOf : public testing::WithProgram {
 protected:
  /// At its most, in MB.
  [[nodiscard]] double memory(const std::string& arguments) const {
    int status = -1;
    rusage used{};
    ::wait4(start(arguments), &status, 0, &used);
    EXPECT_EQ(status, 0) << arguments << ": " << read_text(path(".err"));
    return static_cast<double>(used.ru_maxrss) / 1024.0;
  }
};

/// Of 36 MB of numbers it holds no more than of 9.
TEST_F(MemoryOf, SummariesAndReportsDoesNotGrowWithTheRun) {
  const std::string what = "gaussian --dimension 20 --chains 8 --seed 1 --quiet --format csv,zarr --draws ";
  ASSERT_EQ(run("sample " + what + "5000 --out short").status, 0);
  ASSERT_EQ(run("sample " + what + "20000 --out long").status, 0);
  constexpr double little = 8.0;
  for (const std::string files : {"", "/draws.zarr"}) {
    const std::string rest = files + " --memory 8";
    EXPECT_LT(memory("summary long" + rest), memory("summary short" + rest) + little) << files;
  }
  const std::string rest = " --memory 8 --json -";
  EXPECT_LT(memory("report long" + rest), memory("report short" + rest) + little);
}

/// Where the number of draws gets another digit, files of 40 MB get another head.
TEST_F(MemoryOf, AResumedRunDoesNotGrowWithItsFiles) {
  ASSERT_EQ(run("sample gaussian --dimension 20 --chains 1 --seed 1 --quiet --checkpoint-seconds 0.1 --draws 99990 "
                "--out out")
                .status,
            0);
  ASSERT_TRUE(std::filesystem::exists(path("out/checkpoint.bin")));
  constexpr double little = 8.0;
  const double same_head = memory("resume out --quiet --draws 99999");
  EXPECT_LT(memory("resume out --quiet --draws 100001"), same_head + little);
}

/// The run of docs/summary.md, 64 chains × 100,000 draws × 21 numbers, by which machines are chosen: 1.1 GB, and as text what there is.
TEST_F(MemoryOf, ALargeRunIsWhatIsSaid) {
  if (std::getenv("DARBOUX_LONG") == nullptr) GTEST_SKIP() << "takes minutes, and 3 GB of disk: set DARBOUX_LONG";
  constexpr int chains = 64, draws = 100'000, quantities = 20, variants = 5000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::string> lines(variants);  // written again and again, in random order
  for (std::string& line : lines) {
    line = fmt::format("{:.9g},1,0.5,0,3,0,{:.9g}", normal(random), normal(random));
    for (int j = 0; j < quantities; ++j) line += fmt::format(",{:.9g}", normal(random));
    line += '\n';
  }
  std::filesystem::create_directory(path("run"));
  for (int c = 1; c <= chains; ++c) {
    std::ofstream out(path(fmt::format("run/chain_{}.csv", c)));
    out << "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
    for (int j = 1; j <= quantities; ++j) out << ",q." << j;
    out << '\n';
    for (int i = 0; i < draws; ++i) out << lines[random() % variants];
  }
  constexpr double most = 300.0;
  EXPECT_LT(memory("summary run --csv csv.csv"), most);
  EXPECT_LT(memory("report run --json report.json"), most);
  EXPECT_LT(memory("convert run --to zarr --output draws.zarr"), most);
  std::filesystem::remove_all(path("run"));
  EXPECT_LT(memory("summary draws.zarr --csv zarr.csv"), most);
  const std::string rows = read_text(path("csv.csv"));
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 1 + quantities);
  EXPECT_EQ(rows, read_text(path("zarr.csv")));
}
#endif

}  // namespace
}  // namespace darboux

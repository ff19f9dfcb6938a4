#include "report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.hpp"
#include "report/synthetic_run.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

/// Most tests bring a page of their own, as the installed one needs Node.js.
class ReportCommand : public testing::WithProgram {
 protected:
  ReportCommand() {
    for (const char* const name : {"run", "other"}) {
      fs::create_directories(path(name));
      for (const std::uint64_t n : {1U, 2U, 3U, 4U})
        (void)file(std::string(name) + "/chain_" + std::to_string(n) + ".csv",
                   testing::stan_csv({.number = n + (name[0] == 'o' ? 4U : 0U)}));
    }
    (void)file("page.html", std::string(report_page_start) + "@DATA@");
  }
  void expect_refusal(const std::string& arguments, std::initializer_list<std::string_view> parts) {
    const Outcome outcome = run("report --page page.html " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(mentions(outcome.err, parts));
  }
  [[nodiscard]] nlohmann::json report_of(const std::string& arguments) {
    const Outcome outcome = run("report " + arguments + " --json -");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  static nlohmann::json section(const nlohmann::json& report, std::string_view id) {
    for (const auto& s : report["sections"])
      if (s["id"] == id) return s;
    return {};
  }
};

TEST_F(ReportCommand, WritesThePageIntoTheRun) {
  const Outcome outcome = run("report run --page page.html");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(
      mentions(outcome.out, {"synthetic: 4 chains × 400 draws", "All 3 quantities converged", "run/report.html"}));
  const std::string page = read_text(path("run/report.html"));
  EXPECT_TRUE(page.starts_with(std::string(report_page_start) + R"({"schema":"darboux-report/1")"));
  EXPECT_EQ(run("report run --page page.html").status, 0) << "its own file may be overwritten";
  EXPECT_EQ(run("summary run").status, 0) << "and does not disturb";
}

TEST_F(ReportCommand, TakesFilesAndComparesFolders) {
  EXPECT_TRUE(
      mentions(run("report --page page.html run/chain_1.csv run/chain_2.csv").out, {"2 chains × 400", "report.html"}));
  EXPECT_TRUE(fs::exists(path("report.html")));
  const Outcome both = run("report --page page.html run other --out both.html");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_TRUE(mentions(both.out, {"run and other", "The runs agree", "both.html"}));
  EXPECT_TRUE(mentions(run("report --page page.html run other/chain_1.csv other/chain_2.csv --out mixed.html").out,
                       {"run and chain_1.csv and 1 more"}));
}

TEST_F(ReportCommand, WritesItsContentsAsJson) {
  const Outcome outcome = run("report run --page page.html --json contents.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto written = nlohmann::json::parse(read_text(path("contents.json")));
  EXPECT_EQ(written["schema"], "darboux-report/1");
  EXPECT_EQ(written, report_of("run"));
  const auto chosen = report_of("run --parameters 'w*'");
  EXPECT_EQ(section(chosen, "summary")["table"]["rows"].size(), 1U);
}

TEST_F(ReportCommand, KnowsTheRunFromItsManifest) {
  ASSERT_EQ(
      run("sample skewed --dimension 3 --structure coupled --strength 0.5 --seed 7 --draws 200 --warmup 200 --quiet "
          "--out 'my run'")
          .status,
      0);
  const auto report = report_of("'my run'");
  EXPECT_EQ(report["title"], "skewed: 4 chains × 200 draws");
  EXPECT_TRUE(
      mentions(report["facts"].dump(), {"my run", "split-midpoint on a coupled structure", "seed 7", "gradients"}));
  const std::string command = section(report, "configuration")["code"];
  EXPECT_TRUE(mentions(command, {"darboux sample skewed", "--dimension 3", "--structure coupled", "--strength 0.5",
                                 "--seed 7", "--draws 200", "--warmup 200", "--out 'my run-again'"}));
  EXPECT_EQ(command.find("--quiet"), std::string::npos);
  EXPECT_EQ(command.find("--chains"), std::string::npos) << "a default";
  const auto rates = section(report, "phase-space")["figures"][0]["data"][1]["values"];
  EXPECT_EQ(rates.size(), 3U);
  EXPECT_NEAR(rates[0].get<double>(), 1.5, 1e-5);

  // The command does what it says.
  ASSERT_EQ(run(command.substr(command.find("sample")) + " --quiet").status, 0);
  const auto rows = [&](const char* folder) {
    std::istringstream lines(read_text(path(folder) / "chain_2.csv"));
    std::string all;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with('#')) all += line + "\n";
    return all;
  };
  EXPECT_EQ(rows("my run"), rows("my run-again"));
}

/// Names that look like something else: a column called 007, a file called true, a folder called 1.0.
TEST_F(ReportCommand, KnowsTextsFromNumbers) {
  std::string csv = "x,007\n";
  for (int i = 0; i < 40; ++i) csv += std::to_string(i % 7) + "," + std::to_string(i % 2) + "\n";
  (void)file("true", csv);
  ASSERT_EQ(run("sample logistic --data true --response 007 --seed 1 --draws 50 --warmup 50 --quiet --out 1.0").status,
            0);
  const auto configuration = nlohmann::json::parse(read_text(path("1.0/run.json")))["asked"];
  EXPECT_EQ(configuration["data"], "true");
  EXPECT_EQ(configuration["response"], "007");
  EXPECT_EQ(configuration["out"], "1.0");
  EXPECT_TRUE(configuration["draws"].is_number_integer());
  EXPECT_TRUE(configuration["quiet"].is_boolean());
  const std::string command = section(report_of("1.0"), "configuration")["code"];
  EXPECT_TRUE(mentions(command, {"--data true", "--response 007", "--out 1.0-again"}));
}

/// Runs of earlier versions are no mistake of whoever reports on them.
TEST_F(ReportCommand, ReadsNamesOfEarlierVersionsSilently) {
  ASSERT_EQ(
      run("sample gaussian --dimension 2 --momentum-kept 0.5 --seed 1 --draws 50 --warmup 50 --quiet --out old").status,
      0);
  auto manifest = nlohmann::ordered_json::parse(read_text(path("old/run.json")));
  EXPECT_EQ(manifest["decided"]["trajectory"], "jittered");
  manifest["schema"] = "darboux-run/1";  // which had one set of settings
  manifest["configuration"] = manifest["asked"];
  manifest.erase("asked");
  manifest.erase("decided");
  manifest["configuration"].erase("momentum-kept");
  manifest["configuration"]["refresh"] = 0.5;
  manifest["configuration"]["trajectory"] = "static";
  write_text(path("old/run.json"), manifest.dump());
  const Outcome outcome = run("report old --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string command = section(nlohmann::json::parse(outcome.out), "configuration")["code"];
  EXPECT_TRUE(mentions(command, {"--momentum-kept 0.5", "--trajectory jittered"}));
}

TEST_F(ReportCommand, CallsApproximateWhatIsSo) {
  ASSERT_EQ(
      run("sample skewed --dimension 4 --structure coupled --integrator explicit --seed 1 --quiet --out drawn").status,
      0);
  const auto report = report_of("drawn");
  EXPECT_TRUE(mentions(report["facts"].dump(), {"APPROXIMATE"}));
  EXPECT_TRUE(mentions(section(report, "phase-space")["title"].get<std::string>(), {"APPROXIMATE: explicit"}));
  EXPECT_EQ(section(report, "phase-space")["mood"], "caution");
}

TEST_F(ReportCommand, SaysWhatIsMissingWithoutAPage) {
  // A copy of the program has no page beside it.
  fs::create_directories(path("elsewhere/bin"));
  fs::copy(DARBOUX_PROGRAM_FILE, path("elsewhere/bin/darboux"));
  const std::string command = "cd '" + folder_.string() + "' && elsewhere/bin/darboux report run > out.txt 2> err.txt";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(
      mentions(read_text(path("err.txt")), {"the page for reports is missing", "elsewhere/share/darboux/report.html",
                                            "Node.js", "npm", "build again", "darboux summary"}));
  EXPECT_FALSE(fs::exists(path("run/report.html")));
  fs::create_directories(path("elsewhere/share/darboux"));
  fs::copy(path("page.html"), path("elsewhere/share/darboux/report.html"));
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0) << read_text(path("err.txt"));
}

TEST_F(ReportCommand, NeverOverwritesDraws) {
  const std::string before = read_text(path("run/chain_1.csv"));
  expect_refusal("run --out run/chain_1.csv", {"--out run/chain_1.csv", "is no report", "another name"});
  expect_refusal("run --json run/chain_1.csv", {"--json run/chain_1.csv", "is no report"});
  expect_refusal("run --out run", {"--out run", "no file"});
  EXPECT_EQ(read_text(path("run/chain_1.csv")), before);
}

TEST_F(ReportCommand, RefusesBadInput) {
  fs::create_directories(path("bare"));
  fs::create_directories(path("broken"));
  (void)file("broken/run.json", "{}");
  expect_refusal("broken", {"broken/run.json", "schema"});
  expect_refusal("", {"which run?", "darboux report DIR"});
  expect_refusal("nowhere", {"nowhere: there is no such file or directory"});
  expect_refusal("bare", {"bare: there are no files of draws"});
  expect_refusal("run other bare", {"3 runs", "compares two"});
  expect_refusal("run --memory 0", {"--memory = 0", "must be"});
  expect_refusal("run --parameters thata", {"unknown parameter \"thata\"", "did you mean \"theta\"?"});
  for (const auto& [page, why] :
       {std::pair("run/chain_1.csv", "this is no page for reports"), {"nowhere.html", "No such file"}}) {
    const Outcome outcome = run(std::string("report run --page ") + page);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(mentions(outcome.err, {page, why}));
  }
  expect_refusal("run --pgae x", {"unknown flag", "did you mean \"--page\"?"});
  EXPECT_FALSE(fs::exists(path("run/report.html")));
}

}  // namespace
}  // namespace darboux

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"
#include "program.hpp"
#include "run/run_config.hpp"
#include "support/expect.hpp"

/// Tables as they come, from the command line; and what run.json says of them and of settings.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class TableCommand : public testing::WithProgram {
 protected:
  /// The line of column names of a run's first file.
  [[nodiscard]] std::string columns_of(const std::string& out) const {
    const std::string text = read_text(path(out) / "chain_1.csv");
    const auto begin = text.find("lp__,");
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

/// A messy table: what was made of it is printed before the run, what is odd after it, and run.json has all of it.
TEST_F(TableCommand, SaysWhatItMadeOfATable) {
  std::string table = "# exported\n;age;class;id;died\n";
  for (int i = 0; i < 60; ++i)
    table += fmt::format("{};{};{};n{};{}\n", i + 1, i == 7 ? "" : fmt::format("{},5", 30 + 7 * i % 40),
                         i < 2        ? "third"
                         : i % 2 == 0 ? "first"
                                      : "zweite Gr\xf6\xdf"
                                        "e",
                         i, i * i % 3 == 0 ? "yes" : "no");
  (void)file("d.csv", table);
  const Outcome outcome =
      run("sample logistic --data d.csv --response died --decimal comma --na drop --drop id --reference class=first "
          "--seed 1 "
          "--prior-intercept 5 --warmup 200 --draws 100 --out out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(
      mentions(outcome.out, {"Data: 59 rows of d.csv; 1 row with missing values left out; columns left out: id.",
                             "separated by semicolons", "Windows-1252", "Passed over: 1 line", "Column 1 has no name",
                             "Outcome: died is yes in 20 of 59 rows (33.9 %), no in the others.", "--positive no",
                             "1 number: age; category: class (3 levels, against first)", "Prior: coefficients N(0, 1²)",
                             "intercept N(0, 5²), at the mean of the predictors", "2 warnings",
                             "\n 2. Fewer than 5 rows have class[third] (2 rows)"}));
  EXPECT_EQ(outcome.out.find("Fewer than 5"), outcome.out.rfind("Fewer than 5")) << "once";
  EXPECT_TRUE(mentions(run("summary out").out, {"2 warnings", "\n 2. Fewer than 5 rows have class[third] (2 rows)"}));
  EXPECT_TRUE(mentions(run("report out --json -").out, {"Fewer than 5 rows have class[third] (2 rows)"}));
  EXPECT_TRUE(columns_of("out").ends_with(",intercept,age,class_third,class_zweite_Größe")) << columns_of("out");
  const RunManifest m = read_manifest(path("out/run.json"));
  EXPECT_EQ(*m.data.find("file"), ValueTree("d.csv"));
  EXPECT_EQ(*m.data.find("checksum"), *m.inputs.find("data"));
  EXPECT_EQ(*m.data.find("rows"), ValueTree(59));
  EXPECT_EQ(*m.data.find("left_out"), ValueTree(ValueTree::List{"id"}));
  EXPECT_EQ(std::get<ValueTree::List>(m.prior.find("parameters")->value()).size(), 4U);
  EXPECT_EQ(*m.asked.find("reference"), ValueTree(ValueTree::List{"class=first"}));
  EXPECT_TRUE(mentions(m.warnings.front(), {"class[third]"}));
  EXPECT_EQ(run("resume out --draws 200").status, 0) << "the same posterior, by the same settings";
  const RunManifest again = read_manifest(path("out/run.json"));
  EXPECT_EQ(again.data, m.data);
  EXPECT_EQ(again.prior, m.prior);
  EXPECT_EQ(again.given, m.given);
}

/// Names with commas in them, of which a header has more than of what is between its columns.
TEST_F(TableCommand, SeparatorAndPredictorsMayBeNamed) {
  std::string table = "y|length, width, height, weight, age|z|w\n";
  for (int i = 0; i < 30; ++i) table += fmt::format("{}|{}|{}|{}\n", i % 3 == 0, i * 7 % 11, i * 5 % 13, i * 3 % 17);
  (void)file("d.csv", table);
  const std::string sample = "sample logistic --data d.csv --seed 1 --warmup 50 --draws 50 --quiet --out out ";
  EXPECT_EQ(run(sample).status, 2) << "what the header has most of is a comma";
  EXPECT_EQ(run(sample + "--separator semicolon").status, 2);
  Outcome outcome = run(sample + "--separator pipe");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  RunManifest m = read_manifest(path("out/run.json"));
  EXPECT_EQ(*m.asked.find("separator"), ValueTree("pipe"));
  EXPECT_EQ(std::get<ValueTree::List>(m.data.find("predictors")->value()).size(), 3U);
  fs::remove_all(path("out"));
  outcome = run(sample + "--separator pipe --columns '\"length, width, height, weight, age\",w'");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  m = read_manifest(path("out/run.json"));
  const auto& predictors = std::get<ValueTree::List>(m.data.find("predictors")->value());
  ASSERT_EQ(predictors.size(), 2U);
  EXPECT_EQ(*predictors[0].find("name"), ValueTree("length, width, height, weight, age"));
  EXPECT_EQ(*predictors[1].find("name"), ValueTree("w"));
  EXPECT_EQ(*m.asked.find("columns"), ValueTree(ValueTree::List{"length, width, height, weight, age", "w"}));
  fs::remove_all(path("out"));
  EXPECT_TRUE(mentions(run(sample + "--separator pipe --columns z,v").err, {"columns = v", "Known: "}));
  EXPECT_TRUE(mentions(run(sample + "--separator dot").err, {"separator", "dot", "comma, semicolon, tab, pipe"}));
}

/// As a flag and in a file of settings, from where it is gone on with.
TEST_F(TableCommand, NumbersMayBeLevels) {
  std::string table = "y,class,code\n";
  for (int i = 0; i < 60; ++i) table += fmt::format("{},{},{}\n", i % 7 < 3, 8 + i % 3, i % 4 == 0 ? "V27" : "250");
  (void)file("d.csv", table);
  (void)file("c.toml",
             "model = \"logistic\"\ndata = \"d.csv\"\ncategory = [\"class\", \"code\"]\nwarmup = 50\ndraws = 50\n");
  for (const std::string& how : {std::string("logistic --data d.csv --category class,code --warmup 50 --draws 50"),
                                 std::string("--config c.toml")}) {
    const Outcome outcome = run("sample " + how + " --seed 1 --out out");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(mentions(outcome.out, {"categories: class (3 levels, against 8), code (2 levels, against 250)"}));
    EXPECT_TRUE(columns_of("out").ends_with(",intercept,class.9,class.10,code_V27")) << columns_of("out");
    EXPECT_EQ(*read_manifest(path("out/run.json")).asked.find("category"), ValueTree(ValueTree::List{"class", "code"}));
    EXPECT_EQ(run("resume out --draws 100").status, 0);
    fs::remove_all(path("out"));
  }
  EXPECT_TRUE(mentions(run("sample logistic --data d.csv --drop code --seed 1 --warmup 50 --draws 50 --out out").out,
                       {"1 number: class; --category class if its few values are names, not amounts"}));
  EXPECT_TRUE(
      mentions(run("sample logistic --data d.csv --out b").err, {"column code: the number 250", "--category code"}));
}

TEST_F(TableCommand, WrongColumnsAreToldWithWhatToDo) {
  (void)file("d.csv", "age,died,id,g\n30,1,1,a\n40,0,5,b\n50,1,2,a\n");
  (void)file("m.stan", "");
  const auto refused = [&](const std::string& arguments) {
    const Outcome outcome = run("sample " + arguments + " --out out");
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_FALSE(fs::exists(path("out")));
    return outcome.err;
  };
  const std::string died = "logistic --data d.csv --response died ";
  EXPECT_TRUE(mentions(refused("logistic --data d.csv"), {"d.csv:2, column age is 30", "the first column was taken",
                                                          "--response COLUMN; of two values are: died, g"}));
  EXPECT_TRUE(mentions(refused(died + "--drop idd"), {"drop = idd", "did you mean \"id\""}));
  EXPECT_TRUE(mentions(refused(died + "--reference g=c"), {"reference = g=c", "Known: a, b"}));
  EXPECT_TRUE(mentions(refused(died + "--no-intercept --prior-intercept 2"), {"prior-intercept", "no-intercept"}));
  EXPECT_TRUE(
      mentions(refused("m.stan --prior-intercept 2"), {"prior-intercept is given, but m.stan is a Stan program"}));
  EXPECT_TRUE(mentions(refused("gaussian --na drop"), {"na is given, but model gaussian does not take it"}));
}

/// Every setting in force is in run.json, with its type: what was asked, or its default, in `asked`; the rest in `decided`.
TEST_F(TableCommand, ManifestHasEverySettingInForce) {
  (void)file("d.csv", "y,x\n0,1\n1,2\n1,4\n0,3\n");
  const std::set<std::string> without_meaning{"positive",
                                              "chain-ids",
                                              "columns",
                                              "drop",
                                              "category",
                                              "reference",
                                              "stan",
                                              "target-ess",
                                              "max-draws",
                                              "max-seconds",
                                              "strength",
                                              "k",
                                              "structure-seed",
                                              "tolerance",
                                              "binding",
                                              "angle",
                                              "copy-spread",
                                              "max-depth",
                                              "posterior-predictive",
                                              "tuning",
                                              "log",
                                              "dimension"};
  for (const std::string& more : {std::string(), std::string(" --structure coupled --trajectory nuts"),
                                  std::string(" --structure coupled --integrator doubled --chains 4"),
                                  std::string(" --warmup 0 --step-size 0.1")}) {
    fs::remove_all(path("out"));
    ASSERT_EQ(run("sample logistic --data d.csv --seed 1 --draws 50 --quiet --out out" + more).status, 0) << more;
    const RunManifest m = read_manifest(path("out/run.json"));
    for (const Field<RunConfig>& field : run_fields()) {
      std::string key = field.name;
      std::ranges::replace(key, '-', '_');
      const bool there = m.asked.find(field.name) != nullptr || m.decided.find(key) != nullptr;
      EXPECT_TRUE(
          there || without_meaning.contains(field.name) ||
          (more.find("nuts") != std::string::npos && (field.name == "steps" || field.name == "trajectory-time")))
          << field.name << more;
    }
    EXPECT_EQ(*m.decided.find("prior_intercept"), ValueTree(10.0));
    EXPECT_EQ(*m.decided.find("standardise"), ValueTree("numbers"));
    EXPECT_EQ(*m.decided.find("separator"), ValueTree("comma"));
    EXPECT_EQ(m.decided.find("strength") != nullptr, more.find("coupled") != std::string::npos);
    EXPECT_EQ(m.decided.find("max_depth") != nullptr, more.find("nuts") != std::string::npos);
    EXPECT_EQ(m.decided.find("tolerance") != nullptr, more.find("nuts") != std::string::npos);
    EXPECT_EQ(m.decided.find("copy_spread") != nullptr, more.find("doubled") != std::string::npos);
    const auto& given = std::get<ValueTree::List>(m.given.value());
    const auto is_given = [&](std::string_view name) {
      return std::ranges::find(given, ValueTree(name)) != given.end();
    };
    EXPECT_TRUE(is_given("model") && is_given("draws") && is_given("data") && !is_given("thin"));
    EXPECT_EQ(is_given("chains"), more.find("--chains") != std::string::npos) << "though it is the default";
  }
}

/// Where nobody watches a terminal a plain line now and then says how a run gets on, unless it is to be quiet.
TEST_F(TableCommand, TellsProgressInPlainLinesWhereThereIsNoTerminal) {
  const std::string long_run = "sample gaussian --warmup 50 --draws 100000000 --max-seconds 5 --out ";
  const Outcome told = run(long_run + "a");
  EXPECT_EQ(told.status, 0);
  EXPECT_TRUE(mentions(told.err, {" s  4 chains", "it/s", "left\n"}));
  EXPECT_EQ(told.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(run(long_run + "b --quiet").err, "");
}

}  // namespace
}  // namespace darboux

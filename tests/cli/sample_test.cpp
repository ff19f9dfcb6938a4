#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"
#include "program.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

/// What a user may get wrong, and what the message must say: where, what was found, what the rule is.
struct Mistake {
  std::string name;
  std::string arguments;
  std::vector<std::string_view> said;
  std::vector<std::pair<std::string, std::string>> files = {};
  std::string before = "";
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.arguments; }

class SampleRefuses : public testing::WithProgram, public ::testing::WithParamInterface<Mistake> {};

TEST_P(SampleRefuses, AndLeavesNothingBehind) {
  const Mistake& mistake = GetParam();
  for (const auto& [name, text] : mistake.files) (void)file(name, text);
  const Outcome outcome = run("sample --out out " + mistake.arguments, mistake.before);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("darboux: ")) << outcome.err;
  for (const std::string_view part : mistake.said) EXPECT_TRUE(mentions(outcome.err, {part}));
  EXPECT_FALSE(fs::exists(path("out")));
}

std::vector<Mistake> mistakes_in_data() {
  const auto table = [](std::string name, std::string text, std::vector<std::string_view> said) {
    return Mistake{std::move(name), "logistic --data d.csv", std::move(said), {{"d.csv", std::move(text)}}};
  };
  return {
      {"MissingFile", "logistic --data nowhere.csv", {"nowhere.csv", "No such file"}},
      {"Directory", "logistic --data .", {"cannot read .: it is a directory"}},
      {"NoData", "logistic", {"model logistic needs data", "--data FILE"}},
      table("Empty", "", {"d.csv is empty", "must begin with a line that names the columns"}),
      table("HeaderOnly", "y,x\n", {"d.csv has a header but no rows", "at least one"}),
      table("NoHeader", "1,0.3\n0,0.5\n1,0.4\n", {"d.csv:1: all names are numbers (1, 0.3)", "must be a header"}),
      table("RaggedRow", "y,x\n0,1\n1\n", {"d.csv:3: 1 field", "header has 2", "as many"}),
      table("TextAmongNumbers", "y,x\n0,1\n1,two\n", {"d.csv:3, column x", "\"two\"", "must be a number"}),
      table("NumberAmongTexts", "y,x\n0,a\n1,2\n", {"d.csv:3, column x", "the number 2", "--category x"}),
      table("LabelTwo", "y,x\n0,1\n2,2\n1,3\n", {"d.csv:3, column y is 2", "must be 0 or 1"}),
      table("LabelText", "y,x\nbad,1\ngood,2\n", {"column y has the values \"bad\" and \"good\"", "--positive VALUE"}),
      table("OneLabel", "y,x\n1,1\n1,2\n", {"column y is 1 in every row", "0 in some and 1 in others"}),
      table("NaN", "y,x\n0,1\n1,NaN\n", {"d.csv:3, column x is missing", "--na drop leaves such rows out"}),
      table("NA", "y,x\n0,1\n1,NA\n", {"d.csv:3, column x is missing"}),
      table("EmptyCell", "y,x\n0,1\n1,\n", {"d.csv:3, column x is missing"}),
      table("MissingLabel", "y,x\n0,1\n,2\n", {"d.csv:3, column y is missing"}),
      table("Infinite", "y,x\n0,1\n1,inf\n", {"d.csv:3, column x is inf", "must be finite"}),
      table("TooLarge", "y,x\n0,1\n1,1e999\n", {"d.csv:3, column x: 1e999", "1.79e308"}),
      table("ConstantColumn", "y,x\n0,7\n1,7\n", {"d.csv: column x is constant (7)", "remove it"}),
      table("OneCategory", "y,x\n0,a\n1,a\n", {"d.csv: column x is constant (\"a\")", "remove it"}),
      table("SameNameTwice", "y,x,x\n0,1,2\n1,2,3\n", {"d.csv:1: columns 2 and 3 are both called x", "must differ"}),
      table("TooSmallForSquares", "y,x\n0,1e-200\n1,2e-200\n",
            {"d.csv: column x goes from 1e-200 to 2e-200", "other units"}),
      table("TooLargeForSquares", "y,x\n0,-1e308\n1,1e308\n", {"d.csv: column x goes from", "other units"}),
      table("NoText", std::string("y,x\n0,\0\n", 8), {"d.csv:2: a byte 0", "not a text file"}),
      {"UnknownResponse",
       "logistic --data d.csv --response outcme",
       {"d.csv: unknown response column \"outcme\"", "did you mean \"outcome\"?"},
       {{"d.csv", "outcome,x\n0,1\n1,2\n"}}},
      {"TruncatedGzip",
       "logistic --data d.csv.gz",
       {"d.csv.gz", "ends too early"},
       {{"whole.csv", "y,x\n0,1\n1,2\n"}},
       "gzip whole.csv && head -c 20 whole.csv.gz > d.csv.gz && "},
      {"CorruptGzip",
       "logistic --data d.csv.gz",
       {"cannot read d.csv.gz"},
       {{"d.csv.gz", "\x1f\x8b\x08\x01 this is no deflated stream, whatever its first bytes say"}}},
  };
}

std::vector<Mistake> mistakes_in_settings() {
  return {
      {"NoModel", "", {"which model?", "darboux models"}},
      {"UnknownModel", "logitsic", {"unknown model \"logitsic\"", "did you mean \"logistic\"?"}},
      {"UnknownFlag", "gaussian --chain 4", {"unknown flag \"--chain\"", "did you mean \"--chains\"?"}},
      {"SecondModel", "gaussian banana", {"unexpected argument \"banana\""}},
      {"NoValue", "gaussian --chains", {"--chains", "1 required"}},
      {"GivenTwice", "gaussian --chains 2 --chains 3", {"--chains is given 2 times", "must be once"}},
      {"ValueForSwitch", "gaussian --quiet=maybe", {"--quiet takes no value"}},
      {"OfAnotherModel", "gaussian --prior-scale 2", {"prior-scale", "model gaussian does not take it", "dimension"}},
      {"OfAnotherIntegrator", "gaussian --tolerance 1e-6", {"tolerance is for midpoint", "integrator is leapfrog"}},
      {"OfAnotherStructure", "gaussian --strength 2", {"strength", "canonical", "--structure"}},
      {"OfAnotherTrajectory", "gaussian --max-depth 5", {"max-depth is for nuts", "trajectory = jittered"}},
      {"DirectionOfNuts", "gaussian --trajectory nuts --direction random", {"direction = random", "nuts"}},
      {"LengthTwice", "gaussian --steps 5 --trajectory-time 1", {"steps and trajectory-time", "give one of them"}},
      {"SeedOfNothing", "gaussian --structure-seed 2", {"structure-seed", "canonical", "--structure"}},
      {"MetricWithoutWarmUp",
       "gaussian --warmup 0 --step-size 0.1 --metric dense",
       {"metric is given, but warmup = 0", "leave one of them out"}},
      {"NoInterceptOfAnotherModel", "gaussian --no-intercept", {"no-intercept is given", "does not take it"}},
      {"DimensionTooSmall", "banana --dimension 1", {"dimension = 1: must be at least 2"}},
      {"NoPrior", "gaussian --init prior", {"init = prior: the model has no prior"}},
      {"EmptyInit", "gaussian --init ''", {"--init is given, but empty"}},
      {"EmptyData", "logistic --data ''", {"--data is given, but empty"}},
      {"EmptyModel", "''", {"MODEL is given, but empty"}},
      {"WrongIntegrator", "gaussian --structure coupled --integrator leapfrog", {"E = 0"}},
      {"NoWarmUp", "gaussian --warmup 0", {"warmup = 0", "--step-size", "--tuning"}},
      {"MaxDrawsAlone", "gaussian --max-draws 10", {"max-draws is for target-ess", "--draws"}},
      {"MaxDrawsTooSmall",
       "gaussian --target-ess 10 --max-draws 10",
       {"max-draws = 10", "must be at least draws = 1000"}},
      {"ForgetsNothing", "gaussian --momentum-kept 1", {"momentum-kept = 1", "less than 1"}},
      {"UnknownStart", "gaussian --init mod", {"init = mod", "did you mean \"mode\"?", "ends in .json"}},
      {"UnknownStructure",
       "gaussian --structure cuopled",
       {"structure = cuopled", "did you mean \"coupled\"?", "ends in .json"}},
  };
}

std::vector<Mistake> mistakes_in_values() {
  std::vector<Mistake> list;
  const std::vector<std::pair<std::string, std::vector<std::string_view>>> bad_values{
      {"chains 0", {"chains = 0: must be a whole number from 1 to 1000000"}},
      {"chains 1.5", {"chains = 1.5: must be a whole number"}},
      {"chains four", {"chains = four: must be a whole number"}},
      {"draws -1", {"draws = -1: must be a whole number from 1"}},
      {"draws 99999999999999999999", {"draws = 99999999999999999999: must be"}},
      {"seed -1", {"seed = -1: must be a whole number from 0"}},
      {"target-ess 0", {"target-ess = 0: must be a number greater than 0"}},
      {"max-seconds -1", {"max-seconds = -1: must be a number greater than 0"}},
      {"thin 0", {"thin = 0: must be a whole number from 1"}},
      {"threads 0", {"threads = 0: must be a whole number from 1 to 4096"}},
      {"dimension 0", {"dimension = 0: must be a whole number from 1 to 100000"}},
      {"order 3", {"order = 3: must be 2 or 4"}},
      {"order 6", {"order = 6: must be 2 or 4"}},
      {"step-size 0", {"step-size = 0: must be a number greater than 0"}},
      {"step-size nan", {"step-size = nan: must be a number"}},
      {"step-size inf", {"step-size = inf: must be a number"}},
      {"step-size 1e-999", {"step-size = 1e-999: must be a number"}},
      {"step-size 0.1x", {"step-size = 0.1x: must be a number"}},
      {"target-acceptance 1", {"target-acceptance = 1: must be a number between 0 and 1, ends excluded"}},
      {"momentum-kept 2", {"momentum-kept = 2: must be a number between 0 and 1"}},
      {"metric dens", {"unknown metric \"dens\"; did you mean \"dense\"?"}},
      {"integrator leapforg", {"unknown integrator \"leapforg\"; did you mean \"leapfrog\"?"}},
      {"direction upwards", {"unknown direction \"upwards\". Known: persistent, random, alternating"}},
  };
  for (const auto& [flag, said] : bad_values) {
    std::string name = "Bad";
    for (const char c : flag) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    list.push_back({name, "gaussian --" + flag, said});
  }
  return list;
}

std::vector<Mistake> mistakes_in_files() {
  const auto with = [](std::string name, const std::string& flag, const std::string& in, std::string text,
                       std::vector<std::string_view> said) {
    return Mistake{
        std::move(name), "gaussian --dimension 2 --" + flag + " " + in, std::move(said), {{in, std::move(text)}}};
  };
  const std::string tuning_3 =
      R"({"schema": "darboux-tuning/1", "step_size": 0.1, "steps": 3, "center": [0, 0, 0], "factor": "identity"})";
  const std::string tuning_2 =
      R"({"schema": "darboux-tuning/1", "step_size": 0.1, "steps": 3, "center": [0, 0], "factor": "identity",
          "copy_spread": 0.2, "binding_angle": 0.5})";
  return {
      {"NoConfig", "gaussian --config c.toml", {"c.toml", "No such file"}},
      {"ConfigIsDirectory", "gaussian --config .", {"cannot read .", "directory"}},
      with("UnknownKey", "config", "c.toml", "chains = 4\nchians = 8\n", {"c.toml:2", "\"chians\"", "\"chains\"?"}),
      with("MisspeltModelKey", "config", "c.toml", "modle = 'x'\n", {"c.toml:1", "\"modle\"", "\"model\"?"}),
      with("BadValueInConfig", "config", "c.toml", "\n\nchains = 'four'\n", {"c.toml:3: chains = four: must be"}),
      with("EmptyTextInConfig", "config", "c.toml", "data = ''\n", {"c.toml:1: data = \"\": must be something"}),
      with("ListInConfig", "config", "c.toml", "chains = [1, 2]\n",
           {"c.toml:1: chains = 1, 2: must be a whole number"}),
      with("NoTOML", "config", "c.toml", "chains: 4\n", {"c.toml:1"}),
      with("KeyTwice", "config", "c.toml", "draws = 1\ndraws = 2\n", {"c.toml:2", "draws"}),
      {"NoInitFile", "gaussian --init i.json", {"i.json", "No such file"}},
      with("InitIsNoJSON", "init", "i.json", "{\"q\": [1,", {"i.json: not JSON", "line 1"}),
      with("InitTooShort", "init", "i.json", "{\"q\": [1]}",
           {"i.json: no value for q[2]", "every parameter needs one"}),
      with("InitTooLong", "init", "i.json", "{\"q\": [1, 2, 3]}", {"i.json: unknown parameter \"q[3]\""}),
      with("InitWithText", "init", "i.json", "{\"q\": [1, \"a\"]}", {"i.json: q[2] is \"a\": must be a number"}),
      with("InitForOtherChains", "init", "i.json", "[{\"q\": [1, 2]}]",
           {"i.json: a list of starting points for 1 chain", "4"}),
      with("InitWithoutDensity", "init", "i.json", "{\"q\": [1e200, 0]}", {"i.json", "not finite", "chain 1"}),
      {"NoStructureFile", "gaussian --structure s.json", {"s.json", "No such file"}},
      with("StructureIsNoJSON", "structure", "s.json", "{\"E\": [[0,",
           {"s.json: not JSON: it ends too early, at line 1"}),
      with("StructureNotSkew", "structure", "s.json", "{\"E\": [[0, 1], [1, 0]]}",
           {"s.json: E is not skew: E(1,2) = 1"}),
      with("StructureOfOtherSize", "structure", "s.json", "{\"dimension\": 3}", {"s.json", "dimension 3", "must be 2"}),
      with("StructureUnknownField", "structure", "s.json", "{\"dimension\": 2, \"F\": 1}", {"s.json", "\"F\""}),
      {"SeedOfAStructureFile",
       "gaussian --structure s.json --structure-seed 2",
       {"structure-seed", "structure is a file"},
       {{"s.json", R"({"dimension": 10})"}}},
      with("StepsBesideATuning", "steps 3 --tuning", "t.json", tuning_2, {"steps is given", "tuning decides it"}),
      with("StepSizeBesideATuning", "step-size 0.1 --tuning", "t.json", tuning_2,
           {"step-size is given", "tuning decides it"}),
      {"CheesWithoutWarmUp",
       "gaussian --trajectory chees --warmup 0 --step-size 0.1",
       {"trajectory = chees", "needs warm-up"}},
      {"NoTuningFile", "gaussian --tuning t.json", {"t.json", "No such file"}},
      with("TuningIsNoJSON", "tuning", "t.json", "step_size = 1", {"t.json: not JSON"}),
      with("TuningOfOtherKind", "tuning", "t.json", "{}", {"t.json: schema must be \"darboux-tuning/1\""}),
      with("TuningOfOtherModel", "tuning", "t.json",
           R"({"schema": "darboux-tuning/1", "model": "skewed", "dimension": 2})",
           {"t.json: model is \"skewed\": must be \"gaussian\""}),
      with("TuningOfOtherDimension", "tuning", "t.json",
           R"({"schema": "darboux-tuning/1", "model": "gaussian", "dimension": 3})",
           {"t.json: dimension is 3: must be 2"}),
      with("TuningOfOtherSize", "tuning", "t.json", tuning_3, {"t.json: center must have 2 numbers"}),
  };
}

std::vector<Mistake> absurd_sizes() {
#ifdef DARBOUX_SANITIZED  // sanitizers reserve more than that
  const std::string within = "";
#else
  const std::string within = "ulimit -v 4000000; ";  // should it be tried after all
#endif
  return {
      {"Rows", "gaussian --chains 1000000 --draws 1000000000", {"chains = 1000000, draws = 1000000000", "1e+12"}},
      {"OpenFiles",
       "gaussian --quiet --chains 100",
       {"chains = 100", "may open 200", "at most 84"},
       {},
       "ulimit -n 200; "},
      {"DenseMetric",
       "skewed --dimension 100000 --metric dense",
       {"dimension 100000", "metric = dense", "400 GB"},
       {},
       within},
      {"DenseStructure",
       "skewed --dimension 100000 --structure coupled",
       {"structure = coupled", "321 GB"},
       {},
       within},
      {"Chains", "skewed --dimension 100000 --chains 100000", {"chains = 100000", "641 GB of memory"}, {}, within},
  };
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Data, SampleRefuses, ::testing::ValuesIn(mistakes_in_data()), name_of);
INSTANTIATE_TEST_SUITE_P(Settings, SampleRefuses, ::testing::ValuesIn(mistakes_in_settings()), name_of);
INSTANTIATE_TEST_SUITE_P(Values, SampleRefuses, ::testing::ValuesIn(mistakes_in_values()), name_of);
INSTANTIATE_TEST_SUITE_P(Files, SampleRefuses, ::testing::ValuesIn(mistakes_in_files()), name_of);
INSTANTIATE_TEST_SUITE_P(AbsurdSizes, SampleRefuses, ::testing::ValuesIn(absurd_sizes()), name_of);

class SampleCommand : public testing::WithProgram {
 protected:
  static constexpr const char* quick = "sample gaussian --dimension 2 --warmup 50 --draws 20 --seed 1 --quiet";
  [[nodiscard]] Outcome run_to(const std::string& out) const {
    return run(std::string(quick) + " --out '" + out + "'");
  }
  /// The line of column names of a run's first file.
  [[nodiscard]] std::string columns_of(const std::string& out) const {
    const std::string text = read_text(path(out) / "chain_1.csv");
    const auto begin = text.find("lp__,");
    return text.substr(begin, text.find('\n', begin) - begin);
  }
};

TEST_F(SampleCommand, AnnouncesAndConcludes) {
  const Outcome outcome = run("sample gaussian --dimension 2 --warmup 50 --draws 20 --seed 7 --out out");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "") << "no progress where there is no terminal";
  EXPECT_TRUE(mentions(outcome.out, {"gaussian (2 parameters): 4 chains, 50 + 20 iterations", "seed 7",
                                     "gradients (warm-up + sampling)", "darboux summary out"}));
  EXPECT_EQ(run_to("quiet").out, "");
}

TEST_F(SampleCommand, QuotesForTheShellAndCountsOne) {
  const std::string one = "sample gaussian --dimension 1 --chains 1 --warmup 50 --draws 20 --seed 7 --out 'my run'";
  EXPECT_TRUE(mentions(run(one).out, {"gaussian (1 parameter): 1 chain, ", "darboux summary 'my run';"}));
}

TEST_F(SampleCommand, RefusesNoName) {
  const Outcome outcome = run_to("");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"--out is given, but empty: must be something, or left out"}));
}

/// The tuning of a run is for its model; those of earlier versions name none and are read.
TEST_F(SampleCommand, TakesATuningOfTheSameModel) {
  ASSERT_EQ(run_to("first").status, 0);
  std::string tuning = read_text(path("first/tuning.json"));
  EXPECT_TRUE(mentions(tuning, {"\"model\": \"gaussian\"", "\"dimension\": 2"}));
  const std::string again = "sample gaussian --dimension 2 --draws 20 --seed 1 --quiet --tuning ";
  EXPECT_EQ(run(again + "first/tuning.json --out second").status, 0);
  for (const std::string line : {"  \"model\": \"gaussian\",\n", "  \"dimension\": 2,\n"})
    tuning.erase(tuning.find(line), line.size());
  (void)file("earlier.json", tuning);
  EXPECT_EQ(run(again + "earlier.json --out third").status, 0);
}

/// What says that draws may be wrong, and what says that they are right, do not stand side by side.
TEST_F(SampleCommand, DoesNotCallUncheckedDrawsRight) {
  const Outcome outcome =
      run("sample skewed --dimension 4 --structure coupled --strength 4 --integrator midpoint --reverse-check 0.5 "
          "--warmup 0 --step-size 1.5 --steps 4 --draws 100 --seed 1 --out out");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"Some proposals failed", "were not checked backward"}));
  EXPECT_EQ(outcome.out.find("stay right"), std::string::npos);
}

TEST_F(SampleCommand, SaysWhichRuleEndedIt) {
  const std::string few = "sample gaussian --dimension 2 --warmup 50 --draws 20 --seed 7";
  const Outcome reached = run(few + " --target-ess 300 --out a");
  EXPECT_EQ(reached.status, 0) << reached.err;
  EXPECT_TRUE(mentions(reached.out, {"50 + 1000 to 2000 ", "by target-ess = 300, with 1000 ", "300 is below 400"}));
  const Outcome missed = run(few + " --target-ess 1e6 --max-draws 40 --out b");
  EXPECT_EQ(missed.status, 0) << missed.err;
  EXPECT_TRUE(mentions(missed.out, {"Stopped by max-draws = 40: target-ess = 1e+06 was NOT reached"}));
  const Outcome late = run("sample gaussian --warmup 50 --draws 100000000 --max-seconds 0.2 --out d");
  EXPECT_EQ(late.status, 0) << late.err;
  EXPECT_TRUE(mentions(late.out, {"Stopped by max-seconds = 0.2, with "}));
  EXPECT_EQ(run("summary d").status, 0);
  const Outcome none = run("sample gaussian --warmup 100000000 --max-seconds 0.1 --out e");
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(mentions(none.out, {"Stopped by max-seconds = 0.1", "no draws"}));
}

/// Texts become indicators of all categories but the first, in alphabetical order.
TEST_F(SampleCommand, TakesCategories) {
  (void)file("d.csv", "y,colour,x\n0,red,1\n1,blue,2\n0,green,4\n1,red,3\n");
  EXPECT_EQ(run("sample logistic --data d.csv --warmup 50 --draws 20 --quiet --out out").status, 0);
  EXPECT_TRUE(columns_of("out").ends_with(",intercept,colour_green,colour_red,x")) << columns_of("out");
}

/// What spreadsheets write.
TEST_F(SampleCommand, TakesByteOrderMarksAndCarriageReturns) {
  (void)file("plain.csv", "y,x\n0,1\n1,2\n1,4\n0,3\n");
  (void)file("sheet.csv", "\xef\xbb\xbfy,x\r\n0,1\r\n1,2\r\n1,4\r\n0,3\r\n");
  const auto draws_from = [&](const std::string& data) {
    EXPECT_EQ(
        run("sample logistic --data " + data + ".csv --warmup 50 --draws 20 --seed 1 --quiet --out " + data).status, 0);
    const std::string text = read_text(path(data) / "chain_1.csv");
    return text.substr(text.rfind("mass matrix"), text.rfind("Elapsed") - text.rfind("mass matrix"));
  };
  EXPECT_EQ(draws_from("sheet"), draws_from("plain"));
}

TEST_F(SampleCommand, FlagsWinOverConfiguration) {
  (void)file("c.toml", "model = 'gaussian'\ndimension = 3\nchains = 8\nwarmup = 50\ndraws = 20\nquiet = true\n");
  EXPECT_EQ(run("sample --config c.toml --chains 2 --out out").status, 0);
  EXPECT_TRUE(fs::exists(path("out/chain_2.csv")));
  EXPECT_FALSE(fs::exists(path("out/chain_3.csv")));
  EXPECT_TRUE(columns_of("out").ends_with(",q.1,q.2,q.3"));
}

TEST_F(SampleCommand, NeverOverwritesARun) {
  ASSERT_EQ(run_to("mine").status, 0);
  const std::vector<std::string> names{"mine/run.json", "mine/tuning.json", "mine/chain_1.csv",
                                       "mine/statistics/chain_4.csv"};
  std::vector<std::string> before;
  for (const std::string& name : names) before.push_back(read_text(path(name)));
  const Outcome outcome = run("sample gaussian --seed 2 --quiet --out mine");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"output directory mine", "holds a finished run", "choose another directory"}));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_text(path(names[i])), before[i]) << names[i];
}

TEST_F(SampleCommand, RefusesOutputThatCannotBe) {
  (void)file("file", "precious");
  fs::create_directories(path("full"));
  (void)file("full/notes.txt", "precious");
  fs::create_symlink("nowhere", path("dangling"));
  const auto refused = [&](const std::string& out, std::initializer_list<std::string_view> said) {
    const Outcome outcome = run_to(out);
    EXPECT_EQ(outcome.status, 2) << out;
    EXPECT_TRUE(mentions(outcome.err, said));
  };
  refused("file", {"output directory file", "there is a file of that name"});
  refused("file/x", {"output directory file/x", "file is a file, not a directory"});
  refused("full", {"output directory full", "not empty", "notes.txt"});
  refused("dangling", {"output directory dangling", "cannot be created"});
  refused("/proc/self/x", {"output directory /proc/self/x", "cannot be created"});
  refused(std::string(300, 'a'), {"output directory aaa", "too long"});
  EXPECT_EQ(read_text(path("file")), "precious");
  EXPECT_EQ(read_text(path("full/notes.txt")), "precious");
  if (::geteuid() == 0) return;  // who may write everywhere
  fs::create_directories(path("locked"));
  fs::permissions(path("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  refused("locked/x", {"output directory locked/x", "cannot be created in locked", "Permission denied"});
}

TEST_F(SampleCommand, CreatesMissingParents) {
  EXPECT_EQ(run_to("a/b/c").status, 0);
  EXPECT_EQ(read_manifest(path("a/b/c/run.json")).status, RunStatus::complete);
}

}  // namespace
}  // namespace darboux

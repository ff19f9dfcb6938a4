#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "support/expect.hpp"

/// structure, check, models, manual, completions, and the log of sample.
namespace darboux {
namespace {

using testing::mentions;
using testing::Outcome;
using Tools = testing::WithProgram;

TEST_F(Tools, StructureShowsEigenvaluesBasesAndIntegrators) {
  const Outcome outcome = run("structure coupled --dimension 4 --strength 0.5");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(mentions(outcome.out, {"4 positions", "E  dense", "A  identity", "norm 0.5", "±i times 1.5", "schur",
                                     "gram-schmidt", "explicit (APPROXIMATE)", "default: split-midpoint"}));
  EXPECT_TRUE(mentions(run("structure coupled --dimension 2 --strength 1").out,
                       {"singular", "no Darboux basis", "midpoint and split-midpoint can"}));
}

/// A choice is said with its reason, and kept.
TEST_F(Tools, AStructureThatIsLeftToUsIsCanonical) {
  EXPECT_TRUE(mentions(run("structure auto").out, {"auto is canonical: on 17 targets", "default: leapfrog"}));
  const std::string run_of_auto = "sample gaussian --dimension 2 --seed 1 --draws 100 --warmup 100 ";
  const Outcome outcome = run(run_of_auto + "--structure auto --out chosen");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"leapfrog on a canonical structure", "Structure: canonical, since on 17 targets",
                                     "2 of 48 cases"}));
  const auto manifest = nlohmann::json::parse(read_text(path("chosen/run.json")));
  EXPECT_EQ(manifest["asked"]["structure"], "auto");
  EXPECT_EQ(manifest["decided"]["structure"], "canonical");
  EXPECT_TRUE(mentions(std::string(manifest["decided"]["structure_reason"]), {"17 targets"}));
  ASSERT_EQ(run(run_of_auto + "--quiet --out named").status, 0);
  EXPECT_EQ(read_text(path("chosen/statistics/chain_1.csv")), read_text(path("named/statistics/chain_1.csv")));
  EXPECT_EQ(nlohmann::json::parse(read_text(path("named/run.json")))["decided"].contains("structure"), false);
  EXPECT_TRUE(mentions(read_text(path("chosen/chain_1.csv")), {"darboux_structure = canonical"}));
}

TEST_F(Tools, AStructureThatWasWrittenIsTheSameWhenRead) {
  const Outcome written = run("structure magnetic-position --dimension 3 --k 2 --structure-seed 5 --write mine.json");
  EXPECT_EQ(written.status, 0) << written.err;
  const Outcome read = run("structure mine.json");
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_TRUE(written.out.starts_with(read.out));
  const Outcome again = run("structure canonical --write mine.json");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(mentions(again.err, {"--write mine.json", "exists"}));
  EXPECT_EQ(run("structure mine.json").out, read.out);
}

TEST_F(Tools, StructureRefusesWhatIsNone) {
  EXPECT_TRUE(mentions(run("structure cupled").err, {"cupled", "did you mean \"coupled\"?"}));
  EXPECT_EQ(run("structure cupled").status, 2);
  EXPECT_EQ(run("structure nowhere.json").status, 2);
  EXPECT_TRUE(mentions(run("structure canonical --dimension 0").err, {"dimension = 0", "from 1 to"}));
}

TEST_F(Tools, StructureRefusesWhatHasNoEffect) {
  (void)file("s.json", R"({"dimension": 2})");
  const auto refused = [&](const std::string& arguments, std::initializer_list<std::string_view> said) {
    const Outcome outcome = run("structure " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(mentions(outcome.err, said)) << arguments;
  };
  refused("s.json --dimension 2", {"dimension is for named structures"});
  for (const std::string flag : {"strength 1", "k 2", "structure-seed 3"})
    refused("s.json --" + flag, {"for named structures, but structure is a file"});
  refused("coupled --structure canonical", {"coupled and --structure canonical both name the structure"});
  refused("coupled --write nowhere/s.json", {"--write nowhere/s.json: there is no folder nowhere"});
  EXPECT_EQ(run("structure --structure s.json").status, 0);
}

TEST_F(Tools, ManualOverwritesNothingButItself) {
  EXPECT_EQ(run("manual --out darboux.1").status, 0);
  EXPECT_EQ(run("manual --out darboux.1").status, 0);
  const Outcome refused = run("manual --markdown --out darboux.1");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.err, {"--out darboux.1", "is no manual in Markdown"}));
  EXPECT_TRUE(read_text(path("darboux.1")).starts_with(".TH DARBOUX"));
}

/// What they complete is tested with the shells themselves, by tests/consumer/completions.sh.
TEST_F(Tools, CompletionsAreForThreeShells) {
  const std::string bash = run("completions bash").out;
  EXPECT_TRUE(mentions(
      bash, {"'sample --order') flags='' words='2 4' files=''", "'sample --data') flags='' words='' files=default",
             "'reproduce --out') flags='' words='' files=dirnames", "complete -F _darboux darboux"}));
  EXPECT_EQ(bash.find("--refresh"), std::string::npos);  // a former name
  EXPECT_TRUE(run("completions zsh").out.starts_with("#compdef darboux\n"));
  EXPECT_TRUE(mentions(run("completions fish").out, {"complete -c darboux -n '__fish_seen_subcommand_from sample'"}));
  EXPECT_EQ(run("completions bash --out here").status, 0);
  EXPECT_EQ(read_text(path("here")), bash);
  EXPECT_EQ(run("completions bash --out here").status, 0);
  EXPECT_TRUE(mentions(run("completions fish --out here").err, {"--out here", "is no completion script for fish"}));

  EXPECT_TRUE(mentions(run("completions").err, {"which shell?", "bash, zsh or fish"}));
  const Outcome unknown = run("completions fisch");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(mentions(unknown.err, {"unknown shell \"fisch\"; did you mean \"fish\"?"}));
}

TEST_F(Tools, CheckPassesModelsOnEveryIntegrator) {
  for (const char* const what :
       {"skewed --integrator leapfrog", "banana --structure magnetic-position",
        "student-t --structure coupled --integrator doubled", "funnel --structure magnetic-momentum",
        "mixture --integrator midpoint --structure coupled"}) {
    const Outcome outcome = run(std::string("check --seed 1 ") + what);
    EXPECT_EQ(outcome.status, 0) << what << outcome.out << outcome.err;
    EXPECT_TRUE(mentions(outcome.out, {"ok; the largest deviation", "rms energy error", "ok; reversible to"})) << what;
  }
  EXPECT_TRUE(mentions(run("check gaussian --seed 1").out, {": order 2.0 (in theory 2)"}));
}

TEST_F(Tools, CheckSaysWhatItMadeOfATable) {
  (void)file("d.csv", "sick,x\nno,1\nyes,2\nno,3\nyes,4\nyes,5\nno,1.5\n");
  const Outcome outcome = run("check logistic --data d.csv --seed 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"Data: 6 rows of d.csv", "Outcome: sick is yes in 3 of 6 rows", "Prior: "}));
}

TEST_F(Tools, CheckSaysWhatIsApproximate) {
  const Outcome outcome = run("check skewed --structure coupled --integrator explicit --seed 1");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(mentions(outcome.out, {"APPROXIMATE", "does not return"}));
}

TEST_F(Tools, CheckWantsAModelThatExists) {
  EXPECT_TRUE(mentions(run("check").err, {"which model?", "darboux check MODEL"}));
  EXPECT_EQ(run("check").status, 2);
  EXPECT_TRUE(mentions(run("check logistik").err, {"logistik", "did you mean \"logistic\"?"}));
  EXPECT_TRUE(mentions(run("check skewed --integrator leapfrog --structure coupled").err, {"leapfrog", "E"}));
}

TEST_F(Tools, ModelsListsWhatEachTakes) {
  const Outcome outcome = run("models");
  EXPECT_EQ(outcome.status, 0);
  for (const std::string model : {"logistic", "fitzhugh-nagumo", "gaussian", "mixture", "banana", "funnel",
                                  "funnel-centred", "student-t", "skewed", "eight-schools", "eight-schools-centred"}) {
    EXPECT_TRUE(mentions("\n" + outcome.out, {"\n" + model + " "}));
    // A setting that others take: whoever says so knows the model.
    const std::string said = run("sample " + model + " --response y").err;
    EXPECT_TRUE(mentions(said, {model == "logistic" ? "model logistic needs data"
                                                    : "response is given, but model " + model + " does not take it"}));
  }
  EXPECT_TRUE(mentions(run("sample gausian --response y").err, {"unknown model \"gausian\""}));
  EXPECT_TRUE(mentions(outcome.out, {"logistic ", "takes: data response positive no-intercept prior-scale", "skewed ",
                                     "funnel-centred ", "shows: a scale that changes"}));
}

/// Every setting is in the help, in the manual page and in the documentation, which is what the program prints.
TEST_F(Tools, ManualHasEverySettingAndTheDocumentationIsThatOfTheProgram) {
  const std::string help = run("sample --help").out;
  const std::string page = run("manual").out;
  const std::string documentation = run("manual --markdown").out;
  std::istringstream words(help);
  int settings = 0;
  for (std::string word; words >> word;) {
    if (!word.starts_with("--") || word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos) continue;
    if (word == "--help") continue;
    ++settings;
    EXPECT_NE(documentation.find("`" + word), std::string::npos) << word;
    std::string escaped;
    for (const char c : word) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_NE(page.find(escaped), std::string::npos) << word;
  }
  EXPECT_GT(settings, 30);
  EXPECT_EQ(documentation, read_text(DARBOUX_SOURCE_FOLDER "/docs/command-line.md")) << "./dev docs makes it anew";
}

TEST_F(Tools, TheLogIsJsonLines) {
  const Outcome outcome = run("sample skewed --seed 1 --quiet --out drawn --log progress.jsonl");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  std::istringstream lines(read_text(path("progress.jsonl")));
  std::vector<nlohmann::json> events;
  for (std::string line; std::getline(lines, line);) events.push_back(nlohmann::json::parse(line));
  ASSERT_GE(events.size(), 3U);
  EXPECT_EQ(events.front()["event"], "begin");
  EXPECT_EQ(events.front()["chains"], 4);
  const nlohmann::json& last = events[events.size() - 2];
  EXPECT_EQ(last["event"], "progress");
  for (const auto& chain : last["chains"]) EXPECT_EQ(chain["iterations"], 2000);
  EXPECT_EQ(events.back()["event"], "end");
  EXPECT_EQ(events.back()["status"], "complete");
  EXPECT_EQ(events.back()["out"], "drawn");

  const Outcome refused = run("sample skewed --seed 1 --out elsewhere --log nowhere/progress.jsonl");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(mentions(refused.err, {"log = nowhere/progress.jsonl", "No such file"}));
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere")));
}

/// Draws are worth more than their log, but that it is not there has to be said.
TEST_F(Tools, ALogThatCannotBeWrittenIsTold) {
  const Outcome outcome = run("sample skewed --seed 1 --warmup 50 --draws 20 --quiet --out drawn --log /dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write the log /dev/full: No space left", "nothing is lost"}));
  EXPECT_EQ(run("summary drawn").status, 0);
}

TEST_F(Tools, VersionAndHelp) {
  EXPECT_TRUE(run("--version").out.starts_with("darboux 0."));
  for (const char* const command : {"", "sample ", "summary ", "report ", "structure ", "check ", "compare ", "models ",
                                    "completions ", "manual "}) {
    const Outcome outcome = run(std::string(command) + "--help");
    EXPECT_EQ(outcome.status, 0) << command;
    EXPECT_TRUE(mentions(outcome.out, {"Usage: darboux"})) << command;
  }
}

}  // namespace
}  // namespace darboux

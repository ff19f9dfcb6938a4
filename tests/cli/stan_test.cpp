// The command line with Stan programs. What needs a Stan is skipped where there is none; ./dev test installs one.

#include <gtest/gtest.h>

#include <algorithm>

#include "darboux/core/error.hpp"
#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"
#include "program.hpp"
#include "stan/toolchain.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::Outcome;

class StanCommand : public testing::WithProgram {
 protected:
  static bool has_stan() {
    try {
      (void)find_toolchain({});
      return true;
    } catch (const InputError&) {
      return false;
    }
  }
  static std::string programs() { return DARBOUX_SOURCE_FOLDER "/tests/stan/programs/"; }
};

TEST_F(StanCommand, WithoutStanItSaysHowToGetIt) {
  (void)file("a.stan", "parameters { real x; }");
  const Outcome outcome =
      run("sample a.stan", "HOME=/nowhere XDG_DATA_HOME=/nowhere DARBOUX_STAN= BRIDGESTAN= CMDSTAN= ");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"darboux stan install"}));
}

TEST_F(StanCommand, SettingsOfOtherModelsAreRefused) {
  EXPECT_TRUE(mentions(run("sample a.stan --response y").err, {"response", "a.stan", "Stan program"}));
  EXPECT_TRUE(mentions(run("sample gaussian --stan /usr").err, {"stan is given", "gaussian"}));
}

/// A program may take a minute to compile.
TEST_F(StanCommand, MistakesAreToldBeforeAnythingIsCompiled) {
  (void)file("a.stan", "parameters { real x; }");
  (void)file("empty.json", "\n");
  (void)file("list.json", "[1, 2]");
  const auto told = [&](const std::string& arguments) { return run(arguments, "DARBOUX_STAN=/nowhere ").err; };
  EXPECT_TRUE(mentions(told("sample a.stan --draws 0"), {"draws"}));
  EXPECT_TRUE(mentions(told("sample a.stan --structure none"), {"structure = none"}));
  EXPECT_TRUE(mentions(told("sample a.stan --init nowhere"), {"init = nowhere"}));
  EXPECT_TRUE(mentions(told("sample a.stan --data none.json"), {"none.json"}));
  EXPECT_TRUE(mentions(told("sample a.stan --data empty.json"), {"empty.json", "is empty"}));
  EXPECT_TRUE(mentions(told("sample a.stan --data list.json"), {"list.json", "begins with {"}));
  EXPECT_TRUE(mentions(told("compile a_model.so"), {"a_model.so", "compiled already"}));
  EXPECT_TRUE(mentions(told("sample a_model.so --stan /usr"), {"stan is given", "compiled already"}));
}

TEST_F(StanCommand, ACompilerThatIsNoneIsNamed) {
  if (!has_stan()) GTEST_SKIP() << "no Stan here";
  (void)file("a.stan", "parameters { real x; }");
  EXPECT_TRUE(mentions(run("compile a.stan", "CXX=false ").err, {"false --version", "status 1", "CXX"}));
  EXPECT_TRUE(mentions(run("compile a.stan", "CXX=no-such-compiler ").err, {"no-such-compiler", "install g++"}));
}

TEST_F(StanCommand, DrawsHaveTheColumnsOfCmdStan) {
  if (!has_stan()) GTEST_SKIP() << "no Stan here";
  const Outcome outcome = run("sample " + programs() + "schools.stan --data " + programs() +
                              "schools.json --seed 2 --draws 50 --warmup 100 --out o");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"schools (10 parameters)", "theta[8]", "again[1]"}));
  const StanCsvReader draws(path("o/chain_1.csv"));
  const auto& columns = draws.columns();
  for (const char* name : {"lp__", "mu", "tau", "eta.1", "theta.8", "again.8"})
    EXPECT_NE(std::ranges::find(columns, name), columns.end()) << name;
  EXPECT_EQ(columns.size(), 7U + 10 + 8 + 8);
}

TEST_F(StanCommand, ACompiledProgramIsAModelToo) {
  if (!has_stan()) GTEST_SKIP() << "no Stan here";
  Outcome outcome = run("compile " + programs() + "schools.stan");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string library = outcome.out.substr(0, outcome.out.find('\n'));
  ASSERT_TRUE(library.ends_with("/schools_model.so")) << library;
  outcome = run("check " + library + " --data " + programs() + "schools.json --seed 1");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"order 2", "ok; reversible"}));
  outcome = run("compare " + library + " --data " + programs() +
                "schools.json --seed 1 --draws 10 --warmup 50 --methods nuts,chees --runs 2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"2 methods, 2 runs of each", "nuts", "chees"}));
  outcome = run("sample " + library + " --data " + programs() + "schools.json --seed 1 --draws 10 --warmup 50");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"darboux-schools-1"}));
}

/// Also what a program includes must be what it was.
TEST_F(StanCommand, ARunGoesOnToTheSameBytes) {
  if (!has_stan()) GTEST_SKIP() << "no Stan here";
  (void)file("a.stan",
             "functions {\n#include prior.stan\n}\nparameters { vector[3] x; }\nmodel { x ~ prior(1.5); }\n"
             "generated quantities { real y = normal_rng(x[1], 1); }\n");
  const std::string prior = "real prior_lpdf(vector x, real s) { return normal_lpdf(x | 0, s); }\n";
  (void)file("prior.stan", prior);
  const std::string arguments = "sample a.stan --seed 2 --checkpoint-seconds 0 --quiet --format csv,zarr --draws ";
  ASSERT_EQ(run(arguments + "500 --out whole").status, 0);
  ASSERT_EQ(run(arguments + "200 --out parts").status, 0);
  (void)file("prior.stan", "// another\n" + prior);
  const Outcome changed = run("resume parts --draws 500");
  EXPECT_EQ(changed.status, 2);
  EXPECT_TRUE(mentions(changed.err, {"#include prior.stan", "the file has changed since the run began"}));
  (void)file("prior.stan", prior);
  ASSERT_EQ(run("resume parts --draws 500 --threads 2 --quiet").status, 0);
  EXPECT_TRUE(rows("parts/chain_2.csv") == rows("whole/chain_2.csv"));
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include "program.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::Outcome;

/// What earlier versions called otherwise works for one version more, with a note.
class FormerNames : public testing::WithProgram {
 protected:
  [[nodiscard]] Outcome sample(const std::string& arguments) const {
    return run("sample gaussian --dimension 2 --warmup 20 --draws 20 --seed 1 --quiet " + arguments);
  }
};

constexpr const char* kept = "--refresh is now called --momentum-kept; the old name goes with the next version\n";

TEST_F(FormerNames, OfFlagsAndTheirValues) {
  const Outcome outcome = sample("--refresh 0.5 --trajectory static --out old");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "darboux: --trajectory static is now called --trajectory jittered; the old name goes with the "
            "next version\ndarboux: " +
                std::string(kept));
  EXPECT_TRUE(mentions(read_text(path("old/run.json")), {"\"momentum-kept\": 0.5", "\"trajectory\": \"jittered\""}));

  const Outcome now = sample("--momentum-kept 0.5 --trajectory jittered --out new");
  ASSERT_EQ(now.status, 0);
  EXPECT_EQ(now.err, "");
  const auto draws = [&](const char* folder) {
    const std::string text = read_text(path(folder) / "statistics/chain_1.csv");
    return text.substr(text.find("\nlp__") + 1);
  };
  EXPECT_EQ(draws("old"), draws("new"));
}

TEST_F(FormerNames, OfKeysInAFile) {
  (void)file("c.toml", "chains = 2\nrefresh = 0.5\n");
  const Outcome outcome = sample("--config c.toml --out out");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "darboux: c.toml:2: refresh is now called momentum-kept; the old name goes with the next version\n");
}

TEST_F(FormerNames, AreRefusedBesideThePresentOnesInAFile) {
  (void)file("c.toml", "momentum-kept = 0.3\nrefresh = 0.9\n");
  const Outcome outcome = sample("--config c.toml --out out");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(mentions(outcome.err, {"c.toml:2", "refresh is the former name of momentum-kept", "give one of them"}));
}

TEST_F(FormerNames, OfMethodsThatAreCompared) {
  const Outcome outcome = run(
      "compare gaussian --dimension 2 --warmup 50 --draws 50 --seed 3 --runs 2 --methods static/diagonal,nuts --csv -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            "darboux: method static/diagonal: trajectory static is now called trajectory jittered; the old name goes "
            "with the next version\n");
}

TEST_F(FormerNames, AreRefusedAsTheNewOnesAre) {
  const Outcome outcome = sample("--refresh 0.5 --momentum-kept 0.5 --out out");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err, "darboux: --refresh is the former name of --momentum-kept: give one of them\n");
  EXPECT_TRUE(mentions(sample("--refresh 0.5 --refresh 0.5 --out out").err, {"--refresh is given 2 times"}));
  EXPECT_TRUE(mentions(sample("--refresh '' --out out").err, {"--refresh is given, but empty"}));
}

TEST_F(FormerNames, AreNotListed) {
  for (const char* const command : {"sample --help", "manual", "manual --markdown", "completions bash"}) {
    const std::string text = run(command).out;
    EXPECT_TRUE(mentions(text, {"kept", "jittered"})) << command;
    EXPECT_EQ(text.find("refresh"), std::string::npos) << command;
    EXPECT_EQ(text.find("static"), std::string::npos) << command;
  }
  const Outcome misspelt = sample("--refrsh 0.5 --out out");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_EQ(misspelt.err.find("--refresh"), std::string::npos) << misspelt.err;
}

}  // namespace
}  // namespace darboux

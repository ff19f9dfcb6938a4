#include "run/run_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <darboux/core/error.hpp>

#include "draws/temporary_folder.hpp"

namespace darboux::testing {
namespace {

using ::testing::HasSubstr;

const Field<RunConfig>& field_called(std::string_view name) {
  const auto& fields = run_fields();
  return *std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
}

/// Every value can be given by its name and reads back as that name, and help lists exactly these.
TEST(RunConfig, ChoicesCanBeSetByTheirNames) {
  int choices = 0;
  for (const auto& field : run_fields()) {
    if (field.choices.empty()) continue;
    ++choices;
    EXPECT_EQ(field.takes, joined(field.choices, "|"));
    for (const std::string_view choice : field.choices) {
      RunConfig config;
      field.set(config, choice);
      EXPECT_EQ(field.get(config), ValueTree(choice)) << field.name;
    }
  }
  EXPECT_EQ(choices, 12);
}

template <Enumeration E>
void expect_names_of(std::string_view flag) {
  EXPECT_TRUE(std::ranges::equal(field_called(flag).choices, all_names<E>())) << flag;
}

TEST(RunConfig, FlagsHaveTheNamesOfTheirEnumerations) {
  expect_names_of<IntegratorKind>("integrator");
  expect_names_of<GradientPrecision>("gradient-precision");
  expect_names_of<Metric>("metric");
  expect_names_of<TrajectoryKind>("trajectory");
  expect_names_of<DirectionMode>("direction");
  expect_names_of<Sharding>("shard");
  EXPECT_EQ(field_called("init").takes, joined(all_names<StartMethod>(), "|") + "|FILE");
}

TEST(RunConfig, EveryFieldReadsBackWhatItShows) {
  RunConfig c;
  c.dimension = 3;
  c.seed = 7;
  c.out = "x";
  c.structure_source = "coupled";
  c.strength = 0.7;
  c.integrator = IntegratorKind::doubled;
  c.metric = Metric::diagonal;
  c.direction = DirectionMode::random;
  c.gradient_precision = GradientPrecision::single;
  c.columns = {"age", "height, cm"};
  c.reference = {"group=b", "say \"x\"=y"};
  c.prior_intercept = 2.5;
  for (const auto& field : run_fields()) {
    RunConfig other;
    if (const auto value = field.get(c)) {
      field.set(other, text_of(*value));
      EXPECT_EQ(field.get(other), value) << field.name;
    }
  }
}

TEST(RunConfig, NamesOfEarlierVersionsStillDo) {
  RunConfig c;
  EXPECT_EQ(set_field(c, "refresh", "0.5"), (std::vector<Renamed>{{"refresh", "momentum-kept"}}));
  EXPECT_EQ(c.momentum_kept, 0.5);
  EXPECT_EQ(set_field(c, "trajectory", "static"), (std::vector<Renamed>{{"trajectory static", "trajectory jittered"}}));
  EXPECT_EQ(c.trajectory, TrajectoryKind::jittered);
  EXPECT_EQ(set_field(c, "momentum-kept", "0.25"), std::vector<Renamed>{});
  EXPECT_EQ(c.momentum_kept, 0.25);
}

/// A regression of an earlier version goes on with the prior that it had.
TEST(RunConfig, RegressionsOfEarlierVersionsHaveOnePriorForAllCoefficients) {
  RunManifest m;
  m.asked.set("model", "logistic");
  m.asked.set("prior-scale", 2.0);
  EXPECT_EQ(config_of(m).prior_intercept, 2.0);
  EXPECT_EQ(config_of(m).standardise, Standardising::all);
  m.prior.set("family", "normal");
  EXPECT_EQ(config_of(m).prior_intercept, std::nullopt);
  EXPECT_EQ(config_of(m).standardise, std::nullopt);
}

using ConfigFile = WithFolder;

TEST_F(ConfigFile, SaysWhereItHasNamesOfEarlierVersions) {
  const auto toml = file("c.toml", "chains = 8\nrefresh = 0.5\ntrajectory = 'static'\n");
  RunConfig c;
  EXPECT_EQ(
      read_config(c, toml),
      (std::vector<std::string>{
          toml.string() + ":2: refresh is now called momentum-kept; the old name goes with the next version",
          toml.string() +
              ":3: trajectory static is now called trajectory jittered; the old name goes with the next version"}));
  EXPECT_EQ(c.momentum_kept, 0.5);
  EXPECT_EQ(c.trajectory, TrajectoryKind::jittered);
}

TEST_F(ConfigFile, IsAsGoodAsFlags) {
  (void)file("c.toml", "model = \"gaussian\"\nchains = 8\nstructure = 'coupled'\nstrength = 0.5\nquiet = true\n");
  RunConfig c;
  read_config(c, path("c.toml"));
  EXPECT_EQ(c.model, "gaussian");
  EXPECT_EQ(c.chains, 8);
  EXPECT_EQ(c.structure_source, "coupled");
  EXPECT_EQ(c.strength, 0.5);
  EXPECT_TRUE(c.quiet);
  (void)file("lists.toml", "columns = ['age', 'height, cm']\ndrop = 'id,name'\n");
  read_config(c, path("lists.toml"));
  EXPECT_EQ(c.columns, (std::vector<std::string>{"age", "height, cm"}));
  EXPECT_EQ(c.drop, (std::vector<std::string>{"id", "name"}));
  EXPECT_EQ(c.given.back(), "drop");

  const auto refused = [&](const std::string& content) -> std::string {
    (void)file("bad.toml", content);
    try {
      RunConfig other;
      read_config(other, path("bad.toml"));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refused("chains = 4\nchans = 8\n"),
              HasSubstr("bad.toml:2: unknown setting \"chans\"; did you mean \"chains\""));
  EXPECT_THAT(refused("chains = 0\n"), HasSubstr("bad.toml:1: chains = 0"));
  EXPECT_THAT(refused("chains = \n"), HasSubstr("bad.toml:1"));
  EXPECT_THAT(refused("chains = [1, 2]\n"), HasSubstr("chains = 1, 2: must be a whole number"));
  EXPECT_THAT(refused("chains = []\n"), HasSubstr("must be a number"));
  EXPECT_THAT(refused("out = \"\xc3\xa9\"\n"), HasSubstr("ASCII"));
  EXPECT_THAT(refused("x = [[[[[[[[[[1]]]]]]]]]]\n"), HasSubstr("nested"));
  EXPECT_THAT(refused(std::string(2 << 20, '#')), HasSubstr("1 MiB"));
  // The parser takes for granted that a name begins here, and ended the program.
  EXPECT_THAT(refused("[}\n"), HasSubstr("bad.toml"));
}

}  // namespace
}  // namespace darboux::testing

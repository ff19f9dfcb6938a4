#include "model/logistic_findings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "darboux/core/random.hpp"
#include "model/logistic_data.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;

TEST(LogisticFindings, TellWhatIsOddAboutATable) {
  const auto findings = [](const std::string& text, const RegressionOptions& options = {}) {
    std::string all;
    for (const std::string& one : logistic_from_table(parse_csv(text, "a.csv"), options).remarks()) all += one + "\n";
    return all;
  };
  std::string sound = "y,x,g\n", odd = "y,x,twice,sum,z,near,g,id\n", apart = "y,x,z\n", partly = "y,x,g\n";
  RandomStream random({.seed = 5, .purpose = Purpose::data});
  for (int i = 0; i < 200; ++i) {
    const double x = random.normal(), z = random.normal();
    const int y = random.uniform() < 1.0 / (1.0 + std::exp(-x)) ? 1 : 0;
    sound += fmt::format("{},{},{}\n", y, x, i % 3 == 0 ? "a" : "b");
    odd += fmt::format("{},{},{},{},{},{},{},{}\n", y, x, 3.0 - 2.0 * x, x + z, z, z + 0.01 * random.normal(),
                       i < 3 ? "rare" : "usual", 17 + i);
    apart += fmt::format("{},{},{}\n", x + z > 0.1 ? 1 : 0, x, z);
    partly += fmt::format("{},{},{}\n", i % 3 == 0 ? 0 : y, x, i % 3 == 0 ? "a" : "b");
  }
  EXPECT_EQ(findings(sound), "");
  const std::string of_odd = findings(odd);
  EXPECT_TRUE(mentions(
      of_odd, {"Fewer than 5 rows have g[rare] (3 rows):", "twice is x but for its units", "z is a combination of ",
               "near is nearly z (correlation ", "Column id goes up by one", "--drop id"}));
  EXPECT_EQ(of_odd.find("without error"), std::string::npos);
  EXPECT_TRUE(mentions(findings(apart), {"x, z tell the outcome without error in all rows"}));
  EXPECT_TRUE(mentions(findings(partly), {"g[b] tells the outcome without error in 67 of 200 rows"}));
}

/// Of three levels and more, where the one that others are compared with is rare, none of their coefficients says much.
TEST(LogisticFindings, ARareBaselineIsToBeReplacedByTheCommonestLevel) {
  std::string text = "y,g,h\n";
  for (int i = 0; i < 60; ++i)
    text += fmt::format("{},{},{}\n", i % 3 == 0, i < 3 ? "a" : i < 20 ? "b" : "c d", i < 3 ? "rare" : "usual");
  const auto findings = [&](const RegressionOptions& options) {
    return logistic_from_table(parse_csv(text, "a.csv"), options).remarks();
  };
  const auto found = findings({});
  ASSERT_GE(found.size(), 2U);
  EXPECT_TRUE(mentions(found[0], {"Fewer than 5 rows have h[rare] (3 rows): of such"})) << "of two levels either does";
  EXPECT_EQ(found[0].find("g["), std::string::npos) << "it has no coefficient";
  EXPECT_TRUE(mentions(found[1], {"g[a] (3 rows), with which all other levels of g are compared", "the commonest, c d",
                                  "(--reference 'g=c d')"}));
  const auto mended = findings({.reference = {"g=c d"}});
  EXPECT_TRUE(mentions(mended[0], {"have g[a] (3 rows), h[rare] (3 rows): of such"}));
  for (const std::string& one : mended) EXPECT_EQ(one.find("are compared"), std::string::npos) << one;
}

TEST(LogisticFindings, TellLevelsThatDifferInSpellingOnly) {
  const auto findings = [](std::string_view first) {
    std::string text = "y,sex\n";
    for (int i = 0; i < 60; ++i)
      text += fmt::format("{},\"{}\"\n", i * i % 7 < 3, i % 5 < 2 ? "female" : i % 5 == 2 ? first : "male");
    return logistic_from_table(parse_csv(text, "a.csv")).remarks();
  };
  for (const std::string_view other : {"Male", " male", "MALE "}) {
    const auto found = findings(other);
    ASSERT_EQ(found.size(), 1U) << other;
    EXPECT_TRUE(
        mentions(found[0], {"Levels of sex differ in capitals or spaces only, as \"", other, "write them alike"}));
  }
  EXPECT_TRUE(findings("males").empty());
}

/// There is no better baseline then, and it would be the same one where all levels are as rare.
TEST(LogisticFindings, WhereEveryLevelIsRareNoneIsABetterBaseline) {
  const auto findings = [](int rows_of_a_level, int first_rows) {
    std::string text = "y,id\n";
    for (int i = 0; i < 60; ++i)
      text += fmt::format("{},n{}\n", i % 3 == 0, i < first_rows ? 0 : 1 + i / rows_of_a_level);
    return logistic_from_table(parse_csv(text, "a.csv")).remarks();
  };
  const auto identifier = findings(1, 0);
  EXPECT_TRUE(mentions(identifier.front(), {"None of the 60 levels of id has 5 of the 60 rows: ",
                                            "looks like an identifier: leave it out (--drop id)."}));
  const auto rare = findings(4, 1);
  EXPECT_TRUE(mentions(rare.front(), {"None of the 16 levels of id has 5 of the 60 rows: ", "Join levels, or leave"}));
  for (const auto& found : {identifier, rare})
    for (const std::string& one : found) EXPECT_EQ(one.find("ewer than 5"), std::string::npos) << one;
  const auto one_common = findings(4, 5);
  EXPECT_TRUE(mentions(one_common.front(), {"Fewer than 5 rows have id[n10] (4 rows), "}));
}

/// 600 rows, in the order of their outcomes, with x and z of which some function tells the outcome.
class LargeTable : public ::testing::Test {
 protected:
  /// `outcome` of x and z, which are in (0, 1), and of the number of the row.
  template <class Outcome>
  static CsvTable table(const Outcome& outcome) {
    std::string zeros, ones;
    RandomStream random({.seed = 6, .purpose = Purpose::data});
    for (int i = 0; i < rows; ++i) {
      const double x = random.uniform(), z = random.uniform();
      (outcome(x, z, i) ? ones : zeros) += fmt::format("{},{},{}\n", outcome(x, z, i) ? 1 : 0, x, z);
    }
    return parse_csv("y,x,z\n" + zeros + ones, "a.csv");
  }
  static std::vector<std::string> findings(const CsvTable& table, const FindingLimits& limits) {
    const RegressionTable regression = regression_table(table, {});
    const StandardisedLogistic model = logistic_from_table(table);
    return findings_about(model.standardised(), regression, true, limits);
  }
  static constexpr int rows = 600, columns = 3, looked_at = 60;
  static constexpr FindingLimits subset{.little = looked_at * columns * columns};
};

/// What separates some of the rows is tried on all of them.
TEST_F(LargeTable, SeparationIsLookedForAmongSomeOfTheRows) {
  const auto apart = [](double x, double z, int) { return x + z > 0.8; };
  EXPECT_EQ(findings(table([](double x, double z, int i) { return x + z > (i % 2 == 0 ? 0.3 : 1.5); }), subset),
            std::vector<std::string>{});
  const auto found = findings(table(apart), subset);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(mentions(found[0], {"x, z tell the outcome without error in ", " rows (separation)"}));
  const auto but_some = [&](double x, double z, int i) { return apart(x, z, i) != (i % 100 == 7); };
  EXPECT_EQ(findings(table(but_some), subset), std::vector<std::string>{}) << "which few rows do not show";
  const auto rare = [](double, double, int i) { return i == 17 || i == 411; };
  EXPECT_EQ(findings(table(rare), subset), findings(table(rare), {})) << "the rows that are looked at have one outcome";
}

TEST_F(LargeTable, WhatIsNotLookedForIsSaid) {
  const CsvTable sound = table([](double x, double z, int i) { return x + z > (i % 2 == 0 ? 0.3 : 1.5); });
  constexpr double work = rows * columns * columns;
  const auto said = [&](const FindingLimits& limits) {
    const auto found = findings(sound, limits);
    return found.empty() ? "" : found.front();
  };
  EXPECT_EQ(said({.product = work}), "");
  EXPECT_EQ(said({.product = work - 1.0}), "The table is large: collinear predictors were not looked for.");
  EXPECT_EQ(said({.little = work, .much = work}), "");
  EXPECT_EQ(said({.little = work, .much = work - 1.0}), "The table is large: separated outcomes were not looked for.");
  EXPECT_EQ(said({.product = 0.0, .much = 0.0}),
            "The table is large: collinear predictors and separated outcomes were not looked for.");
}

}  // namespace
}  // namespace darboux

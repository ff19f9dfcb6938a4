#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "report_of_runs.hpp"

namespace darboux {
namespace {

using testing::has_section;
using testing::section;

class ComparisonReport : public testing::RunReport {};

TEST_F(ComparisonReport, IdsAreUniqueAlsoInAComparison) {
  const ReportedRun a = reported(good_chains(), "a");
  for (const Report& r : {run_report(a), comparison_report(a, a)}) {
    std::set<std::string> ids;
    for (const ReportSection& s : r.sections) {
      EXPECT_TRUE(ids.insert(s.id).second) << s.id;
      EXPECT_EQ(s.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << s.id;
      EXPECT_FALSE(s.title.empty()) << s.id;
    }
  }
}

TEST_F(ComparisonReport, AComparisonFindsWhatDiffers) {
  const ReportedRun a = reported(good_chains(), "a");
  auto shifted = good_chains();
  for (auto& chain : shifted) chain.number += 4;
  const ReportedRun b = reported(shifted, "b");
  const Report agree = comparison_report(a, b);
  EXPECT_EQ(agree.title, "a and b");
  EXPECT_EQ(section(agree, "verdict").mood, Mood::good);
  EXPECT_TRUE(section(agree, "verdict").title.starts_with("The runs agree: no mean of 3 differs by more than "));

  for (auto& chain : shifted) chain.shift = 0.1;
  const ReportedRun c = reported(shifted, "c");
  const Report differ = comparison_report(a, c);
  EXPECT_EQ(section(differ, "verdict").mood, Mood::bad);
  EXPECT_TRUE(section(differ, "verdict").title.starts_with("The runs differ in 1 of 3 means: theta by "));
  const auto& theta = section(differ, "means").table.value().rows.at(1);
  const Summary &x = a.summary.rows[1].values, &y = c.summary.rows[1].values;
  EXPECT_DOUBLE_EQ(std::get<double>(theta.at(3).value),
                   std::abs(x.mean - y.mean) / std::hypot(x.mcse_mean, y.mcse_mean));
  EXPECT_TRUE(theta.at(3).alarming);
  EXPECT_TRUE(has_section(differ, "first-mixing"));
  EXPECT_TRUE(has_section(differ, "second-mixing"));
}

RunManifest logistic_manifest(const char* data, double prior) {
  RunManifest manifest;
  manifest.asked.set("model", "logistic");
  manifest.asked.set("data", data);
  manifest.asked.set("prior-scale", prior);
  return manifest;
}

TEST_F(ComparisonReport, RunsOfDifferentDataAreNotCompared) {
  ReportedRun a = reported(good_chains(), "a"), b = reported(good_chains(), "b");
  a.manifest = logistic_manifest("a.csv", 1.0);
  b.manifest = logistic_manifest("b.csv", 1.0);
  const Report r = comparison_report(a, b);
  EXPECT_EQ(r.sections.at(0).title, "The runs are of different data: their estimates are not compared");
  EXPECT_EQ(r.sections.at(0).mood, Mood::caution);
  EXPECT_EQ(r.sections.at(1).id, "settings") << "what differs comes first";
  EXPECT_TRUE(r.sections.at(1).lead);
  const auto& row = r.sections.at(1).table.value().rows.at(0);
  EXPECT_EQ(row.at(0).text, "data");
  EXPECT_EQ(row.at(1).text, "a.csv");
  EXPECT_EQ(row.at(2).text, "b.csv");
  EXPECT_FALSE(has_section(r, "means"));
  EXPECT_FALSE(has_section(r, "differences"));
  b.manifest->asked.set("model", "gaussian");
  EXPECT_EQ(comparison_report(a, b).sections.at(0).title,
            "The runs are of different models: their estimates are not compared");
}

TEST_F(ComparisonReport, APriorMovesMeansWithoutBeingAnError) {
  ReportedRun a = reported(good_chains(), "a");
  auto shifted = good_chains();
  for (auto& chain : shifted) chain.shift = 0.1;
  ReportedRun b = reported(shifted, "b");
  a.manifest = logistic_manifest("a.csv", 1.0);
  b.manifest = logistic_manifest("a.csv", 2.0);
  const Report r = comparison_report(a, b);
  const ReportSection verdict = section(r, "verdict");
  EXPECT_EQ(verdict.mood, Mood::caution) << "not bad";
  const Summary &x = a.summary.rows[1].values, &y = b.summary.rows[1].values;
  EXPECT_EQ(verdict.title, fmt::format("With the other prior no mean moves by more than {:.2g} posterior standard "
                                       "deviations (theta)",
                                       std::abs(x.mean - y.mean) / std::max(x.sd, y.sd)));
  EXPECT_TRUE(has_section(r, "means"));
  EXPECT_EQ(section(r, "means").table.value().rows.front().front().text, "theta") << "lp__ has the prior in it";
  EXPECT_EQ(section(r, "settings").title, "The runs differ in prior-scale alone");
}

TEST_F(ComparisonReport, TwoRunsMayDifferInTheirSeedsAlone) {
  ReportedRun a = reported(good_chains(), "a"), b = reported(good_chains(), "b");
  a.manifest = b.manifest = logistic_manifest("a.csv", 1.0);
  b.manifest->seed = 7;
  const Report r = comparison_report(a, b);
  EXPECT_EQ(section(r, "settings").title, "Nothing differs but the seed");
  EXPECT_TRUE(section(r, "verdict").title.starts_with("The runs agree")) << section(r, "verdict").title;
  b.manifest->seed = a.manifest->seed;
  EXPECT_EQ(section(comparison_report(a, b), "settings").title,
            "Nothing differs: the runs have the same settings, and the same seed");
}

TEST_F(ComparisonReport, AComparisonSaysWhatOnlyOneHas) {
  const ReportedRun a = reported(good_chains(), "a");
  ReportedRun b = a;
  b.name = "b";
  b.summary.rows[2].name = "other";
  const ReportSection verdict = section(comparison_report(a, b), "verdict");
  EXPECT_EQ(verdict.text, (std::vector<std::string>{"Only a has w[1].", "Only b has other."}));
}

}  // namespace
}  // namespace darboux

#include "report/run_differences.hpp"

#include <gtest/gtest.h>

namespace darboux {
namespace {

using Texts = std::vector<std::string>;

RunManifest manifest_of(std::initializer_list<std::pair<const char*, ValueTree>> asked) {
  RunManifest manifest;
  manifest.seed = 1;
  for (const auto& [key, value] : asked) manifest.asked.set(key, value);
  return manifest;
}

Texts names(const std::vector<RunDifference>& all) {
  Texts found;
  for (const RunDifference& one : all) found.push_back(one.name);
  return found;
}

TEST(RunDifferences, ComeInTheOrderInWhichTheyMatter) {
  RunManifest a =
      manifest_of({{"model", "logistic"}, {"data", "a.csv"}, {"prior-scale", 1.0}, {"draws", 100}, {"steps", 3}});
  RunManifest b =
      manifest_of({{"model", "logistic"}, {"data", "b.csv"}, {"prior-scale", 2.0}, {"draws", 200}, {"steps", 4}});
  b.seed = 2;
  const auto found = differences(a, b);
  EXPECT_EQ(names(found), (Texts{"data", "prior-scale", "steps", "draws", "seed"}));
  EXPECT_EQ(found[1].first, "1");
  EXPECT_EQ(found[1].second, "2");
  EXPECT_TRUE(differ_in(found, SettingKind::data));
  EXPECT_FALSE(differ_in(found, SettingKind::model));
  EXPECT_EQ(target_differences(found), "data (a.csv and b.csv), prior-scale (1 and 2)");
}

TEST(RunDifferences, LeaveOutWhatNoDrawDependsOn) {
  const RunManifest a = manifest_of({{"out", "a"}, {"threads", 1}, {"quiet", true}, {"log", "x"}, {"format", "csv"}});
  EXPECT_TRUE(differences(a, manifest_of({{"out", "b"}, {"threads", 2}})).empty());
  RunManifest chosen = manifest_of({{"structure", "auto"}});
  chosen.decided.set("structure", "canonical");
  chosen.decided.set("structure_reason", "it was measured");
  EXPECT_TRUE(differences(chosen, manifest_of({{"structure", "canonical"}})).empty());
}

TEST(RunDifferences, CountFilesByTheirContents) {
  RunManifest a = manifest_of({{"data", "a.csv"}}), b = manifest_of({{"data", "copy.csv"}});
  a.inputs.set("data", "crc32 1");
  b.inputs.set("data", "crc32 1");
  EXPECT_TRUE(differences(a, b).empty()) << "the same under another name";
  b = manifest_of({{"data", "a.csv"}});
  b.inputs.set("data", "crc32 2");
  const auto found = differences(a, b);
  ASSERT_EQ(found.size(), 1U) << "another under the same name";
  EXPECT_EQ(found[0].first, "a.csv (crc32 1)");
  EXPECT_EQ(found[0].second, "a.csv (crc32 2)");
}

TEST(RunDifferences, CompareWhatWasDecidedWhereNothingWasAsked) {
  RunManifest a = manifest_of({{"trajectory", "nuts"}}), b = manifest_of({});
  a.decided.set("trajectory", "nuts");
  b.decided.set("trajectory", "nuts");
  EXPECT_TRUE(differences(a, b).empty());
  b.decided.set("trajectory", "jittered");
  b.decided.set("step_size", 0.5);
  const auto found = differences(a, b);
  EXPECT_EQ(names(found), (Texts{"step-size", "trajectory"}));
  EXPECT_EQ(found[0].first, "");
  EXPECT_EQ(target_differences(found), "") << "the distribution is the same";
}

/// How many parameters there are is a difference of its own where somebody asked for it, or nothing else explains it.
TEST(RunDifferences, LeaveOutDimensionsThatFollowFromTheData) {
  RunManifest a = manifest_of({{"model", "logistic"}, {"data", "a.csv"}, {"prior-scale", 1.0}});
  RunManifest b = manifest_of({{"model", "logistic"}, {"data", "b.csv"}, {"prior-scale", 2.0}});
  a.decided.set("dimension", 3);
  b.decided.set("dimension", 4);
  EXPECT_EQ(names(differences(a, b)), (Texts{"data", "prior-scale"}));
  EXPECT_EQ(different_targets(differences(a, b)), "data and priors");
  b.asked.set("data", "a.csv");
  EXPECT_EQ(names(differences(a, b)), (Texts{"dimension", "prior-scale"})) << "another file of that name";
  EXPECT_EQ(different_targets(differences(a, b)), "models");
  const RunManifest narrow = manifest_of({{"model", "gaussian"}, {"dimension", 2}});
  const RunManifest wide = manifest_of({{"model", "skewed"}, {"dimension", 3}});
  EXPECT_EQ(names(differences(narrow, wide)), (Texts{"dimension", "model"}));
  EXPECT_EQ(different_targets(differences(narrow, narrow)), "");
}

}  // namespace
}  // namespace darboux

#include "report/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "darboux/core/random.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;

/// Outcomes that happen with probability f(p), where p is predicted.
template <class F>
ObservationSummary outcomes(std::size_t count, std::uint64_t seed, F f) {
  RandomStream random({.seed = seed});
  ObservationSummary out;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = random.uniform();
    const bool happened = random.uniform() < f(p);
    out.observed.push_back(happened ? 1.0 : 0.0);
    out.likelihood.push_back(happened ? p : 1.0 - p);
  }
  return out;
}

TEST(Calibration, BinsHaveEqualNumbersAndIntervalsAreThoseOfClopperAndPearson) {
  ObservationSummary few;
  for (int i = 0; i < 40; ++i) {  // 0.1 and 0.7 are predicted; of the first 3 of 20 happened, of the second none
    const double p = i % 2 == 0 ? 0.1 : 0.7, y = i < 6 && i % 2 == 0 ? 1.0 : 0.0;
    few.observed.push_back(y);
    few.likelihood.push_back(y == 1.0 ? p : 1.0 - p);
  }
  const auto bins = calibration_bins(few);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].count, 20);
  EXPECT_EQ(bins[0].ones, 3);
  EXPECT_NEAR(bins[0].predicted, 0.1, 1e-14);
  EXPECT_NEAR(bins[1].predicted, 0.7, 1e-14);
  EXPECT_EQ(bins[1].low, 0.0);
  EXPECT_NEAR(std::pow(1.0 - bins[1].high, 20), 0.0025, 1e-12);  // half of 1 % by two bins: none of 20 would happen
  EXPECT_TRUE(bins[0].agrees());
  EXPECT_FALSE(bins[1].agrees());
}

TEST(Calibration, EqualPredictionsAreInOneBin) {
  ObservationSummary same;
  for (int i = 0; i < 300; ++i) {
    same.observed.push_back(i % 2);
    same.likelihood.push_back(i < 250 ? 0.5 : i % 2 == 1 ? 0.9 : 0.1);
  }
  const auto bins = calibration_bins(same);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].count, 250);
  EXPECT_EQ(bins[1].count, 50);
}

/// Of data sets whose outcomes have the probabilities that were predicted, at most one of a hundred raises an alarm.
TEST(Calibration, RaisesFewAlarmsWherePredictionsAreRightAndManyWhereTheyAreNot) {
  constexpr int sets = 400;
  int alarms = 0, noticed = 0;
  const auto is_alarm = [](const std::vector<CalibrationBin>& bins) {
    for (const CalibrationBin& bin : bins)
      if (!bin.agrees()) return true;
    return false;
  };
  for (int i = 0; i < sets; ++i) {
    const auto seed = static_cast<std::uint64_t>(i + 1);
    alarms += is_alarm(calibration_bins(outcomes(500, seed, [](double p) { return p; })));
    noticed += is_alarm(calibration_bins(outcomes(500, seed, [](double p) { return 0.25 + 0.5 * p; })));
  }
  EXPECT_LE(alarms, 4 + 5 * 2);  // 4 ± 2 at most, five deviations
  EXPECT_GT(noticed, sets * 9 / 10);
}

TEST(Calibration, OfOtherThingsThanZerosAndOnesIsNone) {
  ObservationSummary counts = outcomes(100, 1, [](double p) { return p; });
  EXPECT_FALSE(calibration_bins(counts).empty());
  counts.observed[3] = 2.0;
  EXPECT_TRUE(calibration_bins(counts).empty());
  ObservationSummary unknown = outcomes(100, 1, [](double p) { return p; });
  unknown.likelihood.clear();
  EXPECT_TRUE(calibration_bins(unknown).empty());
  EXPECT_TRUE(calibration_bins(outcomes(19, 1, [](double p) { return p; })).empty());
  EXPECT_TRUE(calibration_bins({}).empty());
}

TEST(Calibration, TheReportSaysWhetherPredictionsAgree) {
  const auto good = calibration_section(outcomes(500, 3, [](double p) { return p; }));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->title, "What was predicted happened as often as predicted");
  EXPECT_EQ(std::get<0>(good->figures.at(0).data.at(4).values), std::vector<double>(10, 50.0));  // count
  const auto bad = calibration_section(outcomes(500, 3, [](double p) { return 0.25 + 0.5 * p; }));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->mood, Mood::caution);
  EXPECT_TRUE(mentions(bad->title, {"by more than chance", "of 10 groups"}));
  EXPECT_FALSE(calibration_section({}));
}

/// Labels of groups that lie close together would cover each other.
TEST(Calibration, CountsAreWrittenWhereThereIsRoom) {
  ObservationSummary narrow = outcomes(500, 3, [](double p) { return p; });
  for (std::size_t i = 0; i < narrow.likelihood.size(); ++i) {
    const double p = 0.5 + 0.1 * static_cast<double>(i) / 500.0;  // ten groups, 0.01 apart
    narrow.likelihood[i] = narrow.observed[i] == 1.0 ? p : 1.0 - p;
  }
  const auto section = calibration_section(narrow);
  ASSERT_TRUE(section);
  const auto& column = section->figures.at(0).data.at(6);
  EXPECT_EQ(column.name, "label");
  const auto& labels = std::get<std::vector<std::string>>(column.values);
  ASSERT_EQ(labels.size(), 10U);
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], i % 8 == 0 ? "50" : "") << i;
}

}  // namespace
}  // namespace darboux

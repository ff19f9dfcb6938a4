#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "data/generated_sets.hpp"
#include "io/csv.hpp"
#include "io/file.hpp"
#include "model/logistic_data.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
const fs::path folder = DARBOUX_SOURCE_DIR "/data";

struct Listed {
  std::string name;
  Index rows = 0, columns = 0, training_rows = 0;
};

std::vector<Listed> listed_sets() {
  const CsvTable table = read_csv(folder / "sets.csv");
  const auto entry = [&](const char* column, std::size_t i) {
    return static_cast<Index>(table.find(column)->numbers[i]);
  };
  std::vector<Listed> sets;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i) {
    const CsvColumn& names = *table.find("name");
    sets.push_back({.name = names.levels[static_cast<std::size_t>(names.codes[i])],
                    .rows = entry("rows", i),
                    .columns = entry("columns", i),
                    .training_rows = entry("training_rows", i)});
  }
  return sets;
}

CsvTable set_named(const std::string& name) { return read_csv(folder / (name + ".csv")); }

/// Number of rows in which all the named columns have these values.
Index count(const CsvTable& table, const std::map<std::string, double>& values) {
  Index found = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i)
    if (std::ranges::all_of(values, [&](const auto& one) { return table.find(one.first)->numbers[i] == one.second; }))
      ++found;
  return found;
}

TEST(DataSets, TheListNamesTheTwelveFilesAndNoOther) {
  std::vector<std::string> listed{"sets.csv"}, present;
  for (const Listed& set : listed_sets()) listed.push_back(set.name + ".csv");
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".csv") present.push_back(entry.path().filename());
  std::ranges::sort(listed);
  std::ranges::sort(present);
  EXPECT_EQ(listed.size(), 13U);
  EXPECT_EQ(listed, present);
}

/// The loader refuses labels other than 0 and 1, one label only, missing or infinite values and constant columns.
TEST(DataSets, EachIsARegressionOfTheShapeThatTheListSays) {
  for (const Listed& set : listed_sets()) {
    SCOPED_TRACE(set.name);
    const CsvTable table = set_named(set.name);
    EXPECT_EQ(table.rows, set.rows);
    EXPECT_TRUE(0 < set.training_rows && set.training_rows <= set.rows);
    std::vector<std::string> names{"intercept"};
    for (Index k = 1; k <= set.columns; ++k) names.push_back("x" + std::to_string(k));
    const auto model = logistic_from_table(table);
    EXPECT_EQ(model.response(), "y");
    EXPECT_EQ(model.names(), names);
  }
}

TEST(DataSets, LabelsAreAsOftenOneAsTheSourcesSay) {
  const std::map<std::string, Index> ones{{"breast-cancer", 81}, {"diabetis", 268}, {"german", 700},
                                          {"heart", 120},        {"image", 1320},   {"ripley", 125},
                                          {"splice", 1532},      {"thyroid", 65},   {"titanic", 711}};
  for (const auto& [name, expected] : ones) EXPECT_EQ(count(set_named(name), {{"y", 1}}), expected) << name;
}

TEST(DataSets, TitanicHasTheCountsOfTheInquiry) {
  const CsvTable titanic = set_named("titanic");
  constexpr std::array<Index, 4> aboard{325, 285, 706, 885}, saved{203, 118, 178, 212};  // first, second, third, crew
  for (std::size_t k = 0; k < 4; ++k) {
    const auto place = static_cast<double>(k);
    EXPECT_EQ(count(titanic, {{"x1", place}}), aboard[k]);
    EXPECT_EQ(count(titanic, {{"x1", place}, {"y", 1}}), saved[k]);
  }
  EXPECT_EQ(count(titanic, {{"x2", 1}}), 109);  // children
  EXPECT_EQ(count(titanic, {{"x3", 0}}), 470);  // women and girls
  EXPECT_EQ(count(titanic, {{"x1", 0}, {"x2", 0}, {"x3", 0}, {"y", 0}}), 4);
}

/// After an exon stands GT, before one AG: all but 9 of the 1532 sites have one of these in its place.
TEST(DataSets, SpliceHasTheBasesOfSpliceSitesWhereTheyBelong) {
  const CsvTable splice = set_named("splice");
  const auto with_either = [&](double y) {
    constexpr double a = 1, g = 2, t = 4;
    return count(splice, {{"y", y}, {"x31", g}, {"x32", t}}) + count(splice, {{"y", y}, {"x29", a}, {"x30", g}}) -
           count(splice, {{"y", y}, {"x29", a}, {"x30", g}, {"x31", g}, {"x32", t}});
  };
  EXPECT_EQ(with_either(1), 1523);
  EXPECT_LT(with_either(0), 1654 / 5);
}

TEST(DataSets, ValuesAreAsOftenThereAsTheSourcesSay) {
  const CsvTable cancer = set_named("breast-cancer");
  EXPECT_EQ(count(cancer, {{"x2", 1}}), 5);   // menopause before 40
  EXPECT_EQ(count(cancer, {{"x5", 1}}), 56);  // node caps: yes
  EXPECT_EQ(count(cancer, {{"x9", 1}}), 62);  // irradiated: yes
  const CsvTable diabetis = set_named("diabetis");
  EXPECT_EQ(count(diabetis, {{"x2", 0}}), 5);                // no glucose: not measured
  EXPECT_EQ(count(diabetis, {{"x5", 0}}), 374);              // nor insulin
  EXPECT_EQ(count(set_named("heart"), {{"x2", 1}}), 183);    // men
  EXPECT_EQ(count(set_named("german"), {{"x4", 10}}), 12);   // purpose: others
  EXPECT_EQ(count(set_named("german"), {{"x20", 1}}), 963);  // foreign workers
}

TEST(DataSets, GeneratedOnesComeOutAsTheFilesAre) {
  for (const data::GeneratedSet& set : data::generated_sets)
    EXPECT_TRUE(data::csv_of(set, data::generated_rows) == read_text(folder / (std::string(set.name) + ".csv")))
        << set.name;
}

struct Moments {
  double mean = 0.0, variance = 0.0;
};

/// Five standard errors, from the number of rows in the class.
void expect_moments(const std::vector<data::Row>& rows, int y, std::size_t column, const Moments& expected) {
  double n = 0.0, first = 0.0, second = 0.0;
  for (const data::Row& row : rows) {
    if (row.y != y) continue;
    const double d = row.x[column] - expected.mean;
    n += 1.0, first += d, second += d * d;
  }
  EXPECT_NEAR(first / n, 0.0, 5.0 * std::sqrt(expected.variance / n)) << "mean of x" << column + 1 << ", y = " << y;
  EXPECT_NEAR(second / n, expected.variance, 5.0 * expected.variance * std::sqrt(2.0 / n))
      << "variance of x" << column + 1 << ", y = " << y;
}

class Generated : public ::testing::Test {
 protected:
  static constexpr std::uint64_t count = 20'000;
  static std::vector<data::Row> rows(std::size_t which) { return data::rows_of(data::generated_sets.at(which), count); }
  static void expect_share(const std::vector<data::Row>& rows, double share) {
    const auto ones = static_cast<double>(std::ranges::count(rows, 1, &data::Row::y));
    EXPECT_NEAR(ones / count, share, 5.0 * std::sqrt(share * (1.0 - share) / count));
  }
};

TEST_F(Generated, TwonormIsTwoUnitGaussiansApart) {
  const auto all = rows(0);
  expect_share(all, 0.5);
  for (std::size_t j = 0; j < 20; ++j)
    for (const int y : {0, 1})
      expect_moments(all, y, j, {.mean = (y == 1 ? 2.0 : -2.0) / std::sqrt(20.0), .variance = 1.0});
}

TEST_F(Generated, RingnormIsANarrowGaussianInsideAWideOne) {
  const auto all = rows(1);
  expect_share(all, 0.5);
  for (std::size_t j = 0; j < 20; ++j) {
    expect_moments(all, 0, j, {.mean = 2.0 / std::sqrt(20.0), .variance = 1.0});
    expect_moments(all, 1, j, {.mean = 0.0, .variance = 4.0});
  }
}

/// With U uniform, U s + (1 − U) t has the mean (s + t)/2 and the variance (s − t)²/12.
TEST_F(Generated, WaveformMixesTwoOfThreeTriangles) {
  const auto all = rows(2);
  expect_share(all, 1.0 / 3.0);
  for (int j = 0; j < 21; ++j) {
    const auto wave = [&](int peak) { return std::max(0.0, 6.0 - std::abs(j + 1 - peak)); };
    const auto mix = [](double s, double t) {
      return Moments{.mean = (s + t) / 2.0, .variance = 1.0 + (s - t) * (s - t) / 12.0};
    };
    const Moments near = mix(wave(7), wave(15)), far = mix(wave(11), wave(15));
    const double apart = near.mean - far.mean;
    expect_moments(all, 1, static_cast<std::size_t>(j), mix(wave(7), wave(11)));
    expect_moments(
        all, 0, static_cast<std::size_t>(j),
        {.mean = (near.mean + far.mean) / 2.0, .variance = (near.variance + far.variance) / 2.0 + apart * apart / 4.0});
  }
}

}  // namespace
}  // namespace darboux

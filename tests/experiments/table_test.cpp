#include <gtest/gtest.h>

#include <cmath>
#include <experiments/table.hpp>
#include <limits>
#include <stdexcept>

namespace darboux::experiments {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Table example() {
  Table table;
  append_row(table, {{"set", "german"}, {"run", 1}, {"ess", 10.5}});
  append_row(table, {{"set", "heart"}, {"run", 1}, {"ess", nan}});
  append_row(table, {{"set", "german"}, {"run", 2}, {"ess", 1.0 / 3.0}});
  return table;
}

TEST(Table, RowsMustHaveTheColumnsOfTheirTable) {
  Table table = example();
  EXPECT_EQ(row_count(table), 3);
  EXPECT_THROW(append_row(table, {{"set", "x"}, {"run", 1}}), std::logic_error);
  EXPECT_THROW(append_row(table, {{"set", "x"}, {"ess", 1}, {"run", 1}}), std::logic_error);
  EXPECT_THROW((void)numbers(table, "set"), std::logic_error);
  EXPECT_THROW((void)texts(table, "ess"), std::logic_error);
  EXPECT_THROW((void)numbers(table, "other"), std::logic_error);
}

TEST(Table, ConditionsChooseRows) {
  const Table table = example();
  EXPECT_EQ(numbers_where(table, "run", {{"set", "german"}}), (std::vector<double>{1, 2}));
  EXPECT_EQ(numbers_where(table, "ess", {{"set", "german"}, {"run", 1}}), (std::vector<double>{10.5}));
  EXPECT_EQ(row_count(where(table, {{"set", "other"}})), 0);
  EXPECT_EQ(levels(table, "set"), (std::vector<std::string>{"german", "heart"}));
  EXPECT_EQ(select(table, {{"ess", "value"}}).front().name, "value");
}

TEST(Table, JsonKeepsEveryBitAndWhatIsNotKnown) {
  Tables tables{{"runs", example()}};
  const Tables back = tables_from_json(nlohmann::ordered_json::parse(to_json(tables).dump()));
  EXPECT_EQ(texts(back.at("runs"), "set"), texts(tables.at("runs"), "set"));
  EXPECT_EQ(numbers(back.at("runs"), "ess")[2], 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(numbers(back.at("runs"), "ess")[1]));
}

TEST(Table, CsvIsTidyAndQuotesWhatItMust) {
  Table table;
  append_row(table, {{"method", "a, \"b\""}, {"ess", nan}});
  append_row(table, {{"method", "c"}, {"ess", 0.1}});
  EXPECT_EQ(to_csv(table), "method,ess\n\"a, \"\"b\"\"\",\nc,0.1\n");
}

TEST(Table, MediansOfOddAndEvenNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median({nan, 3, nan, 1, 2}), 2);
  EXPECT_EQ(mean({1, 2, 6}), 3);
}

TEST(Table, TablesAreJoinedByTheNamesOfTheirColumns) {
  Table table = example();
  append(table, example());
  EXPECT_EQ(row_count(table), 6);
  EXPECT_EQ(numbers(table, "run")[5], 2);
  Table other;
  append_row(other, {{"ess", 1}});
  EXPECT_THROW(append(table, other), std::logic_error);
}

}  // namespace
}  // namespace darboux::experiments

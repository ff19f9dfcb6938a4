#include "model/regression_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "darboux/core/error.hpp"
#include "io/file.hpp"
#include "model/logistic_data.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;
using Names = std::vector<std::string>;
using Point = std::vector<double>;

StandardisedLogistic from_text(std::string_view text, const RegressionOptions& options = {}) {
  return logistic_from_table(parse_csv(text, "a.csv"), options);
}
std::string refusal(std::string_view text, const RegressionOptions& options = {}) {
  return message_of<InputError>([&] { (void)from_text(text, options); });
}

/// A file, for what is decided while one is read.
struct TemporaryTable {
  explicit TemporaryTable(std::string_view text)
      : file((std::filesystem::temp_directory_path() / fmt::format("darboux-table-{}.csv", ::getpid())).string()) {
    write_text(file, text);
  }
  TemporaryTable(const TemporaryTable&) = delete;
  TemporaryTable& operator=(const TemporaryTable&) = delete;
  ~TemporaryTable() { std::filesystem::remove(file); }
  std::string file;
};

/// By the names of columns, before any of them is read.
TEST(RegressionTable, ColumnsAreChosen) {
  const auto names = [](const RegressionOptions& options) {
    const TemporaryTable table("id,y,age,sex\nx1,1,30,m\n3,0,40,f\nx2,0,51,m\n");
    return logistic_from_file(table.file, options).names();
  };
  const auto refused = [&](const RegressionOptions& options) {
    return message_of<InputError>([&] { (void)names(options); });
  };
  EXPECT_EQ(names({.drop = {"id"}}), (Names{"intercept", "age", "sex[m]"})) << "id is a mess, and not read";
  EXPECT_EQ(names({.columns = {"sex"}}), (Names{"intercept", "sex[m]"}));
  EXPECT_EQ(names({.columns = {"y", "age"}}), (Names{"intercept", "age"})) << "the outcome may be among them";
  EXPECT_EQ(names({.drop = {"id"}, .reference = {"sex=m"}}), (Names{"intercept", "age", "sex[f]"}));
  EXPECT_TRUE(mentions(refused({}), {"column id"}));
  EXPECT_TRUE(mentions(refused({.columns = {"aeg"}}), {"columns = aeg", "did you mean \"age\"?"}));
  EXPECT_TRUE(mentions(refused({.drop = {"idd"}}), {"drop = idd", "did you mean \"id\"?"}));
  EXPECT_TRUE(mentions(refused({.response = "sex", .drop = {"id", "sex"}}), {"drop = sex: it is the outcome"}));
  EXPECT_TRUE(mentions(refused({.columns = {"id", "age"}, .drop = {"id"}}), {"id is in columns and in drop"}));
  EXPECT_TRUE(mentions(refused({.drop = {"id"}, .reference = {"sex=x"}}),
                       {"reference = sex=x", "unknown level of column sex", "f, m"}));
  EXPECT_TRUE(mentions(refused({.drop = {"id"}, .reference = {"age=3"}}), {"reference = age=3", "of numbers"}));
  EXPECT_TRUE(
      mentions(refused({.drop = {"id"}, .reference = {"sxe=m"}}), {"reference = sxe=m", "did you mean \"sex\"?"}));
  EXPECT_TRUE(mentions(refused({.drop = {"id"}, .reference = {"sex"}}), {"reference = sex: must be COLUMN=LEVEL"}));
}

/// A file says with quotes what needs none to be read; so the column is named.
TEST(RegressionTable, NumbersMayBeLevelsOfACategory) {
  const TemporaryTable table("y,class,age\n1,\"10\",30\n0,\"3\",40\n0,\"2\",51\n1,\"3\",50\n");
  const auto names = [&](const RegressionOptions& options) { return logistic_from_file(table.file, options).names(); };
  const auto refused = [&](const RegressionOptions& options) {
    return message_of<InputError>([&] { (void)names(options); });
  };
  EXPECT_EQ(names({}), (Names{"intercept", "class", "age"}));
  EXPECT_EQ(names({.category = {"class"}}), (Names{"intercept", "class[3]", "class[10]", "age"}));
  EXPECT_EQ(names({.category = {"class"}, .reference = {"class=3"}}),
            (Names{"intercept", "class[2]", "class[10]", "age"}));
  EXPECT_TRUE(mentions(refused({.reference = {"class=3"}}), {"of numbers and has no levels: --category class if"}));
  EXPECT_TRUE(mentions(refused({.category = {"clas"}}), {"category = clas", "did you mean \"class\"?"}));
  EXPECT_TRUE(
      mentions(refused({.drop = {"class"}, .category = {"class"}}), {"category = class: the column is left out"}));
  EXPECT_TRUE(mentions(refused({.columns = {"age"}, .category = {"class"}}), {"category = class: the column is left"}));
}

/// One that is adorned is no number; all of them are no category.
TEST(RegressionTable, NumbersThatAreAdornedAreNoCategory) {
  const auto table = [](std::string_view first, std::string_view second) {
    return fmt::format("y,pay\n1,\"{0}\"\n0,\"{1}\"\n0,\"{0}\"\n1,\"{1}\"\n", first, second);
  };
  for (const auto& [first, second] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"1 000", "2 000"},
                                                                  {"21.109,50", "1.200,00"},
                                                                  {"45%", "5 %"},
                                                                  {"$12", "$1,000"},
                                                                  {"1 000", "200"},
                                                                  {"-1'000", "+1'000"},
                                                                  {"12 €", "€3"},
                                                                  {"1\u00a0000", "2\u202f000"}})
    EXPECT_TRUE(
        mentions(refusal(table(first, second)), {"column pay holds numbers with more to them", "--category pay"}))
        << first;
  for (const auto& [first, second] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"10-20", "20-30"}, {"45%", "none"}, {"%", "$"}, {"-", "+"}, {"1a", "2a"}})
    EXPECT_EQ(from_text(table(first, second)).names().size(), 2U) << first;
  EXPECT_EQ(from_text(table("45%", "5 %"), {.category = {"pay"}}).names(), (Names{"intercept", "pay[5 %]"}));
}

/// Whole numbers of few values, each in some rows: they may be amounts as well.
TEST(RegressionTable, AsksWhetherFewWholeNumbersAreNames) {
  const auto asked = [](int values, double step, int rows) {
    std::string text = "y,age,class\n", notes;
    for (int i = 0; i < rows; ++i) text += fmt::format("{},{},{}\n", i % 3 == 0, 0.5 + i, 1 + step * (i % values));
    for (const ModelFact& fact : from_text(text).describe()) notes += fact.note;
    return notes.find("--category class if its few values are names, not amounts") != std::string::npos;
  };
  EXPECT_TRUE(asked(3, 1.0, 60));
  EXPECT_TRUE(asked(10, 1.0, 60));
  EXPECT_FALSE(asked(11, 1.0, 60));
  EXPECT_FALSE(asked(2, 1.0, 60));
  EXPECT_FALSE(asked(3, 0.5, 60));
  EXPECT_FALSE(asked(10, 1.0, 49));
}

TEST(RegressionTable, RowsWithMissingValuesAreLeftOutWhereAsked) {
  const std::string_view text = "y,x,g\n1,2,a\n0,NA,b\n1,3,?\n0,4,c\n1,5,a\n";
  const auto model = from_text(text, {.na = MissingValues::drop});
  EXPECT_EQ(model.names(), (Names{"intercept", "x", "g[c]"})) << "b is in none of the rows that stay";
  EXPECT_EQ(model.standardised().signs(), (Point{1, -1, 1}));
  EXPECT_EQ(model.kept_data()[1].values, (Point{1, 2, 0, 1, 4, 1, 1, 5, 0}));
  EXPECT_TRUE(mentions(refusal("y,x\n0,2\n0,\n1,inf\n", {.na = MissingValues::drop}), {"a.csv:4, column x is inf"}))
      << "lines are still those of the file";
  EXPECT_TRUE(mentions(refusal("y,x\n1,\n0,\n", {.na = MissingValues::drop}), {"every row lacks a value"}));
}

}  // namespace
}  // namespace darboux

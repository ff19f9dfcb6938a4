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

#include "model/table_facts.hpp"

#include <gtest/gtest.h>

#include "core/archive.hpp"
#include "darboux/core/error.hpp"
#include "model/regression_table.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

const std::string header = "y,x,n,g,id\n";
const std::vector<std::string> rows{"yes,1.5,0,b,7\n", "no,2.5,1,b,8\n", "no,-1,1,c,9\n",
                                    "yes,4,0,a,10\n",  "yes,3,0,b,11\n", "no,1.5,1,a,12\n"};

CsvTable part(std::size_t first, std::size_t end) {
  std::string text = header;
  for (std::size_t i = first; i < end; ++i) text += rows[i];
  return parse_csv(text, "a.csv");
}

/// What is decided by the parts of a table is what is decided by all of it, wherever it is cut.
TEST(TableFacts, OfPartsAddUp) {
  TableFacts whole = facts_of(part(0, rows.size()));
  const std::vector<Index> rows_of_g{2, 3, 1};
  EXPECT_EQ(whole.find("g")->rows, rows_of_g);
  EXPECT_EQ(whole.find("n")->values, (std::vector<double>{0, 1}));
  EXPECT_EQ(whole.find("n")->rows, (std::vector<Index>{3, 3}));
  EXPECT_TRUE(whole.find("id")->counts_rows);
  EXPECT_FALSE(whole.find("x")->counts_rows);
  for (std::size_t cut = 1; cut < rows.size(); ++cut)
    for (std::size_t other = cut; other < rows.size(); ++other) {
      TableFacts sum = facts_of(part(0, cut));
      for (const auto& [first, end] : {std::pair(cut, other), std::pair(other, rows.size())})
        if (end > first) add_part(sum, facts_of(part(first, end)));
      for (ColumnFacts& column : sum.columns) column.no_zero_or_one.clear();  // lines of the parts
      TableFacts expected = whole;
      for (ColumnFacts& column : expected.columns) column.no_zero_or_one.clear();
      EXPECT_EQ(bytes_of(sum), bytes_of(expected)) << cut << ", " << other;
    }
}

TEST(TableFacts, NumbersAndTextDoNotMix) {
  TableFacts numbers = facts_of(parse_csv("y,g\n0,1\n1,2\n", "part-1.csv"));
  const TableFacts text = facts_of(parse_csv("y,g\n0,a\n1,b\n", "part-2.csv"));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { add_part(numbers, text); }),
                       {"column g", "of numbers (1, part-1.csv:2", "text", "\"a\", part-2.csv:2"}));
  TableFacts missing = facts_of(parse_csv("y,g\n0,\n1,NA\n", "part-1.csv"));
  add_part(missing, text);
  EXPECT_EQ(missing.find("g")->levels, (std::vector<std::string>{"a", "b"})) << "what is missing is neither";
  EXPECT_EQ(missing.missing, 2);
  EXPECT_EQ(missing.first_missing, "part-1.csv:2, column g");
}

/// Of parts that have other levels, too.
TEST(TableFacts, LevelsThatAreNumbersHaveTheirOrder) {
  const auto facts = [](std::string_view text) { return facts_of(parse_csv(text, "a.csv", {.texts = {"g"}})); };
  using Levels = std::vector<std::string>;
  TableFacts sum = facts("y,g\n0,10\n1,2\n1,10\n");
  EXPECT_EQ(sum.find("g")->levels, (Levels{"2", "10"}));
  EXPECT_EQ(sum.find("g")->rows, (std::vector<Index>{1, 2}));
  add_part(sum, facts("y,g\n0,9\n1,10\n"));
  EXPECT_EQ(sum.find("g")->levels, (Levels{"2", "9", "10"}));
  EXPECT_EQ(sum.find("g")->rows, (std::vector<Index>{1, 1, 3}));
  add_part(sum, facts("y,g\n0,9b\n"));
  EXPECT_EQ(sum.find("g")->levels, (Levels{"10", "2", "9", "9b"})) << "of bytes where one is no number";
  EXPECT_EQ(sum.find("g")->rows, (std::vector<Index>{3, 1, 1, 1}));
}

TEST(TableFacts, PlacesAreThoseOfTheFirstPart) {
  TableFacts first = facts_of(parse_csv("y,x\n0,1\n1,2\n", "part-1.csv"));
  add_part(first, facts_of(parse_csv("y,x\n0,1\n2,inf\n", "part-2.csv")));
  add_part(first, facts_of(parse_csv("y,x\n3,inf\n1,2\n", "part-3.csv")));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)regression_table(first, {}); }),
                       {"part-2.csv:3, column y is 2: the response must be 0 or 1"}));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)regression_table(first, {.response = "x"}); }),
                       {"part-1.csv:3, column x is 2"}));
  EXPECT_EQ(first.find("x")->no_finite_value, "part-2.csv:3, column x is inf");
}

}  // namespace
}  // namespace darboux

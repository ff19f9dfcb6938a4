#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "io/csv.hpp"
#include "support/expect.hpp"

/// Tables that are not plain commas, points and UTF-8.
namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = std::vector<std::int32_t>;
using Rows = std::vector<Index>;

CsvTable parse(std::string_view text) { return parse_csv(text, "a.csv"); }
std::string refusal(std::string_view text) {
  return message_of<InputError>([&] { (void)parse(text); });
}

TEST(CsvDialects, LinesWithoutValuesAndCommentsArePassedOver) {
  const CsvTable table = parse("# made by \"hand\n\n  \nx,g\n1,a\n\n,\n# 3,c\n2,#b\n#N/A,b\n,\n");
  EXPECT_EQ(table.columns[0].numbers.size(), 3U);
  EXPECT_EQ(table.columns[0].missing, (Rows{2})) << "#N/A is a value that is missing, no comment";
  EXPECT_EQ(table.columns[1].levels, (Texts{"#b", "a", "b"}));
  EXPECT_EQ(table.lines, (Rows{5, 9, 10})) << "of the file";
  EXPECT_EQ(table.remarks, (Texts{"Passed over: 2 lines that begin with #, the first on line 1.",
                                  "Passed over: 2 lines without values between others."}));
  EXPECT_TRUE(parse("x,y\n1,2\n\n,\n").remarks.empty()) << "at the end they are nothing to speak of";
  EXPECT_EQ(refusal("x,y\n1,2\n\"\",\"\"\n3\n"), "a.csv:4: 1 field, but the header has 2: every row must have as many");
  EXPECT_EQ(refusal("# nothing else"), "a.csv is empty: must begin with a line that names the columns");
}

TEST(CsvDialects, SeparatorIsWhatTheHeaderHasMostOf) {
  for (const char separator : {';', '\t', '|'}) {
    const std::string s(1, separator);
    const CsvTable table =
        parse("# a, b\nx" + s + "\"a,b,c\"" + s + " g \n1.5" + s + "2" + s + " u,v \n3" + s + s + "w\n");
    EXPECT_EQ(table.names(), (std::vector<std::string_view>{"x", "a,b,c", "g"})) << s;
    EXPECT_EQ(table.columns[0].numbers, (Numbers{1.5, 3.0}));
    EXPECT_EQ(table.columns[1].missing, (Rows{1}));
    EXPECT_EQ(table.columns[2].levels, (Texts{"u,v", "w"}));
    EXPECT_TRUE(mentions(table.remarks[0], {"separated by"}));
  }
  EXPECT_EQ(parse("a;b,c;d,e\n1,2,3\n").columns[1].name, "c;d") << "commas where there are as many";
  EXPECT_EQ(parse_csv("a;b,c\n1;2,3\n", "a.csv", {.separator = ','}).columns[0].name, "a;b");
  EXPECT_EQ(message_of<InputError>([] { (void)parse_csv("x;y\n\"a\"b;1\n", "a.csv"); }),
            "a.csv:2: text after a closing quote: a semicolon or the end of the line must follow");
}

TEST(CsvDialects, DecimalsAreSetOffByOneSignOnly) {
  const CsvTable table = parse_csv("x;y\n1,5;-2\n+3,25e1; ,5\n", "a.csv", {.decimal_comma = true});
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.5, 32.5}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{-2.0, 0.5}));
  EXPECT_EQ(refusal("x;y\n1,5;2\n"),
            "a.csv:2, column x: \"1,5\" is a number with a decimal comma, and decimals are set off by points here: "
            "must be one "
            "or the other, and nothing between thousands; --decimal comma reads it, and --drop leaves the column out");
  EXPECT_TRUE(mentions(refusal("x;y\n1;2\n1,5;2\n"), {"a.csv:3, column x", "1,5"}));
  EXPECT_TRUE(
      mentions(message_of<InputError>([] { (void)parse_csv("x;y\n1.5;2\n", "a.csv", {.decimal_comma = true}); }),
               {"a.csv:2, column x", "1.5", "--decimal point"}));
}

TEST(CsvDialects, TextThatIsNoUtf8IsReadAsWindows1252AndSaysSo) {
  const CsvTable table = parse(
      "Gr\xf6\xdf"
      "e,g\n1,caf\xe9\n2,\x80 5\n3,caf\xc3\xa9\n");
  EXPECT_EQ(table.columns[0].name, "Größe");
  EXPECT_EQ(table.columns[1].levels, (Texts{"café", "€ 5"})) << "the two cafés are one";
  EXPECT_EQ(table.columns[1].codes, (Codes{0, 1, 0}));
  EXPECT_EQ(table.remarks[0], "Not UTF-8: read as Windows-1252 (Latin-1); a column is \"Größe\".");
  EXPECT_EQ(table.remarks.size(), 2U);
  EXPECT_TRUE(parse("Größe,g\n1,€\n2,𝒳\n").remarks.empty());
}

TEST(CsvDialects, ColumnsThatAreNotWantedAreNotRead) {
  const auto wanted = [](std::span<const std::string> names) {
    std::vector<bool> out;
    for (const std::string& name : names) out.push_back(name != "mess");
    return out;
  };
  const CsvTable table = parse_csv("x,mess,g\n1,2,a\n3,text,b\n,\"1,5\",c\n", "a.csv", {.wanted = wanted});
  EXPECT_EQ(table.names(), (std::vector<std::string_view>{"x", "g"}));
  EXPECT_EQ(table.columns[1].levels, (Texts{"a", "b", "c"}));
  EXPECT_EQ(table.left_out, (Texts{"mess"}));
}

/// As R and pandas write them.
TEST(CsvDialects, NamesOfRowsAreLeftOut) {
  for (const std::string_view text :
       {"\"\",\"x\"\n\"1\",5\n\"2\",6\n", ",x\n0,5\n1,6\n", "\"\",x\nMazda RX4,5\nDatsun,6\n"}) {
    const CsvTable table = parse(text);
    EXPECT_EQ(table.names(), (std::vector<std::string_view>{"x"})) << text;
    EXPECT_TRUE(mentions(table.remarks[0], {"no name", "left out"}));
  }
  for (const std::string_view text : {",x\n1,5\n3,6\n", ",x\na,5\na,6\n", ",x\n1,5\n,6\n"})
    EXPECT_TRUE(mentions(refusal(text), {"a.csv:1: column 1 has no name"})) << text;
}

}  // namespace
}  // namespace darboux

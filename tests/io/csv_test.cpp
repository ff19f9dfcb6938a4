#include "io/csv.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "darboux/core/error.hpp"
#include "darboux/core/random.hpp"
#include "io/encoding.hpp"
#include "io/file.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;
using Codes = std::vector<std::int32_t>;
using Rows = std::vector<Index>;

CsvTable parse(std::string_view text, const CsvLimits& limits = {}) {
  return parse_csv(text, "a.csv", {.limits = limits});
}
std::string refusal(std::string_view text, const CsvLimits& limits = {}) {
  return message_of<InputError>([&] { (void)parse(text, limits); });
}

TEST(Csv, NumbersComeBackAsDoubles) {
  const CsvTable table = parse("x,y\n1,-2.5\n+3e2, .125 \n0.1,1e-300\n");
  EXPECT_EQ(table.rows, 3);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "x");
  EXPECT_EQ(table.columns[0].kind, CsvColumn::Kind::number);
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.0, 300.0, 0.1}));
  EXPECT_EQ(table.find("y")->numbers, (Numbers{-2.5, 0.125, 1e-300}));
  EXPECT_EQ(table.find("z"), nullptr);
  EXPECT_EQ(table.names(), (std::vector<std::string_view>{"x", "y"}));
  EXPECT_TRUE(table.columns[0].missing.empty() && table.columns[0].codes.empty());
}

TEST(Csv, NumbersAtTheEdgeOfTheirRange) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse("x\ninf\n-Infinity\n1.7976931348623157e308\n1e-400\n5e-324\n-1e-99999\n").columns[0].numbers,
            (Numbers{inf, -inf, std::numeric_limits<double>::max(), 0.0, 5e-324, 0.0}));
  EXPECT_EQ(refusal("x\n1\n-1e400\n"), "a.csv:3, column x: -1e400 is too large: numbers must lie within ±1.79e308");
  EXPECT_TRUE(mentions(refusal("x\n1\n1e99999\n"), {"a.csv:3", "too large"}));
}

TEST(Csv, WhatNoDoubleHoldsIsZeroOrRefusedByItsPowerOfTen) {
  const std::string zeros(400, '0');
  for (const std::string& small :
       {"." + zeros + "1", "-0." + zeros + "1e+50", "1" + zeros + "e-900", std::string("1e-99999999999999999999")})
    EXPECT_EQ(parse("x\n" + small + "\n").columns[0].numbers, Numbers{0.0}) << small;
  for (const std::string& large :
       {"1" + zeros, "-1" + zeros + ".5e-5", "0." + zeros + "1E+900", std::string("1e99999999999999999999")})
    EXPECT_TRUE(mentions(refusal("x\n" + large + "\n"), {"a.csv:2", "too large"})) << large;
}

TEST(Csv, TextColumnsAreSortedLevels) {
  const CsvTable table = parse("g,x\nred,1\nblue,2\nred,3\n\"7\",4\n");
  const CsvColumn& column = table.columns[0];
  EXPECT_EQ(column.kind, CsvColumn::Kind::text);
  EXPECT_EQ(column.levels, (Texts{"7", "blue", "red"}));
  EXPECT_EQ(column.codes, (Codes{2, 1, 2, 0}));
  EXPECT_TRUE(column.numbers.empty());
}

TEST(Csv, QuotedFieldsMayHoldAnything) {
  const CsvTable table =
      parse("\"a, b\",x\n\"one, two\",1\n \"say \"\"yes\"\"\" ,2\n\"two\nlines\", \"3\" \n\"\"\"\",4\n");
  EXPECT_EQ(table.columns[0].name, "a, b");
  EXPECT_EQ(table.columns[0].levels, (Texts{"\"", "one, two", "say \"yes\"", "two\nlines"}));
  EXPECT_EQ(table.columns[0].codes, (Codes{1, 2, 3, 0}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{1.0, 2.0, 3.0, 4.0}));
}

TEST(Csv, LinesAreThoseOfTheFileAlsoAfterALineBreakInAField) {
  const CsvTable plain = parse("x,g\n1,a\n2,b\n");
  EXPECT_TRUE(plain.lines.empty());
  EXPECT_EQ(plain.line_of(1), 3);
  EXPECT_EQ(plain.place(1, plain.columns[0]), "a.csv:3, column x");
  const CsvTable broken = parse("x,g\n1,a\n2,\"b\n\nb\"\n3,c\n");
  EXPECT_EQ(broken.lines, (Rows{2, 3, 6}));
  EXPECT_EQ(broken.line_of(2), 6);
  EXPECT_TRUE(mentions(refusal("x,g\n1,\"a\nb\"\n2,c\nx,d\n"), {"a.csv:5, column x"}));
}

TEST(Csv, LineEndsAndByteOrderMarkDoNotMatter) {
  for (const std::string_view text :
       {"x,g\n1,a\n2,b\n", "x,g\n1,a\n2,b", "x,g\r\n1,a\r\n2,b\r\n", "x,g\r\n1,a\r\n2,b\r",
        "\xef\xbb\xbfx,g\n1,a\n2,b\n\n\r\n\n", "x,g\n1,a\r\n2,b\n  \n"}) {
    const CsvTable table = parse(text);
    EXPECT_EQ(table.columns[0].name, "x");
    EXPECT_EQ(table.columns[0].numbers, (Numbers{1.0, 2.0}));
    EXPECT_EQ(table.columns[1].levels, (Texts{"a", "b"}));
  }
}

TEST(Csv, MissingValuesAreListedByRow) {
  const CsvTable table = parse("x,g,n\n,NA,?\n1,a,\nnan,b,\n?,?,na\n2,\"\",NaN\n");
  const CsvColumn &x = table.columns[0], &g = table.columns[1], &nothing = table.columns[2];
  EXPECT_EQ(x.missing, (Rows{0, 2, 3}));
  EXPECT_TRUE(std::isnan(x.numbers[0]) && std::isnan(x.numbers[2]) && std::isnan(x.numbers[3]));
  EXPECT_EQ(x.numbers[1], 1.0);
  EXPECT_EQ(g.missing, (Rows{0, 3, 4}));
  EXPECT_EQ(g.codes, (Codes{-1, 0, 1, -1, -1}));
  EXPECT_EQ(nothing.missing, (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(nothing.kind, CsvColumn::Kind::number);
}

TEST(Csv, BlankLinesInsideAreMissingValuesOfTheOnlyColumn) {
  const CsvTable table = parse("x\n1\n\n\n2\n\n");
  EXPECT_EQ(table.rows, 4);
  EXPECT_EQ(table.columns[0].missing, (Rows{1, 2}));
}

TEST(Csv, RaggedRowsAreRefused) {
  EXPECT_EQ(refusal("x,y\n1,2\n3\n"), "a.csv:3: 1 field, but the header has 2: every row must have as many");
  EXPECT_EQ(refusal("x,y\n1,2\n3,4,5\n"), "a.csv:3: 3 fields, but the header has 2: every row must have as many");
  EXPECT_EQ(refusal("x,y\n1,2,\n"), "a.csv:2: 3 fields, but the header has 2: every row must have as many");
}

TEST(Csv, TextAmongNumbersIsRefusedAndNumbersAmongText) {
  EXPECT_EQ(
      refusal("x,y\n?,2\n34,2\nold,4\n"),
      "a.csv:4, column x: \"old\" in a column of numbers (the first is 34 on line 3): must be a number, or missing "
      "(empty, NA, N/A, NaN, ?); --category x reads texts");
  for (const std::string_view text : {"1.5.2", "1,5", "0x10", "1e", "--1", "+-1", "-", "+", "1 2", "1_000", "٣"})
    EXPECT_TRUE(mentions(refusal("x\n1\n\"" + std::string(text) + "\"\n"), {"a.csv:3, column x", text, "numbers"}));
  EXPECT_EQ(
      refusal("g\nA\n3\n"),
      "a.csv:3, column g: the number 3 in a column of text (the first is \"A\" on line 2): --category g reads texts");
}

/// Though they spell numbers, in any order; missing values stay missing.
TEST(Csv, ColumnsMayBeNamedThatAreTexts) {
  const CsvTable table =
      parse_csv("g,x,h\n?,1,7\n10,2,V27\n2,3,\"250\"\n\"10\",4,07\n", "a.csv", {.texts = {"g", "h"}});
  EXPECT_EQ(table.columns[0].levels, (Texts{"10", "2"}));
  EXPECT_EQ(table.columns[0].codes, (Codes{-1, 0, 1, 0}));
  EXPECT_EQ(table.columns[0].missing, (Rows{0}));
  EXPECT_EQ(table.columns[1].numbers, (Numbers{1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(table.columns[2].levels, (Texts{"07", "250", "7", "V27"})) << "as they are written";
}

TEST(Csv, LongValuesAreShownShortened) {
  const std::string message = refusal("x\n1\n" + std::string(500, 'y') + "\n");
  EXPECT_TRUE(mentions(message, {std::string(40, 'y') + "…"}));
  EXPECT_LT(message.size(), 200U);
}

TEST(Csv, HeaderNeedsDifferentNames) {
  EXPECT_EQ(refusal("a,,b\n1,2,3\n"), "a.csv:1: column 2 has no name: every column needs one");
  EXPECT_EQ(refusal("a,b,\"a\"\n1,2,3\n"), "a.csv:1: columns 1 and 3 are both called a: names must differ");
}

TEST(Csv, NothingToReadIsRefused) {
  const std::string empty = "a.csv is empty: must begin with a line that names the columns";
  EXPECT_EQ(refusal(""), empty);
  EXPECT_EQ(refusal("\xef\xbb\xbf"), empty);
  EXPECT_EQ(refusal("x,y\n"), "a.csv has a header but no rows: must have at least one");
  EXPECT_EQ(refusal("x,y\n\n\n"), "a.csv has a header but no rows: must have at least one");
}

TEST(Csv, WrongQuotesAreRefusedWhereTheyOpen) {
  EXPECT_EQ(refusal("x,y\n1,2\n3,\"abc\n4,5\n"), "a.csv:3: a quote is opened here and never closed");
  EXPECT_EQ(refusal("x\n\"a\"b\n"), "a.csv:2: text after a closing quote: a comma or the end of the line must follow");
  EXPECT_TRUE(mentions(refusal("x\n5\" pipe\n"), {"a.csv:2: a quote inside a field", "double"}));
}

TEST(Csv, OtherKindsOfFilesAreRefused) {
  EXPECT_TRUE(mentions(refusal(std::string_view("x\n1\n\0\n", 6)), {"a.csv:3: a byte 0", "not a text file"}));
  EXPECT_TRUE(mentions(refusal(std::string_view("x\n\"\0\"\n", 6)), {"a.csv:2: a byte 0"}));
  EXPECT_TRUE(mentions(refusal(std::string_view("\xff\xfex\0\n\0", 6)), {"a.csv:1", "UTF-16", "UTF-8"}));
  EXPECT_TRUE(mentions(refusal("x\r1\r2\r"), {"a.csv:1: a carriage return", "LF or CRLF"}));
  EXPECT_TRUE(mentions(refusal(std::string_view("PK\x03\x04\x14\0", 6)), {"a.csv:1", "xlsx", "save the table as CSV"}));
}

TEST(Csv, AbsurdSizesAreRefused) {
  EXPECT_EQ(refusal("a,b,c\n1,2,3\n", {.columns = 2}), "a.csv:1: 3 columns: at most 2 are allowed");
  EXPECT_EQ(refusal("a,b\n1,2\n3,4\n", {.cells = 3}), "a.csv:3: more than 3 values: too many to hold");
  const std::string unclosed = "x\n1\n\"" + std::string(3 << 20, 'z');
  EXPECT_EQ(refusal(unclosed, {.record_bytes = 2 << 20}),
            "a.csv:3: a row of more than 2097152 bytes: is there a quote that is not closed?");
  EXPECT_TRUE(mentions(refusal("x\n12345678\n", {.record_bytes = 4}), {"a.csv:2: a row of more than 4 bytes"}));
}

/// Whatever the end of the buffer cuts in two must come out whole: a record with everything in it, cut at each of its bytes.
TEST(Csv, BuffersMayEndAnywhere) {
  const std::string header = "n,g\r\n", record = " -1.25 , \"say \"\"yes\"\"\r\n\"\"no\"\"\" \r\n";
  constexpr std::size_t buffer = std::size_t{1} << 20U;
  for (std::size_t cut = 0; cut <= record.size(); ++cut) {
    std::string text = header + "0,\"";
    text.append(buffer - cut - text.size() - 3, 'w');
    text += "\"\r\n" + record + "2.5,x";
    const CsvTable table = parse(text);
    ASSERT_EQ(table.columns[0].numbers, (Numbers{0.0, -1.25, 2.5})) << cut;
    ASSERT_EQ(table.columns[1].levels[0], "say \"yes\"\r\n\"no\"") << cut;
    ASSERT_EQ(table.columns[1].codes, (Codes{1, 0, 2})) << cut;
    ASSERT_EQ(table.lines, (Rows{2, 3, 5})) << cut;
  }
}

TEST(Csv, RecordsMayBeLongerThanTheBuffer) {
  const std::string many(5 << 20, 'w');
  const CsvTable table = parse("n,g\n1,\"" + many + "\"\n2," + many + "\n");
  EXPECT_EQ(table.columns[0].numbers, (Numbers{1.0, 2.0}));
  EXPECT_TRUE(table.columns[1].levels == Texts{many});
}

/// Fields hold bytes of all kinds, some as small as those that end them.
RC_GTEST_PROP(CsvProperty, plain_fields_may_hold_any_byte_but_those_that_end_them, ()) {
  const auto letter = rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) {
    return std::string_view(",\n\r\"\0 \t", 7).find(c) == std::string_view::npos;
  });
  const auto field =
      rc::gen::map(rc::gen::pair(rc::gen::container<std::string>(letter), rc::gen::container<std::string>(letter)),
                   [](const auto& words) { return "a" + words.first + " +" + words.second + "z"; });
  const auto fields = *rc::gen::nonEmpty(rc::gen::container<Texts>(field));
  std::string header, row;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    header += (j == 0 ? "c" : ",c") + std::to_string(j);
    row += (j == 0 ? "" : ",") + fields[j];
  }
  const CsvTable table = parse(header + "\n" + row + "\n");
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const std::string expected = is_utf8(fields[j]) ? fields[j] : utf8_from_windows_1252(fields[j]);
    RC_ASSERT(table.columns[j].levels == Texts{expected});
  }
}

class CsvFile : public ::testing::Test {
 protected:
  CsvFile() {
    std::string pattern = (fs::temp_directory_path() / "darboux-csv-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CsvFile() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }
  static std::string refusal_of(const fs::path& file) {
    return message_of<InputError>([&] { (void)read_csv(file); });
  }

  fs::path folder_;
};

/// printf 'x,y\n1,2\n3,4\n' | gzip -n9
constexpr std::string_view zipped(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\xd0\xa9\xe4\x32\xd4\x31\xe2\x32\xd6\x31\xe1\x02\x00\x97\x44\x29\x80"
    "\x0c\x00\x00\x00",
    32);

TEST_F(CsvFile, PlainAndZippedFilesReadAlike) {
  write_text(path("a.csv"), "x,y\n1,2\n3,4\n");
  write_text(path("a.csv.gz"), zipped);
  for (const char* name : {"a.csv", "a.csv.gz"}) {
    const CsvTable table = read_csv(path(name));
    EXPECT_EQ(table.file, path(name).string());
    EXPECT_EQ(table.columns[0].numbers, (Numbers{1.0, 3.0}));
    EXPECT_EQ(table.columns[1].numbers, (Numbers{2.0, 4.0}));
  }
}

TEST_F(CsvFile, DamagedZippedFilesAreRefused) {
  std::string damaged(zipped);
  write_text(path("short.gz"), damaged.substr(0, 27));
  EXPECT_TRUE(mentions(refusal_of(path("short.gz")), {"short.gz", "ends too early"}));
  damaged[25] = static_cast<char>(damaged[25] ^ 1);  // in the check sum
  write_text(path("damaged.gz"), damaged);
  EXPECT_TRUE(mentions(refusal_of(path("damaged.gz")), {"damaged.gz", "incorrect data check"}));
}

/// Several times what is unpacked ahead. Numbers differ, so that pieces in the wrong order would show.
std::string many_pieces() {
  std::string text = "x,y\n";
  for (int i = 0; i < 700'000; ++i) text += std::to_string(i) + "," + std::to_string(0.5 * i) + "\n";
  return text;
}

void zip(const fs::path& file, const std::string& text) {
  const gzFile out = gzopen(file.c_str(), "wb1");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(out), Z_OK);
}

/// Also a field that holds more than a buffer: then a piece is not read all at once.
TEST_F(CsvFile, ZippedFilesOfManyPiecesReadWhole) {
  const std::string many = many_pieces();
  ASSERT_GT(many.size(), std::size_t{10} << 20U);
  for (const std::string& text : {many, "x,y\n1,\"" + many + "\"\n2,z\n"}) {
    zip(path("many.gz"), text);
    const CsvTable got = read_csv(path("many.gz")), expected = parse(text);
    ASSERT_EQ(got.rows, expected.rows);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_TRUE(got.columns[j].numbers == expected.columns[j].numbers);
      EXPECT_TRUE(got.columns[j].levels == expected.columns[j].levels);
    }
  }
}

TEST_F(CsvFile, DamageBehindManyPiecesIsRefused) {
  zip(path("whole.gz"), many_pieces());
  std::string damaged = read_text(path("whole.gz"));
  write_text(path("short.gz"), damaged.substr(0, damaged.size() * 2 / 3));
  EXPECT_EQ(refusal_of(path("short.gz")),
            "cannot read " + path("short.gz").string() + ": the compressed file ends too early");
  damaged[damaged.size() - 8] = static_cast<char>(damaged[damaged.size() - 8] ^ 1);  // in the check sum
  write_text(path("damaged.gz"), damaged);
  EXPECT_EQ(refusal_of(path("damaged.gz")), "cannot read " + path("damaged.gz").string() + ": incorrect data check");
}

TEST_F(CsvFile, ReadingMayEndWhileMoreIsUnpacked) {
  zip(path("wrong.gz"), "x,y\n1,2\n3\n" + many_pieces());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(mentions(refusal_of(path("wrong.gz")), {"wrong.gz:3: 1 field"}));
}

TEST_F(CsvFile, FilesThatCannotBeReadAreRefused) {
  EXPECT_TRUE(mentions(refusal_of(path("none.csv")), {"cannot read", "none.csv", "No such file"}));
  EXPECT_TRUE(mentions(refusal_of(folder_), {"cannot read", "directory"}));
  if (fs::exists("/proc/self/mem")) {  // opens, but there is nothing at address 0
    EXPECT_EQ(refusal_of("/proc/self/mem"), "cannot read /proc/self/mem: Input/output error");
  }
  write_text(path("empty.csv"), "");
  EXPECT_TRUE(mentions(refusal_of(path("empty.csv")), {"empty.csv is empty"}));
}

TEST(Csv, NumbersAreTheNearestDoubles) {
  RandomStream random({.seed = 8, .purpose = Purpose::data});
  const auto below = [&](int n) { return static_cast<int>(random.uniform() * n); };
  std::vector<std::string> numbers{"0",
                                   "-0",
                                   "1.",
                                   ".5",
                                   "-.5",
                                   "0.1",
                                   "999999999999999",
                                   "9007199254740993",
                                   "0.30000000000000004",
                                   "1e22",
                                   "1e-5",
                                   "2.5e3",
                                   "123456789012345.6",
                                   "-0.0"};
  for (int i = 0; i < 20'000; ++i) {  // up to 20 digits with the point anywhere
    std::string number = below(2) == 0 ? "-" : "";
    const int digits = 1 + below(20), point = below(digits + 3);
    for (int k = 0; k < digits; ++k) {
      if (k == point) number += '.';
      number += static_cast<char>('0' + below(10));
    }
    numbers.push_back(number);
  }
  std::string text = "x";
  for (const std::string& number : numbers) text += "\n" + number;
  const auto got = parse_csv(text, "a.csv").columns[0].numbers;
  ASSERT_EQ(got.size(), numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = std::strtod(numbers[i].c_str(), nullptr);
    ASSERT_EQ(got[i], expected) << numbers[i];
    ASSERT_EQ(std::signbit(got[i]), std::signbit(expected)) << numbers[i];
  }
}

}  // namespace
}  // namespace darboux

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "darboux/core/error.hpp"
#include "io/csv.hpp"
#include "io/csv_source.hpp"
#include "io/file.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

struct TextFile {
  explicit TextFile(std::string_view text)
      : path(std::filesystem::temp_directory_path() / fmt::format("darboux-range-{}.csv", ::getpid())) {
    write_text(path, text);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

/// What a table says, and on which lines.
std::string told(const CsvTable& table) {
  std::string text;
  for (Index i = 0; i < table.rows; ++i) {
    text += fmt::format("{}:", table.line_of(i));
    for (const CsvColumn& column : table.columns) {
      const auto row = static_cast<std::size_t>(i);
      if (column.kind == CsvColumn::Kind::number)
        text += fmt::format(" {}", column.numbers[row]);
      else
        text += fmt::format(" \"{}\"", column.levels[static_cast<std::size_t>(column.codes[row])]);
    }
    text += "\n";
  }
  return text;
}

/// The rows of ranges that follow each other, cut into as many pieces; on which line one begins is known before or told later.
std::string told_in_pieces(const TextFile& file, std::int64_t pieces, bool lines_are_known = true) {
  const CsvHeader header = read_csv_header(file.path);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.path)) - header.bytes;
  std::string text;
  Index line = header.lines + 1, lines = 0;
  for (std::int64_t k = 0; k < pieces; ++k) {
    const CsvRange range{.first = header.bytes + k * bytes / pieces,
                         .end = header.bytes + (k + 1) * bytes / pieces,
                         .first_line = lines_are_known ? line : 1};
    CsvTable piece = read_csv_rows(file.path, header, range, {}, lines);
    if (!lines_are_known) move_lines(piece, line - 1);
    text += told(piece);
    line += lines;
  }
  return text;
}

/// Long lines, and so pieces without any; lines that are no rows; ends of lines of both kinds, and none at the end.
TEST(CsvRanges, TogetherAreTheTable) {
  const std::string wide(300, 'z');
  for (const std::string text : {"y,x,g\n1,2.5,a\n0,3,b\n1,-4,a\n", "y,x,g\n1,2.5,a\n0,3,b\n1,-4,a",
                                 "# a comment\ny,x,g\r\n1,2.5,a\r\n0,3,b\r\n",
                                 "\xef\xbb\xbfy;x;g\n1;2;\"a;b\"\n\n# another\n0;3;b\n1;4;b\n\n"}) {
    const TextFile file(text);
    const std::string whole = told(read_csv(file.path));
    for (std::int64_t pieces = 1; pieces <= 40; ++pieces)
      for (const bool known : {true, false}) EXPECT_EQ(told_in_pieces(file, pieces, known), whole) << pieces;
  }
  const TextFile file("y,x,g\n1,2," + wide + "\n0,3,b\n1,4," + wide + "\n0,5,c\n");
  for (std::int64_t pieces = 1; pieces <= 100; ++pieces)
    EXPECT_EQ(told_in_pieces(file, pieces), told(read_csv(file.path))) << pieces;
}

/// So that neither blocks of the reader nor those of the system matter.
TEST(CsvRanges, MayBeLong) {
  std::string text = "y,x\n";
  for (int i = 0; i < 300'000; ++i) text += fmt::format("{},{}\n", i % 2, i);
  const TextFile file(text);
  const std::string whole = told(read_csv(file.path));
  for (const std::int64_t pieces : {1, 2, 3, 7}) EXPECT_TRUE(told_in_pieces(file, pieces) == whole) << pieces;
}

/// A cut within such a row could not be told from one between rows.
TEST(CsvRanges, RowsOfSeveralLinesAreRefused) {
  const TextFile file("y,g\n1,a\n0,\"b\nc\"\n1,d\n");
  EXPECT_NO_THROW((void)read_csv(file.path));
  for (const std::int64_t pieces : {1, 2, 5, 30})
    EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)told_in_pieces(file, pieces); }),
                         {":3: a quoted field goes on in the next line", "every row must be one line"}))
        << pieces;
}

TEST(CsvRanges, SayOnWhichLineTheyAreWrong) {
  const TextFile file("y,x\n1,2\n0,3\n1\n");
  const CsvHeader header = read_csv_header(file.path);
  Index lines = 0;
  EXPECT_TRUE(mentions(message_of<InputError>([&] {
                         (void)read_csv_rows(file.path, header, {.first = 8, .end = 14, .first_line = 3}, {}, lines);
                       }),
                       {":4: 1 field, but the header has 2"}));
  EXPECT_TRUE(mentions(message_of<InputError>([] { (void)read_csv_header("missing.csv"); }), {"missing.csv"}));
}

TEST(CsvHeaders, SayWhereRowsBegin) {
  const TextFile file("# one\n\ny;\"a;b\"\n1;2\n");
  const CsvHeader header = read_csv_header(file.path);
  EXPECT_EQ(header.names, (std::vector<std::string>{"y", "a;b"}));
  EXPECT_EQ(header.separator, ';');
  EXPECT_EQ(header.bytes, 15);
  EXPECT_EQ(header.lines, 3);
  EXPECT_FALSE(is_gzipped(file.path));
}

}  // namespace
}  // namespace darboux

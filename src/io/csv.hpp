#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"
#include "darboux/core/enumeration.hpp"

namespace darboux {

/// One column of a table. Where it is not said (CsvOptions::texts), the first value that is not missing decides its kind: numbers, or text
/// (categories).
struct CsvColumn {
  enum class Kind : std::uint8_t { number, text };

  std::string name;
  Kind kind = Kind::number;
  std::vector<double> numbers;      ///< of a number column, one per row; NaN where missing
  std::vector<std::string> levels;  ///< of a text column: the texts that occur, in order of their bytes
  std::vector<std::int32_t> codes;  ///< of a text column, one per row: which level, −1 where missing
  std::vector<Index> missing;       ///< rows (from 0) without a value: an empty field, NA, N/A, #N/A, NaN or ?
};

template <>
inline constexpr auto names_of<CsvColumn::Kind> =
    std::to_array<Named<CsvColumn::Kind>>({{CsvColumn::Kind::number, "number"}, {CsvColumn::Kind::text, "text"}});

/// A table with a header. Rows count from 0 here; messages speak of lines of the file.
struct CsvTable {
  std::string file;     ///< as messages call it
  bool is_file = true;  ///< otherwise it is in memory, and how to read it cannot be asked for
  Index rows = 0;
  std::vector<CsvColumn> columns;
  Index first_line = 2;                 ///< where the first row starts, in most files
  std::vector<Index> lines;             ///< where each row starts; empty when row i is i lines below the first
  char separator = ',';                 ///< what columns were separated by
  std::vector<std::string> left_out{};  ///< names of columns that were not read
  std::vector<std::string>
      remarks{};  ///< how the file was read where it is not plain commas, points and UTF-8, in sentences

  [[nodiscard]] Index line_of(Index row) const noexcept;
  /// The column of that name, or null.
  [[nodiscard]] const CsvColumn* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string_view> names() const;
  /// How messages point at a value: "data.csv:17, column age".
  [[nodiscard]] std::string place(Index row, const CsvColumn& column) const;
};

/// What is refused rather than tried.
struct CsvLimits {
  Index columns = 100'000;
  Index cells = Index{1} << 31;         ///< rows × columns
  Index record_bytes = Index{1} << 26;  ///< one row; a quote that is never closed makes a row of the rest of the file
};

struct CsvOptions {
  CsvLimits limits{};
  std::optional<char>
      separator{};             ///< when absent, what the header has most of: commas, semicolons, tabs or vertical bars
  bool decimal_comma = false;  ///< 1,5 is a number, and 1.5 is none
  std::vector<std::string> texts{};  ///< columns that are texts, as they are written, though they be numbers
  /// Which columns to read, told their names; all where there is no such function. May throw.
  std::function<std::vector<bool>(std::span<const std::string>)> wanted{};
};

/// Reads a file of comma-separated values, plain or gzipped: a header, then rows of as many fields. Fields may be quoted
/// ("a, b", "say ""yes"""); spaces around those that are not are dropped. Lines end in LF or CRLF, the last may lack it;
/// a byte order mark, lines that begin with #, blank lines and rows without a single value are passed over (but a blank line
/// between others is a missing value of an only column). A first column without a name that counts the rows, or differs in each,
/// is left out: R and pandas write such. Text that is no UTF-8 is read as Windows-1252. Throws InputError naming file, line, value
/// and rule: for what cannot be read, ragged rows, names that are empty or occur twice, a column that mixes numbers and text, numbers
/// with the other decimal sign. A number in a text column is fine when quoted.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file, const CsvOptions& options = {});

/// How a file begins.
struct CsvHeader {
  std::vector<std::string> names;
  char separator = ',';
  std::int64_t bytes = 0;  ///< where rows begin
  Index lines = 0;         ///< above them
  template <class Archive>
  void archive(Archive& fields) {
    fields(names, separator, bytes, lines);
  }
};
[[nodiscard]] CsvHeader read_csv_header(const std::filesystem::path& file, const CsvOptions& options = {});

/// A run of bytes of a file that is not compressed. The rows whose lines begin in it belong to it.
struct CsvRange {
  std::int64_t first = 0, end = 0;
  Index first_line = 2;  ///< of those, as messages have it
};
/// These rows; there may be none. Each must be one line. Says in `lines` how many lines there are.
[[nodiscard]] CsvTable read_csv_rows(const std::filesystem::path& file, const CsvHeader& header, const CsvRange& range,
                                     const CsvOptions& options, Index& lines);
/// Says that rows begin so many lines further down.
void move_lines(CsvTable& table, Index by);

/// A whole table from memory, not compressed; `name` is what messages call it.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string name, const CsvOptions& options = {});

}  // namespace darboux

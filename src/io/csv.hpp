#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/batch.hpp"

namespace darboux {

/// One column of a table. The first value that is not missing decides its kind: numbers, or text (categories).
struct CsvColumn {
  enum class Kind : std::uint8_t { number, text };

  std::string name;
  Kind kind = Kind::number;
  std::vector<double> numbers;      ///< of a number column, one per row; NaN where missing
  std::vector<std::string> levels;  ///< of a text column: the texts that occur, in order of their bytes
  std::vector<std::int32_t> codes;  ///< of a text column, one per row: which level, −1 where missing
  std::vector<Index> missing;       ///< rows (from 0) without a value: an empty field, NA, NaN or ?
};

/// A table with a header. Rows count from 0 here; messages speak of lines of the file.
struct CsvTable {
  std::string file;  ///< as messages call it
  Index rows = 0;
  std::vector<CsvColumn> columns;
  std::vector<Index> lines;  ///< where each row starts; empty when row i is on line i + 2, as in most files

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

/// Reads a file of comma-separated values, plain or gzipped: a header, then rows of as many fields. Fields may be quoted
/// ("a, b", "say ""yes"""); spaces around those that are not are dropped. Lines end in LF or CRLF, the last may lack it;
/// a byte order mark and empty lines at the end are skipped. Throws InputError naming file, line, value and rule: for
/// what cannot be read, ragged rows, names that are empty or occur twice, a column that mixes numbers and text. A number in
/// a text column is fine when quoted.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& file, const CsvLimits& limits = {});

/// The same from memory, not compressed; `name` is what messages call it.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::string name, const CsvLimits& limits = {});

}  // namespace darboux

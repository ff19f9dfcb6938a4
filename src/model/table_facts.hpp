#pragma once

#include <limits>
#include <string>
#include <vector>

#include "io/csv.hpp"

namespace darboux {

/// Whole numbers of more values than these are hardly names of levels.
inline constexpr std::size_t most_like_levels = 10;

/// What decides how a regression reads a column, whichever rows it was found in.
struct ColumnFacts {
  std::string name;
  CsvColumn::Kind kind = CsvColumn::Kind::number;
  std::string first_place;  ///< of a value

  // Of numbers.
  double least = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();
  double first = 0.0, last = 0.0;
  bool counts_rows = true;      ///< goes up by one from row to row
  std::vector<double> values;   ///< the different ones, in order; no more than 1 + most_like_levels
  std::string no_finite_value;  ///< the first that is none, and where: "a.csv:3, column x is inf"
  std::string no_zero_or_one;   ///< the same of those that are neither

  // Of texts.
  std::vector<std::string> levels;  ///< in order: that of numbers where all spell one, or else that of bytes

  std::vector<Index>
      rows;  ///< with each level; of numbers with each value, where there are no more than most_like_levels

  template <class Archive>
  void archive(Archive& fields) {
    fields(name, kind, first_place, least, largest, first, last, counts_rows, values, no_finite_value, no_zero_or_one,
           levels, rows);
  }
};

/// The same of all columns, of a whole table or of a part of it.
struct TableFacts {
  std::string file;
  bool is_file = true;
  Index rows = 0, rows_left_out = 0;
  int processes = 1;          ///< that share the rows
  Index missing = 0;          ///< values
  std::string first_missing;  ///< where
  char separator = ',';
  std::vector<std::string> left_out, remarks;
  std::vector<ColumnFacts> columns;

  [[nodiscard]] const ColumnFacts* find(std::string_view name) const noexcept;
  [[nodiscard]] std::vector<std::string> names() const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(file, is_file, rows, rows_left_out, missing, first_missing, separator, left_out, remarks, columns);
  }
};

[[nodiscard]] TableFacts facts_of(const CsvTable& table);

/// Facts of a table from those of its parts, which follow each other and have the same columns. Throws InputError for a column that
/// has numbers in one part and text in another.
void add_part(TableFacts& table, const TableFacts& part);

}  // namespace darboux

#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "report/table_cell.hpp"

namespace darboux {

enum class Alignment { left, right, decimal };  ///< decimal: the points of numbers stand below each other

struct TableColumn {
  std::string title;
  Alignment alignment = Alignment::right;
  /// Where there is not enough room, columns with the highest number go first, together; those with 0 stay.
  int dispensable = 0;
};

struct TableStyle {
  std::size_t width = std::numeric_limits<std::size_t>::max();  ///< columns of the terminal; no limit for files
  bool colours = false;                                         ///< bold titles, red for what alarms: terminals only
};

/// Plain text in columns, two spaces apart, with a line of titles and no rules. Texts must be printable (printable_text.hpp).
class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns);

  /// As many cells as there are columns.
  void add_row(std::vector<TableCell> cells);
  /// Ends with a newline. No line has spaces at its end.
  [[nodiscard]] std::string text(const TableStyle& style = {}) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

}  // namespace darboux

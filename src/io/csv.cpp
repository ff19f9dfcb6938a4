#include "io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "csv_numbers.hpp"
#include "csv_records.hpp"
#include "csv_source.hpp"
#include "darboux/core/error.hpp"
#include "io/encoding.hpp"

namespace darboux {

namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

std::string recoding(std::string_view what, const std::string& text) {
  return fmt::format("Not UTF-8: read as Windows-1252 (Latin-1); a {} is \"{}\".", what, beginning_of(text));
}

/// Collects the values of one column.
class ColumnBuilder {
 public:
  /// Of texts, whatever they spell, or of what the first value is.
  ColumnBuilder(std::string name, bool of_texts, char decimal) : of_texts_(of_texts), decimal_(decimal) {
    column_.name = std::move(name);
  }

  [[nodiscard]] const std::string& name() const noexcept { return column_.name; }
  /// A text that was no UTF-8, as it is now; empty where all were.
  [[nodiscard]] const std::string& recoded() const noexcept { return recoded_; }

  /// Most values are plain numbers in a column of numbers: takes such a one, and says whether it was.
  [[nodiscard]] bool add_plain_number(std::string_view text) {
    if (first_line_ == 0 || is_text()) return false;
    auto value = short_decimal(text, decimal_);
    if (!value && !is_missing(text)) value = number(text);
    if (!value || !std::isfinite(*value)) return false;
    column_.numbers.push_back(*value);
    return true;
  }

  /// What is wrong with the value, if anything.
  [[nodiscard]] std::optional<std::string> add(Index row, Index line, const CsvField& field) {
    if (is_missing(field.text)) {
      column_.missing.push_back(row);
      is_text() ? column_.codes.push_back(-1) : column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
      return std::nullopt;
    }
    if (first_line_ == 0) return decide(line, field);
    return is_text() ? add_text(field) : add_number(field.text);
  }

  [[nodiscard]] CsvColumn finish() {
    sort_levels();
    return std::move(column_);
  }
  /// Whether it is something like row.names: no value is missing, and they count the rows or are all different texts.
  [[nodiscard]] bool tells_rows_apart() const {
    if (!column_.missing.empty()) return false;
    if (is_text()) return code_of_.size() == column_.codes.size();
    for (std::size_t i = 1; i < column_.numbers.size(); ++i)
      if (column_.numbers[i] - column_.numbers[i - 1] != 1.0) return false;
    return true;
  }

 private:
  [[nodiscard]] bool is_text() const noexcept { return column_.kind == CsvColumn::Kind::text; }

  [[nodiscard]] std::optional<double> number(std::string_view text) const {
    return decimal_ == '.' ? as_number(text) : as_number(with_other_sign(text));
  }

  std::optional<std::string> decide(Index line, const CsvField& field) {
    first_line_ = line;
    first_value_ = beginning_of(field.text);
    if (of_texts_) return begin_text(field);
    if (number(field.text)) return add_number(field.text);
    if (as_number(decimal_ == '.' ? with_other_sign(field.text) : field.text))
      return fmt::format(
          "\"{}\" is a number with a decimal {}, and decimals are set off by {}s here: must be one or the other, and "
          "nothing between thousands; --decimal {} reads "
          "it, and --drop leaves the column out",
          first_value_, decimal_ == '.' ? "comma" : "point", decimal_ == '.' ? "point" : "comma",
          decimal_ == '.' ? "comma" : "point");
    return begin_text(field);
  }

  std::optional<std::string> begin_text(const CsvField& field) {
    column_.kind = CsvColumn::Kind::text;
    column_.codes.assign(column_.numbers.size(), -1);  // all missing so far
    column_.numbers.clear();
    return add_text(field);
  }

  std::optional<std::string> add_number(std::string_view text) {
    const auto value = number(text);
    if (!value)
      return fmt::format(
          "\"{}\" in a column of numbers (the first is {} on line {}): must be a number, or missing (empty, NA, N/A, "
          "NaN, ?); --category {} reads texts",
          beginning_of(text), first_value_, first_line_, in_list(column_.name));
    if (std::isinf(*value) && text.find_first_of("0123456789") != std::string_view::npos)
      return fmt::format("{} is too large: numbers must lie within ±1.79e308", beginning_of(text));
    column_.numbers.push_back(*value);
    return std::nullopt;
  }

  std::optional<std::string> add_text(const CsvField& field) {
    if (!of_texts_ && !field.quoted && number(field.text))
      return fmt::format(
          "the number {} in a column of text (the first is \"{}\" on line {}): --category {} reads texts",
          beginning_of(field.text), first_value_, first_line_, in_list(column_.name));
    auto found = code_of_.find(field.text);
    if (found == code_of_.end()) found = code_of_.emplace(field.text, static_cast<std::int32_t>(code_of_.size())).first;
    column_.codes.push_back(found->second);
    return std::nullopt;
  }

  /// A text in UTF-8 and one in another encoding may be the same.
  void sort_levels() {
    std::map<std::string, std::vector<std::int32_t>> codes_of;
    for (const auto& [text, code] : code_of_) codes_of[in_utf8(text)].push_back(code);
    std::vector<std::int32_t> sorted(code_of_.size());
    for (const auto& [text, codes] : codes_of) {
      for (const std::int32_t code : codes) sorted[at(code)] = static_cast<std::int32_t>(column_.levels.size());
      column_.levels.push_back(text);
    }
    for (std::int32_t& code : column_.codes)
      if (code >= 0) code = sorted[at(code)];
  }

  std::string in_utf8(const std::string& text) {
    if (is_utf8(text)) return text;
    return recoded_ = utf8_from_windows_1252(text);
  }

  CsvColumn column_;
  bool of_texts_;
  char decimal_;
  std::string recoded_;
  Index first_line_ = 0;  // of a value that is not missing; 0: none yet
  std::string first_value_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> code_of_;
};

/// The names of all columns, each different. The first may be empty: then it may hold the names of rows.
std::vector<std::string> read_header(CsvRecords& records, CsvTable& table, const CsvLimits& limits) {
  bool found = records.next();
  while (found && records.is_blank()) found = records.next();
  if (!found) throw InputError(fmt::format("{} is empty: must begin with a line that names the columns", table.file));
  const auto fields = records.fields();
  const Index line = records.line();
  if (std::ssize(fields) > limits.columns)
    records.fail(line, fmt::format("{} columns: at most {} are allowed", fields.size(), limits.columns));
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const std::string_view given = fields[j].text;
    if (given.empty() && (j > 0 || fields.size() == 1))
      records.fail(line, fmt::format("column {} has no name: every column needs one", j + 1));
    names.push_back(is_utf8(given) ? std::string(given) : utf8_from_windows_1252(given));
    if (names.back() != given) table.remarks.push_back(recoding("column", names.back()));
    const auto [before, is_new] = seen.emplace(names.back(), j);
    if (!is_new)
      records.fail(line, fmt::format("columns {} and {} are both called {}: names must differ", before->second + 1,
                                     j + 1, beginning_of(names.back())));
  }
  return names;
}

/// The whole of a source, row by row.
class TableReader {
 public:
  TableReader(TextSource source, std::string file, const CsvOptions& options)
      : records_(std::move(source), file, options.limits.record_bytes, options.separator), options_(options) {
    table_.file = std::move(file);
  }

  /// Rows of a part of a file, which begin on that line.
  TableReader(TextSource source, std::string file, const CsvOptions& options, const CsvHeader& header, Index first_line)
      : records_(std::move(source), file, options.limits.record_bytes, header.separator, first_line),
        options_(options) {
    table_.file = std::move(file);
    table_.first_line = first_line;
    choose_columns(header.names);
  }

  CsvTable read() {
    choose_columns(read_header(records_, table_, options_.limits));
    read_rows();
    if (table_.rows == 0)
      throw InputError(fmt::format("{} has a header but no rows: must have at least one", table_.file));
    return finish();
  }
  CsvTable read_part() {
    read_rows();
    return finish();
  }

 private:
  void read_rows() {
    while (records_.next()) {
      if (is_without_values(records_.fields())) {
        blank_lines_.push_back(records_.line());
        continue;
      }
      add_blank_lines();
      add_row(records_.fields(), records_.line());
    }
  }

  CsvTable finish() {
    leave_out_row_names();
    for (ColumnBuilder& column : columns_) {
      table_.columns.push_back(column.finish());
      if (!column.recoded().empty()) table_.remarks.push_back(recoding("text", column.recoded()));
    }
    add_remarks();
    return std::move(table_);
  }

  void choose_columns(const std::vector<std::string>& names) {
    width_ = std::ssize(names);
    const std::vector<bool> wanted = options_.wanted ? options_.wanted(names) : std::vector<bool>(names.size(), true);
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!wanted[j]) {
        if (!names[j].empty()) table_.left_out.push_back(names[j]);
        continue;
      }
      places_.push_back(j);
      const bool of_texts = std::ranges::find(options_.texts, names[j]) != options_.texts.end();
      columns_.emplace_back(names[j], of_texts, options_.decimal_comma ? ',' : '.');
    }
  }

  [[nodiscard]] bool is_without_values(std::span<const CsvField> fields) const {
    if (records_.is_blank()) return true;
    return width_ > 1 && std::ssize(fields) == width_ &&
           std::ranges::all_of(fields, [](const CsvField& field) { return field.text.empty() && !field.quoted; });
  }

  /// They mean nothing; but in a table of one column they are missing values where they come before a row.
  void add_blank_lines() {
    const CsvField nothing{};
    for (const Index line : std::exchange(blank_lines_, {})) {
      if (width_ == 1)
        add_row({&nothing, 1}, line);
      else
        ++blank_rows_;
    }
  }

  void add_row(std::span<const CsvField> fields, Index line) {
    if (std::ssize(fields) != width_)
      records_.fail(line, fmt::format("{} field{}, but the header has {}: every row must have as many", fields.size(),
                                      fields.size() == 1 ? "" : "s", width_));
    const Index row = table_.rows++;
    if (table_.rows * std::ssize(columns_) > options_.limits.cells)
      records_.fail(line, fmt::format("more than {} values: too many to hold", options_.limits.cells));
    note_line(row, line);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const CsvField& field = fields[places_[k]];
      if (columns_[k].add_plain_number(field.text)) continue;
      if (const auto wrong = columns_[k].add(row, line, field))
        throw InputError(fmt::format("{}:{}, column {}: {}", table_.file, line, columns_[k].name(), *wrong));
    }
  }

  /// Line numbers are kept only from the moment that they cannot be computed.
  void note_line(Index row, Index line) {
    if (table_.lines.empty()) {
      if (line == row + table_.first_line) return;
      table_.lines.resize(static_cast<std::size_t>(row));
      std::iota(table_.lines.begin(), table_.lines.end(), table_.first_line);
    }
    table_.lines.push_back(line);
  }

  void leave_out_row_names() {
    if (columns_.empty() || !columns_.front().name().empty()) return;
    if (!columns_.front().tells_rows_apart())
      records_.fail(1, "column 1 has no name: every column needs one, but for a first one that tells rows apart");
    columns_.erase(columns_.begin());
    table_.remarks.emplace_back("Column 1 has no name and tells rows apart: it is left out.");
  }

  void add_remarks() {
    table_.separator = records_.separator();
    if (records_.separator() != ',')
      table_.remarks.push_back(fmt::format("Columns are separated by {}s.", name_of_separator(records_.separator())));
    if (options_.decimal_comma) table_.remarks.emplace_back("Decimals are set off by commas.");
    if (const Index count = records_.comments(); count > 0)
      table_.remarks.push_back(fmt::format("Passed over: {} that {} with #, the first on line {}.",
                                           counted(count, "line", "lines"), count == 1 ? "begins" : "begin",
                                           records_.first_comment()));
    if (blank_rows_ > 0)
      table_.remarks.push_back(
          fmt::format("Passed over: {} without values between others.", counted(blank_rows_, "line", "lines")));
  }

  CsvRecords records_;
  CsvOptions options_;
  CsvTable table_;
  Index width_ = 0;  // of a row
  std::vector<ColumnBuilder> columns_;
  std::vector<std::size_t> places_;  // of these in a row
  std::vector<Index> blank_lines_;
  Index blank_rows_ = 0;
};

}  // namespace

Index CsvTable::line_of(Index row) const noexcept {
  return lines.empty() ? row + first_line : lines[static_cast<std::size_t>(row)];
}

const CsvColumn* CsvTable::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string_view> CsvTable::names() const {
  std::vector<std::string_view> out;
  for (const CsvColumn& column : columns) out.emplace_back(column.name);
  return out;
}

std::string CsvTable::place(Index row, const CsvColumn& column) const {
  return fmt::format("{}:{}, column {}", file, line_of(row), column.name);
}

CsvTable read_csv(const std::filesystem::path& file, const CsvOptions& options) {
  return TableReader(file_source(file), file.string(), options).read();
}

CsvHeader read_csv_header(const std::filesystem::path& file, const CsvOptions& options) {
  CsvRecords records(file_source(file), file.string(), options.limits.record_bytes, options.separator);
  CsvTable table;
  table.file = file.string();
  CsvHeader header{.names = read_header(records, table, options.limits)};
  header.separator = records.separator();
  header.bytes = records.bytes_behind();
  header.lines = records.lines_behind();
  return header;
}

CsvTable read_csv_rows(const std::filesystem::path& file, const CsvHeader& header, const CsvRange& range,
                       const CsvOptions& options, Index& lines) {
  lines = 0;
  const auto source = [lines_of = range_source(file, range.first, range.end), &lines](std::string& out) {
    const std::size_t before = out.size();
    lines_of(out);
    lines += std::count(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), '\n');
  };
  return TableReader(source, file.string(), options, header, range.first_line).read_part();
}

void move_lines(CsvTable& table, Index by) {
  table.first_line += by;
  for (Index& line : table.lines) line += by;
}

CsvTable parse_csv(std::string_view text, std::string name, const CsvOptions& options) {
  constexpr std::size_t most = std::size_t{1} << 20U;  // so that the text is not copied all at once
  const auto source = [rest = text](std::string& out) mutable {
    const std::string_view piece = rest.substr(0, most);
    out += piece;
    rest.remove_prefix(piece.size());
  };
  return TableReader(source, std::move(name), options).read();
}

}  // namespace darboux

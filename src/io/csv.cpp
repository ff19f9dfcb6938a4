#include "io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/shown.hpp"
#include "csv_records.hpp"
#include "csv_source.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

bool equal_ignoring_case(std::string_view text, std::string_view capitals) {
  return std::equal(text.begin(), text.end(), capitals.begin(), capitals.end(),
                    [](char a, char b) { return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b); });
}

bool is_missing(std::string_view text) {
  return text.empty() || text == "?" ||
         (text.size() <= 3 && (equal_ignoring_case(text, "NA") || equal_ignoring_case(text, "NAN")));
}

/// Whether a decimal number that no double can hold is too large for one, and not too small: by its power of ten, which is its
/// exponent and how far its first digit stands before the point. By one too little behind the point, which does not matter here.
bool is_large(std::string_view text) {
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  std::string_view power = text.substr(std::min(mantissa.size() + 1, text.size()));
  power.remove_prefix(power.starts_with('+') ? 1 : 0);
  std::int64_t exponent = 0;
  const auto error = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
  if (error == std::errc::result_out_of_range) return !power.starts_with('-');
  return exponent > first - point;
}

/// The number that the whole text spells, if it does; infinite where no double is large enough.
std::optional<double> as_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const char *const first = text.data(), *const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  const double beyond = is_large(text) ? std::numeric_limits<double>::infinity() : 0.0;
  return text.starts_with('-') ? -beyond : beyond;
}

/// The number that a text like -12.345 spells, if it has at most 15 digits: these and the power of ten to divide by are
/// doubles, and so the quotient is the nearest double. Most numbers in files are like that.
std::optional<double> short_decimal(std::string_view text) {
  constexpr std::size_t most_digits = 15;
  static constexpr std::array<double, most_digits + 1> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                              1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::array signs{1.0, -1.0};  // looked up: a branch that nobody can foresee takes longer
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  if (text.size() > most_digits + 1) return std::nullopt;
  std::int64_t all_digits = 0;
  std::size_t digits = 0, before_point = std::string_view::npos;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      all_digits = 10 * all_digits + (c - '0');
      ++digits;
    } else if (c == '.' && before_point == std::string_view::npos) {
      before_point = digits;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || digits > most_digits) return std::nullopt;
  const std::size_t decimals = before_point == std::string_view::npos ? 0 : digits - before_point;
  return static_cast<double>(all_digits) / (signs[negative ? 1 : 0] * powers[decimals]);
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

/// Collects the values of one column.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(std::string_view name) { column_.name = name; }

  [[nodiscard]] const std::string& name() const noexcept { return column_.name; }

  /// Most values are plain numbers in a column of numbers: takes such a one, and says whether it was.
  [[nodiscard]] bool add_plain_number(std::string_view text) {
    if (first_line_ == 0 || is_text()) return false;
    auto value = short_decimal(text);
    if (!value && !is_missing(text)) value = as_number(text);
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

 private:
  [[nodiscard]] bool is_text() const noexcept { return column_.kind == CsvColumn::Kind::text; }

  std::optional<std::string> decide(Index line, const CsvField& field) {
    first_line_ = line;
    first_value_ = beginning_of(field.text);
    if (as_number(field.text)) return add_number(field.text);
    column_.kind = CsvColumn::Kind::text;
    column_.codes.assign(column_.numbers.size(), -1);  // all missing so far
    column_.numbers.clear();
    return add_text(field);
  }

  std::optional<std::string> add_number(std::string_view text) {
    const auto value = as_number(text);
    if (!value)
      return fmt::format(
          "\"{}\" in a column of numbers (the first is {} on line {}): must be a number, or missing (empty, NA, NaN, "
          "?)",
          beginning_of(text), first_value_, first_line_);
    if (std::isinf(*value) && text.find_first_of("0123456789") != std::string_view::npos)
      return fmt::format("{} is too large: numbers must lie within ±1.79e308", beginning_of(text));
    column_.numbers.push_back(*value);
    return std::nullopt;
  }

  std::optional<std::string> add_text(const CsvField& field) {
    if (!field.quoted && as_number(field.text))
      return fmt::format(
          "the number {} in a column of text (the first is \"{}\" on line {}): put quotes around it if it is a "
          "category",
          beginning_of(field.text), first_value_, first_line_);
    auto found = code_of_.find(field.text);
    if (found == code_of_.end()) found = code_of_.emplace(field.text, static_cast<std::int32_t>(code_of_.size())).first;
    column_.codes.push_back(found->second);
    return std::nullopt;
  }

  void sort_levels() {
    for (const auto& [text, code] : code_of_) column_.levels.push_back(text);
    std::sort(column_.levels.begin(), column_.levels.end());
    std::vector<std::int32_t> sorted(column_.levels.size());
    for (std::size_t k = 0; k < sorted.size(); ++k)
      sorted[static_cast<std::size_t>(code_of_.find(column_.levels[k])->second)] = static_cast<std::int32_t>(k);
    for (std::int32_t& code : column_.codes)
      if (code >= 0) code = sorted[static_cast<std::size_t>(code)];
  }

  CsvColumn column_;
  Index first_line_ = 0;  // of a value that is not missing; 0: none yet
  std::string first_value_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> code_of_;
};

std::vector<ColumnBuilder> read_header(CsvRecords& records, const std::string& file, const CsvLimits& limits) {
  if (!records.next())
    throw InputError(fmt::format("{} is empty: must begin with a line that names the columns", file));
  const auto fields = records.fields();
  if (std::ssize(fields) > limits.columns)
    records.fail(1, fmt::format("{} columns: at most {} are allowed", fields.size(), limits.columns));
  const std::string_view only = fields[0].text;
  if (fields.size() == 1 && !fields[0].quoted && only.find_first_of(";\t") != std::string_view::npos)
    records.fail(1, fmt::format("\"{}\": columns must be separated by commas, not by {}; save the table again with "
                                "commas between columns and points in numbers",
                                beginning_of(only), only.find(';') != std::string_view::npos ? "semicolons" : "tabs"));
  std::vector<ColumnBuilder> columns;
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t j = 0; j < fields.size(); ++j) {
    const std::string_view name = fields[j].text;
    if (name.empty()) records.fail(1, fmt::format("column {} has no name: every column needs one", j + 1));
    const auto [before, is_new] = seen.emplace(name, j);
    if (!is_new)
      records.fail(1, fmt::format("columns {} and {} are both called {}: names must differ", before->second + 1, j + 1,
                                  beginning_of(name)));
    columns.emplace_back(name);
  }
  return columns;
}

/// The whole of a source, row by row.
class TableReader {
 public:
  TableReader(TextSource source, std::string file, const CsvLimits& limits)
      : records_(std::move(source), file, limits.record_bytes), limits_(limits) {
    table_.file = std::move(file);
  }

  CsvTable read() {
    columns_ = read_header(records_, table_.file, limits_);
    while (records_.next()) {
      if (records_.is_blank()) {
        blank_lines_.push_back(records_.line());
        continue;
      }
      add_blank_lines();
      add_row(records_.fields(), records_.line());
    }
    if (table_.rows == 0)
      throw InputError(fmt::format("{} has a header but no rows: must have at least one", table_.file));
    for (ColumnBuilder& column : columns_) table_.columns.push_back(column.finish());
    return std::move(table_);
  }

 private:
  /// Blank lines at the end mean nothing; before a row they are rows with one empty field.
  void add_blank_lines() {
    const CsvField nothing{};
    for (const Index line : std::exchange(blank_lines_, {})) add_row({&nothing, 1}, line);
  }

  void add_row(std::span<const CsvField> fields, Index line) {
    if (fields.size() != columns_.size())
      records_.fail(line, fmt::format("{} field{}, but the header has {}: every row must have as many", fields.size(),
                                      fields.size() == 1 ? "" : "s", columns_.size()));
    const Index row = table_.rows++;
    if (table_.rows * std::ssize(columns_) > limits_.cells)
      records_.fail(line, fmt::format("more than {} values: too many to hold", limits_.cells));
    note_line(row, line);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (columns_[j].add_plain_number(fields[j].text)) continue;
      if (const auto wrong = columns_[j].add(row, line, fields[j]))
        throw InputError(fmt::format("{}:{}, column {}: {}", table_.file, line, columns_[j].name(), *wrong));
    }
  }

  /// Line numbers are kept only from the moment that they cannot be computed.
  void note_line(Index row, Index line) {
    if (table_.lines.empty()) {
      if (line == row + 2) return;
      table_.lines.resize(static_cast<std::size_t>(row));
      std::iota(table_.lines.begin(), table_.lines.end(), Index{2});
    }
    table_.lines.push_back(line);
  }

  CsvRecords records_;
  CsvLimits limits_;
  CsvTable table_;
  std::vector<ColumnBuilder> columns_;
  std::vector<Index> blank_lines_;
};

}  // namespace

Index CsvTable::line_of(Index row) const noexcept {
  return lines.empty() ? row + 2 : lines[static_cast<std::size_t>(row)];
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

CsvTable read_csv(const std::filesystem::path& file, const CsvLimits& limits) {
  return TableReader(file_source(file), file.string(), limits).read();
}

CsvTable parse_csv(std::string_view text, std::string name, const CsvLimits& limits) {
  constexpr std::size_t most = std::size_t{1} << 20U;  // so that the text is not copied all at once
  const auto source = [rest = text](std::string& out) mutable {
    const std::string_view piece = rest.substr(0, most);
    out += piece;
    rest.remove_prefix(piece.size());
  };
  return TableReader(source, std::move(name), limits).read();
}

}  // namespace darboux

#include "model/table_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "checks.hpp"
#include "core/shown.hpp"
#include "darboux/core/error.hpp"
#include "io/csv_numbers.hpp"

namespace darboux {

namespace {

constexpr std::size_t enough_values = most_like_levels + 1;  // to know that there are more
constexpr std::size_t most_texts = 10;

bool is_text(const ColumnFacts& column) { return column.kind == CsvColumn::Kind::text; }

/// So many more rows have the value.
void add_value(ColumnFacts& facts, double x, Index rows) {
  const auto place = std::ranges::lower_bound(facts.values, x);
  const auto k = place - facts.values.begin();
  if (place != facts.values.end() && *place == x) {
    facts.rows[at(k)] += rows;
  } else if (facts.values.size() < enough_values) {
    facts.values.insert(place, x);
    facts.rows.insert(facts.rows.begin() + k, rows);
  }
}

void look_at_numbers(const CsvTable& table, const CsvColumn& column, ColumnFacts& facts) {
  const auto note = [&](std::string& words, std::size_t i) {
    if (words.empty()) words = fmt::format("{} is {}", table.place(static_cast<Index>(i), column), column.numbers[i]);
  };
  for (std::size_t i = 0; i < column.numbers.size(); ++i) {
    const double x = column.numbers[i];
    if (std::isnan(x)) continue;  // missing
    if (!std::isfinite(x)) note(facts.no_finite_value, i);
    if (x != 0.0 && x != 1.0) note(facts.no_zero_or_one, i);
    facts.counts_rows = facts.counts_rows && (i == 0 || x - column.numbers[i - 1] == 1.0);
    facts.least = std::min(facts.least, x);
    facts.largest = std::max(facts.largest, x);
    if (facts.values.size() < enough_values) add_value(facts, x, 1);
  }
  facts.first = column.numbers.front();
  facts.last = column.numbers.back();
}

/// In the order of the numbers that they spell, where all do, so that 2 comes before 10.
void sort_levels(ColumnFacts& column) {
  std::vector<std::tuple<double, std::string, Index>> levels;
  const bool are_numbers =
      std::ranges::all_of(column.levels, [](const auto& text) { return as_number(text).has_value(); });
  for (std::size_t k = 0; k < column.levels.size(); ++k)
    levels.emplace_back(are_numbers ? *as_number(column.levels[k]) : 0.0, column.levels[k], column.rows[k]);
  std::ranges::sort(levels);
  for (std::size_t k = 0; k < levels.size(); ++k) std::tie(std::ignore, column.levels[k], column.rows[k]) = levels[k];
}

ColumnFacts facts_of(const CsvTable& table, const CsvColumn& column) {
  ColumnFacts facts;
  facts.name = column.name;
  facts.kind = column.kind;
  facts.levels = column.levels;
  const auto has_value = [&](Index row) {
    return is_text(facts) ? column.codes[at(row)] >= 0 : !std::isnan(column.numbers[at(row)]);
  };
  Index first = 0;
  while (first < table.rows && !has_value(first)) ++first;
  if (first == table.rows) return facts;
  facts.first_place = table.place(first, column);
  if (!is_text(facts)) {
    look_at_numbers(table, column, facts);
    return facts;
  }
  facts.rows.resize(facts.levels.size());
  for (const std::int32_t code : column.codes)
    if (code >= 0) ++facts.rows[at(code)];
  sort_levels(facts);
  return facts;
}

void add_numbers(ColumnFacts& column, const ColumnFacts& part) {
  column.counts_rows = column.counts_rows && part.counts_rows && part.first - column.last == 1.0;
  column.last = part.last;
  column.least = std::min(column.least, part.least);
  column.largest = std::max(column.largest, part.largest);
  if (column.no_finite_value.empty()) column.no_finite_value = part.no_finite_value;
  if (column.no_zero_or_one.empty()) column.no_zero_or_one = part.no_zero_or_one;
  for (std::size_t k = 0; k < part.values.size(); ++k) add_value(column, part.values[k], part.rows[k]);
}

void add_levels(ColumnFacts& column, const ColumnFacts& part) {
  std::map<std::string, Index> rows;
  for (const ColumnFacts* some : {static_cast<const ColumnFacts*>(&column), &part})
    for (std::size_t k = 0; k < some->levels.size(); ++k) rows[some->levels[k]] += some->rows[k];
  column.levels.clear();
  column.rows.clear();
  for (const auto& [level, count] : rows) {
    column.levels.push_back(level);
    column.rows.push_back(count);
  }
  sort_levels(column);
}

std::string example_of(const ColumnFacts& column) {
  return is_text(column) ? shown(column.levels.front()) : fmt::format("{}", column.values.front());
}

void add_part(ColumnFacts& column, const ColumnFacts& part) {
  if (part.first_place.empty()) return;  // all are missing
  if (column.first_place.empty()) {
    column = part;
    return;
  }
  if (column.kind != part.kind)
    throw InputError(
        fmt::format("column {} is {} ({}, {}), and {} further on ({}, {}): must be one or the other in all parts; "
                    "--category reads all of it as texts, and --drop leaves the column out",
                    column.name, is_text(column) ? "text" : "of numbers", example_of(column), column.first_place,
                    is_text(part) ? "text" : "of numbers", example_of(part), part.first_place));
  is_text(column) ? add_levels(column, part) : add_numbers(column, part);
}

/// Each once; what is said of many parts is said of the first few.
void add_new(std::vector<std::string>& texts, const std::vector<std::string>& more) {
  for (const std::string& text : more)
    if (texts.size() < most_texts && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

}  // namespace

const ColumnFacts* TableFacts::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(columns, name, &ColumnFacts::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<std::string> TableFacts::names() const {
  std::vector<std::string> out;
  for (const ColumnFacts& column : columns) out.push_back(column.name);
  return out;
}

TableFacts facts_of(const CsvTable& table) {
  TableFacts facts;
  facts.file = table.file;
  facts.is_file = table.is_file;
  facts.rows = table.rows;
  facts.separator = table.separator;
  facts.left_out = table.left_out;
  facts.remarks = table.remarks;
  const CsvColumn* first = nullptr;
  for (const CsvColumn& column : table.columns) {
    facts.columns.push_back(facts_of(table, column));
    facts.missing += std::ssize(column.missing);
    if (!column.missing.empty() && (first == nullptr || column.missing[0] < first->missing[0])) first = &column;
  }
  if (first != nullptr) facts.first_missing = table.place(first->missing[0], *first);
  return facts;
}

void add_part(TableFacts& table, const TableFacts& part) {
  if (table.missing == 0) table.first_missing = part.first_missing;
  table.missing += part.missing;
  table.rows_left_out += part.rows_left_out;
  add_new(table.remarks, part.remarks);
  if (table.left_out.empty()) table.left_out = part.left_out;
  if (part.rows == 0) return;
  if (table.rows == 0)
    table.columns = part.columns;
  else
    for (std::size_t j = 0; j < table.columns.size(); ++j) add_part(table.columns[j], part.columns[j]);
  table.rows += part.rows;
}

}  // namespace darboux

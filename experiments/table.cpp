#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace darboux::experiments {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

const DataColumn& column_called(const Table& table, std::string_view name) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const DataColumn& c) { return c.name == name; });
  if (at == table.end()) throw std::logic_error(fmt::format("a table has no column {}", name));
  return *at;
}

/// A column of the kind that a value has.
DataColumn empty_column(std::string_view name, const Value& value) {
  DataColumn column{std::string(name), std::vector<double>{}};
  if (std::holds_alternative<std::string>(value)) column.values = std::vector<std::string>{};
  return column;
}

void push(DataColumn& column, const Value& value) {
  if (const auto* x = std::get_if<double>(&value))
    std::get<std::vector<double>>(column.values).push_back(*x);
  else
    std::get<std::vector<std::string>>(column.values).push_back(std::get<std::string>(value));
}

bool equals(const DataColumn& column, std::size_t row, const Value& value) {
  if (const auto* x = std::get_if<double>(&value)) return std::get<std::vector<double>>(column.values)[row] == *x;
  return std::get<std::vector<std::string>>(column.values)[row] == std::get<std::string>(value);
}

std::vector<std::size_t> matching(const Table& table, std::initializer_list<Entry> conditions) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < row_count(table); ++i)
    if (std::all_of(conditions.begin(), conditions.end(),
                    [&](const Entry& c) { return equals(column_called(table, c.first), i, c.second); }))
      rows.push_back(i);
  return rows;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void append_row(Table& table, std::initializer_list<Entry> row) {
  if (table.empty())
    for (const auto& [name, value] : row) table.push_back(empty_column(name, value));
  if (table.size() != row.size()) throw std::logic_error("a row has other columns than its table");
  auto column = table.begin();
  for (const auto& [name, value] : row) {
    if (column->name != name) throw std::logic_error(fmt::format("a row has {} in place of {}", name, column->name));
    push(*column++, value);
  }
}

void append(Table& table, const Table& more) {
  if (table.empty()) {
    table = more;
    return;
  }
  for (DataColumn& column : table)
    std::visit(
        [&]<class Values>(Values& values) {
          const auto& added = std::get<Values>(column_called(more, column.name).values);
          values.insert(values.end(), added.begin(), added.end());
        },
        column.values);
}

std::size_t row_count(const Table& table) noexcept {
  return table.empty() ? 0 : std::visit([](const auto& values) { return values.size(); }, table.front().values);
}

const std::vector<double>& numbers(const Table& table, std::string_view column) {
  const auto* found = std::get_if<std::vector<double>>(&column_called(table, column).values);
  if (found == nullptr) throw std::logic_error(fmt::format("column {} holds texts", column));
  return *found;
}

const std::vector<std::string>& texts(const Table& table, std::string_view column) {
  const auto* found = std::get_if<std::vector<std::string>>(&column_called(table, column).values);
  if (found == nullptr) throw std::logic_error(fmt::format("column {} holds numbers", column));
  return *found;
}

std::vector<std::string> levels(const Table& table, std::string_view column) {
  std::vector<std::string> found;
  for (const std::string& text : texts(table, column))
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  return found;
}

Table where(const Table& table, std::initializer_list<Entry> conditions) {
  const std::vector<std::size_t> rows = matching(table, conditions);
  Table found = table;
  for (DataColumn& column : found)
    std::visit(
        [&]<class Values>(Values& values) {
          Values kept;
          for (const std::size_t row : rows) kept.push_back(values[row]);
          values = std::move(kept);
        },
        column.values);
  return found;
}

std::vector<double> numbers_where(const Table& table, std::string_view column,
                                  std::initializer_list<Entry> conditions) {
  const std::vector<double>& all = numbers(table, column);
  std::vector<double> found;
  for (const std::size_t row : matching(table, conditions)) found.push_back(all[row]);
  return found;
}

Table select(const Table& table, std::initializer_list<std::pair<std::string_view, std::string_view>> columns) {
  Table found;
  for (const auto& [name, shown] : columns) {
    found.push_back(column_called(table, name));
    if (!shown.empty()) found.back().name = shown;
  }
  return found;
}

double median(std::vector<double> values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  if (values.empty()) return unknown;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return unknown;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double largest(std::vector<double> values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
  return values.empty() ? unknown : *std::max_element(values.begin(), values.end());
}

std::string to_csv(const Table& table) {
  std::string text;
  for (const DataColumn& column : table) text += (&column == table.data() ? "" : ",") + csv_text(column.name);
  text += '\n';
  for (std::size_t i = 0; i < row_count(table); ++i) {
    for (const DataColumn& column : table) {
      if (&column != table.data()) text += ',';
      if (const auto* x = std::get_if<std::vector<double>>(&column.values)) {
        if (!std::isnan((*x)[i])) text += fmt::format("{}", (*x)[i]);
      } else {
        text += csv_text(std::get<std::vector<std::string>>(column.values)[i]);
      }
    }
    text += '\n';
  }
  return text;
}

nlohmann::ordered_json to_json(const Table& table) {
  auto json = nlohmann::ordered_json::object();
  for (const DataColumn& column : table) {
    auto& values = json[column.name] = nlohmann::ordered_json::array();
    std::visit(
        [&](const auto& entries) {
          for (const auto& entry : entries) values.push_back(entry);  // dumps NaN as null
        },
        column.values);
  }
  return json;
}

nlohmann::ordered_json to_json(const Tables& tables) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, table] : tables) json[name] = to_json(table);
  return json;
}

Tables tables_from_json(const nlohmann::ordered_json& json) {
  Tables tables;
  for (const auto& [name, columns] : json.items())
    for (const auto& [title, values] : columns.items()) {
      DataColumn column{title, std::vector<double>{}};
      if (!values.empty() && values.front().is_string())
        column.values = values.template get<std::vector<std::string>>();
      else
        for (const auto& x : values)
          std::get<std::vector<double>>(column.values).push_back(x.is_null() ? unknown : x.template get<double>());
      tables[name].push_back(std::move(column));
    }
  return tables;
}

}  // namespace darboux::experiments

#pragma once

#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "report/report.hpp"

namespace darboux::experiments {

/// A tidy table, one row per observation: named columns of equal length, of numbers or of texts. What is not known is NaN.
/// Figures draw the same type.
using Table = std::vector<DataColumn>;

/// The results of an experiment, by name.
using Tables = std::map<std::string, Table, std::less<>>;

/// An entry of a table.
struct Value : std::variant<double, std::string> {
  template <class Number>
    requires std::is_arithmetic_v<Number>
  Value(Number x) : variant(static_cast<double>(x)) {}
  Value(std::string_view text) : variant(std::string(text)) {}
  Value(const std::string& text) : variant(text) {}
  Value(const char* text) : variant(std::string(text)) {}
};
using Entry = std::pair<std::string_view, Value>;

/// The first row makes the columns; every other must have the same.
void append_row(Table& table, std::initializer_list<Entry> row);
/// All rows of another table with the same columns.
void append(Table& table, const Table& more);

[[nodiscard]] std::size_t row_count(const Table& table) noexcept;
/// Throw std::logic_error where there is no such column, or it is of the other kind.
[[nodiscard]] const std::vector<double>& numbers(const Table& table, std::string_view column);
[[nodiscard]] const std::vector<std::string>& texts(const Table& table, std::string_view column);
/// Different values of a column, in the order in which they first appear.
[[nodiscard]] std::vector<std::string> levels(const Table& table, std::string_view column);

/// The rows that have all these values.
[[nodiscard]] Table where(const Table& table, std::initializer_list<Entry> conditions);
/// One column of those rows.
[[nodiscard]] std::vector<double> numbers_where(const Table& table, std::string_view column,
                                                std::initializer_list<Entry> conditions);
/// Some columns, under new names where a pair gives one.
[[nodiscard]] Table select(const Table& table,
                           std::initializer_list<std::pair<std::string_view, std::string_view>> columns);

/// What is not known is left out; NaN for no numbers.
[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double mean(const std::vector<double>& values);
[[nodiscard]] double largest(std::vector<double> values);

/// Numbers as short as they can be and still be read back exactly; NaN is empty.
[[nodiscard]] std::string to_csv(const Table& table);
/// Column by column: {"set": ["german", …], "ess": [12.5, …]}, with null for NaN.
[[nodiscard]] nlohmann::ordered_json to_json(const Table& table);
[[nodiscard]] nlohmann::ordered_json to_json(const Tables& tables);
/// The inverse. Throws nlohmann::json's exceptions for anything else.
[[nodiscard]] Tables tables_from_json(const nlohmann::ordered_json& json);

}  // namespace darboux::experiments

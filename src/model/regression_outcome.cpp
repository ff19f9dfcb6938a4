#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/csv_numbers.hpp"
#include "model/regression_table.hpp"

namespace darboux {

namespace {

using Values = std::vector<std::string>;

bool is_text(const ColumnFacts& column) { return column.kind == CsvColumn::Kind::text; }

/// What the column holds, each value once and in order; no more than three, which are too many.
Values values_of(const ColumnFacts& column) {
  if (is_text(column)) return column.levels;
  Values out;
  for (const double x : column.values) out.push_back(fmt::format("{}", x));
  return out;
}

std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// Which of two values is plainly the positive one. 1 and 2 are used either way.
std::optional<std::size_t> plainly_positive(const Values& two) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> pairs{{{"0", "1"},
                                                                                        {"-1", "1"},
                                                                                        {"no", "yes"},
                                                                                        {"n", "y"},
                                                                                        {"false", "true"},
                                                                                        {"f", "t"},
                                                                                        {"negative", "positive"},
                                                                                        {"neg", "pos"},
                                                                                        {"failure", "success"},
                                                                                        {"absent", "present"},
                                                                                        {"control", "case"}}};
  const Values small{in_small_letters(two[0]), in_small_letters(two[1])};
  for (const auto& [negative, positive] : pairs)
    for (const std::size_t k : {0U, 1U})
      if (small[k] == positive && small[1 - k] == negative) return k;
  return std::nullopt;
}

/// Of a number the one that it spells, as the table has it.
std::string spelt_as_in_table(const ColumnFacts& column, const std::string& value) {
  if (is_text(column)) return value;
  const auto number = as_number(value);
  return number ? fmt::format("{}", *number) : value;
}

/// Reads one column and says what is wrong with it.
class OutcomeReader {
 public:
  OutcomeReader(const TableFacts& table, const ColumnFacts& column, const RegressionOptions& options,
                Outcome::Chosen chosen)
      : table_(table), column_(column), options_(options) {
    outcome_.column = column.name;
    outcome_.chosen = chosen;
    if (chosen == Outcome::Chosen::asked) return;
    for (const ColumnFacts& other : table.columns)
      if (&other != &column && values_of(other).size() == 2) outcome_.candidates.push_back(other.name);
  }

  Outcome read() {
    const Values values = values_of(column_);
    if (values.size() != 2) refuse_other_than_two(values);
    const std::size_t positive = choose(values);
    outcome_.positive = values[positive];
    outcome_.negative = values[1 - positive];
    outcome_.positives = column_.rows[positive];
    return std::move(outcome_);
  }

 private:
  std::size_t choose(const Values& values) {
    if (!options_.positive.empty()) {
      const auto found = std::ranges::find(values, spelt_as_in_table(column_, options_.positive));
      if (found == values.end())
        throw InputError(fmt::format("positive = {}: column {} of {} has the values {} and {}: must be one of them",
                                     beginning_of(options_.positive), column_.name, table_.file, shown_value(values[0]),
                                     shown_value(values[1])));
      outcome_.coding = Outcome::Coding::asked;
      return static_cast<std::size_t>(found - values.begin());
    }
    const auto plain = plainly_positive(values);
    if (!plain)
      throw InputError(
          fmt::format("{}: column {} has the values {} and {}: which is the outcome to predict? Say so with --positive "
                      "VALUE{}",
                      table_.file, column_.name, shown_value(values[0]), shown_value(values[1]), where_it_came_from()));
    outcome_.coding =
        values[*plain] == "1" && values[1 - *plain] == "0" ? Outcome::Coding::zero_one : Outcome::Coding::plain;
    return *plain;
  }

  [[noreturn]] void refuse_other_than_two(const Values& values) const {
    constexpr std::size_t most_shown = 3;
    if (values.size() < 2)
      throw InputError(fmt::format("{}: column {} is {} in every row: the response must be 0 in some and 1 in others{}",
                                   table_.file, column_.name, values.empty() ? "missing" : shown_value(values[0]),
                                   where_it_came_from()));
    if (is_text(column_)) {
      const Values first(values.begin(), values.begin() + std::min<std::ptrdiff_t>(std::ssize(values), most_shown));
      throw InputError(
          fmt::format("{}: column {} is text (\"{}\"{}): the response must be 0 or 1, or have two values{}{}",
                      table_.file, column_.name, fmt::join(first, "\", \""), values.size() > most_shown ? ", …" : "",
                      spellings(values), where_it_came_from()));
    }
    throw InputError(fmt::format("{}: the response must be 0 or 1, or have two values{}", column_.no_zero_or_one,
                                 where_it_came_from()));
  }

  /// Of more values than there may be: that some are one.
  [[nodiscard]] static std::string spellings(const Values& values) {
    const auto [a, b] = written_in_two_ways(values);
    return a.empty()
               ? ""
               : fmt::format("; {} and {} differ in capitals or spaces only: write them alike", shown(a), shown(b));
  }

  [[nodiscard]] std::string shown_value(const std::string& value) const {
    return is_text(column_) ? shown(value) : value;
  }

  /// What to do where the column may be the wrong one.
  [[nodiscard]] std::string where_it_came_from() const {
    constexpr std::size_t most_named = 5;
    if (outcome_.chosen == Outcome::Chosen::asked) return {};
    const std::string why = outcome_.chosen == Outcome::Chosen::first
                                ? "the first column was taken, as none is called y"
                                : "it was taken as it is called y";
    std::string text = fmt::format(". No --response was given: {}. Name another with --response COLUMN", why);
    if (outcome_.candidates.empty()) return text;
    const Values named(
        outcome_.candidates.begin(),
        outcome_.candidates.begin() + std::min<std::ptrdiff_t>(std::ssize(outcome_.candidates), most_named));
    return text + fmt::format("; of two values {}: {}{}", outcome_.candidates.size() == 1 ? "is" : "are",
                              fmt::join(named, ", "), outcome_.candidates.size() > most_named ? ", …" : "");
  }

  const TableFacts& table_;
  const ColumnFacts& column_;
  const RegressionOptions& options_;
  Outcome outcome_;
};

bool is_number(const std::string& text) { return as_number(text).has_value(); }

}  // namespace

std::pair<std::string, std::string> written_in_two_ways(std::span<const std::string> texts) {
  std::map<std::string, std::string> seen;
  for (const std::string& text : texts) {
    const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
    if (first == std::string::npos) continue;
    const auto [before, is_new] = seen.emplace(in_small_letters(text.substr(first, last + 1 - first)), text);
    if (!is_new) return {before->second, text};
  }
  return {};
}

std::pair<std::string, Outcome::Chosen> outcome_column(const std::string& file, std::span<const std::string> names,
                                                       const RegressionOptions& options) {
  if (std::ranges::all_of(names, is_number))
    throw InputError(fmt::format("{}:1: all names are numbers ({}): must be a header with a name for every column",
                                 file, fmt::join(names.first(std::min<std::size_t>(names.size(), 10)), ", ")));
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (!options.response.empty()) {
    if (has(options.response)) return {options.response, Outcome::Chosen::asked};
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw InputError(fmt::format("{}: {}", file, unknown_name("response column", options.response, known)));
  }
  const auto is_dropped = [&](const std::string& name) {
    return name.empty() || std::ranges::find(options.drop, name) != options.drop.end();
  };
  if (has("y") && !is_dropped("y")) return {"y", Outcome::Chosen::name};
  const auto first = std::ranges::find_if_not(names, is_dropped);
  if (first == names.end())
    throw InputError(fmt::format("{}: drop leaves no column: there is nothing to estimate", file));
  return {*first, Outcome::Chosen::first};
}

Outcome outcome_of(const TableFacts& table, const RegressionOptions& options) {
  const auto [name, chosen] = outcome_column(table.file, table.names(), options);
  return OutcomeReader(table, *table.find(name), options, chosen).read();
}

std::vector<double> labels_of(const CsvTable& table, const Outcome& outcome, Index first_row, Index rows) {
  const CsvColumn& column = *table.find(outcome.column);
  const bool is_text = column.kind == CsvColumn::Kind::text;
  const auto level = std::ranges::find(column.levels, outcome.positive) - column.levels.begin();
  const double one = is_text ? 0.0 : as_number(outcome.positive).value();
  std::vector<double> labels;
  for (std::size_t i = at(first_row); i < at(first_row + rows); ++i) {
    const bool is_one = is_text ? column.codes[i] == level : column.numbers[i] == one;
    labels.push_back(is_one ? 1.0 : 0.0);
  }
  return labels;
}

}  // namespace darboux

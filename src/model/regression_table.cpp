#include "model/regression_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/shown.hpp"
#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/csv_numbers.hpp"
#include "model/standardise.hpp"

namespace darboux {

namespace {

constexpr std::size_t most_levels = 100;
constexpr double least_range = 1e-100, most_range = 1e100;  // squares of either are numbers still
constexpr Index most_coefficients = 20'000;
constexpr Index most_entries = Index{1} << 31;  // of the design

bool is_text(const ColumnFacts& column) { return column.kind == CsvColumn::Kind::text; }
bool is_text(const CsvColumn& column) { return column.kind == CsvColumn::Kind::text; }

void refuse_missing(const TableFacts& table) {
  if (table.missing == 0) return;
  const std::string others = table.missing == 1 ? "" : fmt::format(" (and {} more)", table.missing - 1);
  throw InputError(fmt::format("{} is missing{}: every value must be there; {}or fill them in", table.first_missing,
                               others,
                               table.is_file ? "--na drop leaves such rows out, --drop COLUMN a column; "
                                             : "na=\"drop\" leaves such rows out; remove the column, "));
}

/// Whether a text is a day as 2030-01-31, 31.1.2030 or 1/31/30: numbers with the same sign between them, twice. More may follow.
bool is_date(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - from;
  };
  const std::size_t first = digits();
  if (first == 0 || first > 4 || at == text.size()) return false;
  const char sign = text[at];
  if (sign != '-' && sign != '/' && sign != '.') return false;
  ++at;
  const std::size_t second = digits();
  if (second == 0 || second > 2 || at == text.size() || text[at] != sign) return false;
  ++at;
  const std::size_t third = digits();
  return third >= 1 && third <= 4 && (first == 4 || third != 3);
}

/// Whether a text is a number as people write it, with a unit or signs between thousands: 1 000, 21.109,50, 45 %, $12.
bool is_written_number(std::string_view text) {
  std::string rest(text.substr(std::min(text.find_first_not_of("+-"), text.size())));
  for (const std::string_view sign : {"€", "£", "\u00a0", "\u202f"})
    for (std::size_t at = rest.find(sign); at != std::string::npos; at = rest.find(sign)) rest.erase(at, sign.size());
  return rest.find_first_of("0123456789") != std::string::npos &&
         rest.find_first_not_of("0123456789.,' %$") == std::string::npos;
}
bool are_adorned_numbers(const std::vector<std::string>& levels) {
  return std::ranges::all_of(levels, is_written_number) &&
         !std::ranges::all_of(levels, [](const std::string& level) { return as_number(level).has_value(); });
}

/// Whole numbers, and each of the few there are in five rows on average, as fewer would say nothing of a level.
bool may_be_levels(const ColumnFacts& column, Index rows) {
  constexpr Index fewest_rows = 5;
  return column.values.size() <= most_like_levels && std::ssize(column.values) * fewest_rows <= rows &&
         std::ranges::all_of(column.values, [](double x) { return x == std::nearbyint(x); });
}

/// The level that is named for each column. Where a name itself has =, the one that there is counts.
class References {
 public:
  References(const TableFacts& table, const std::vector<std::string>& asked) {
    for (const std::string& text : asked) add(table, text);
  }
  /// Which level that is; the first where none was asked for.
  [[nodiscard]] std::size_t of(const ColumnFacts& column) const {
    for (const auto& [name, level] : found_)
      if (name == column.name) return level;
    return 0;
  }

 private:
  void add(const TableFacts& table, const std::string& text) {
    const auto fail = [&](const std::string& why) { throw InputError(fmt::format("reference = {}: {}", text, why)); };
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      const ColumnFacts* const column = table.find(text.substr(0, at));
      if (column == nullptr) continue;
      if (!is_text(*column))
        fail(fmt::format(
            "column {} of {} is of numbers and has no levels: {} if it is a category", column->name, table.file,
            table.is_file ? "--category " + in_list(column->name) : fmt::format("category=[\"{}\"]", column->name)));
      const std::string level = text.substr(at + 1);
      const auto found = std::ranges::find(column->levels, level);
      if (found == column->levels.end())
        fail(unknown_name(fmt::format("level of column {}", column->name), level,
                          std::vector<std::string_view>(column->levels.begin(), column->levels.end())));
      found_.emplace_back(column->name, static_cast<std::size_t>(found - column->levels.begin()));
      return;
    }
    if (text.find('=') == std::string::npos) fail("must be COLUMN=LEVEL");
    const std::vector<std::string> names = table.names();
    fail(unknown_name("column", text.substr(0, text.find('=')),
                      std::vector<std::string_view>(names.begin(), names.end())));
  }

  std::vector<std::pair<std::string, std::size_t>> found_;
};

/// What the predictors are, column by column.
class PredictorList {
 public:
  PredictorList(const TableFacts& table, const RegressionOptions& options)
      : table_(table), categories_asked_for_(options.category), references_(table, options.reference) {
    if (options.intercept) names_in_use_.insert("intercept");
  }

  void add(const ColumnFacts& column) { is_text(column) ? add_indicators(column) : add_numbers(column); }

  void move_into(RegressionTable& out) {
    out.predictors = std::move(predictors_);
    out.categories = std::move(categories_);
  }

 private:
  [[noreturn]] void fail(const ColumnFacts& column, std::string_view why) const {
    throw InputError(fmt::format("{}: column {} {}", table_.file, column.name, why));
  }

  void append(Predictor predictor, const ColumnFacts& column) {
    if (!names_in_use_.insert(predictor.name).second)
      fail(column,
           fmt::format("leads to a second coefficient called {}: names must differ, so rename it", predictor.name));
    predictors_.push_back(std::move(predictor));
    if (std::ssize(predictors_) > most_coefficients ||
        std::ssize(predictors_) * table_.rows / table_.processes > most_entries)
      throw InputError(fmt::format(
          "{}: {} rows and at least {} coefficients: at most {} coefficients and {} products of both are allowed",
          table_.file, table_.rows, predictors_.size(), most_coefficients, most_entries));
  }

  void add_numbers(const ColumnFacts& column) {
    if (!column.no_finite_value.empty()) throw InputError(column.no_finite_value + ": must be finite");
    const double least = column.least, largest = column.largest;
    if (is_constant(least, largest))
      fail(column, fmt::format("is constant ({}): it carries no information, so remove it{}", least, hint_));
    if (const double range = largest - least; !(range >= least_range && range <= most_range))
      fail(column, fmt::format("goes from {} to {}: the range must be from {} to {}, so give it in other units", least,
                               largest, least_range, most_range));
    const bool is_two_valued = column.values.size() == 2;
    append({.name = column.name,
            .column = column.name,
            .kind = is_two_valued ? Predictor::Kind::two_valued : Predictor::Kind::number,
            .rows = is_two_valued ? std::min(column.rows[0], column.rows[1]) : 0,
            .counts_rows = column.counts_rows && table_.rows > 2,
            .range = is_two_valued ? largest - least : 0.0,
            .may_be_levels = !is_two_valued && may_be_levels(column, table_.rows)},
           column);
  }

  void add_indicators(const ColumnFacts& column) {
    if (column.levels.size() < 2)
      fail(column,
           fmt::format("is constant (\"{}\"): it carries no information, so remove it{}", column.levels[0], hint_));
    if (std::ranges::all_of(column.levels, is_date))
      fail(column,
           fmt::format("holds dates ({}, …): write numbers in their place, as days since the first, or leave it out{}",
                       beginning_of(column.levels[0]), hint_));
    if (table_.is_file && std::ranges::count(categories_asked_for_, column.name) == 0 &&
        are_adorned_numbers(column.levels))
      fail(column,
           fmt::format("holds numbers with more to them than digits and a point (\"{}\", …): write them without "
                       "units, and nothing between thousands; if they are names, --category {} makes levels of "
                       "them; or leave it out{}",
                       beginning_of(column.levels[0]), in_list(column.name), hint_));
    if (column.levels.size() > most_levels)
      fail(
          column,
          fmt::format("has {} different texts (\"{}\", …): at most {} are allowed for a category; is it an identifier? "
                      "Then leave it out{}",
                      column.levels.size(), beginning_of(column.levels[0]), most_levels, hint_));
    Category category{
        .column = column.name, .levels = column.levels, .rows = column.rows, .baseline = references_.of(column)};
    for (std::size_t k = 0; k < column.levels.size(); ++k)
      if (k != category.baseline)
        append({.name = fmt::format("{}[{}]", column.name, column.levels[k]),
                .column = column.name,
                .kind = Predictor::Kind::indicator,
                .level = column.levels[k],
                .rows = category.rows[k],
                .range = 1.0},
               column);
    categories_.push_back(std::move(category));
  }

  const TableFacts& table_;
  const std::vector<std::string>& categories_asked_for_;
  std::string hint_ = table_.is_file ? " (--drop)" : "";
  References references_;
  std::set<std::string> names_in_use_;
  std::vector<Predictor> predictors_;
  std::vector<Category> categories_;
};

/// Throws InputError for a name that no column has.
void require_columns(const std::string& file, std::string_view setting, const std::vector<std::string>& asked,
                     std::span<const std::string> names) {
  for (const std::string& name : asked)
    if (std::ranges::find(names, name) == names.end())
      throw InputError(
          fmt::format("{} = {}: {} has no such column: {}", setting, name, file,
                      unknown_name("column", name, std::vector<std::string_view>(names.begin(), names.end()))));
}

/// Whether to read each column.
std::vector<bool> wanted_columns(const std::string& file, std::span<const std::string> names,
                                 const RegressionOptions& options) {
  const auto has = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  require_columns(file, "columns", options.columns, names);
  require_columns(file, "drop", options.drop, names);
  require_columns(file, "category", options.category, names);
  const std::string outcome = outcome_column(file, names, options).first;
  if (has(options.drop, outcome))
    throw InputError(
        fmt::format("drop = {}: it is the outcome: must be another column, or another --response", outcome));
  for (const std::string& name : options.drop)
    if (has(options.columns, name))
      throw InputError(fmt::format("{} is in columns and in drop: must be in one of them", name));
  std::vector<bool> wanted;
  for (const std::string& name : names) {
    wanted.push_back(name == outcome ||
                     (!has(options.drop, name) && (options.columns.empty() || has(options.columns, name))));
    if (!wanted.back() && has(options.category, name))
      throw InputError(fmt::format("category = {}: the column is left out: must be one that is read", name));
  }
  return wanted;
}

constexpr std::array<std::pair<Separator, char>, 4> separators{
    {{Separator::comma, ','}, {Separator::semicolon, ';'}, {Separator::tab, '\t'}, {Separator::pipe, '|'}}};

}  // namespace

Separator separator_of(char sign) {
  for (const auto& [separator, its_sign] : separators)
    if (its_sign == sign) return separator;
  return Separator::comma;
}

Index drop_incomplete_rows(CsvTable& table) {
  std::vector<bool> goes(at(table.rows), false);
  for (const CsvColumn& column : table.columns)
    for (const Index row : column.missing) goes[at(row)] = true;
  const auto count = static_cast<Index>(std::ranges::count(goes, true));
  if (count == 0) return 0;
  const auto thin_out = [&](auto& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!goes[i]) values[kept++] = values[i];
    values.resize(kept);
  };
  std::vector<Index> lines;
  for (Index i = 0; i < table.rows; ++i) lines.push_back(table.line_of(i));
  thin_out(lines);
  table.lines = std::move(lines);
  for (CsvColumn& column : table.columns) {
    is_text(column) ? thin_out(column.codes) : thin_out(column.numbers);
    column.missing.clear();
    std::vector<std::int32_t> code_of(column.levels.size(), -1);
    for (const std::int32_t code : column.codes) code_of[at(code)] = 0;
    std::vector<std::string> levels;
    for (std::size_t k = 0; k < code_of.size(); ++k) {
      if (code_of[k] < 0) continue;
      code_of[k] = static_cast<std::int32_t>(levels.size());
      levels.push_back(std::move(column.levels[k]));
    }
    column.levels = std::move(levels);
    for (std::int32_t& code : column.codes) code = code_of[at(code)];
  }
  table.rows -= count;
  return count;
}

RegressionTable regression_table(const TableFacts& facts, const RegressionOptions& options) {
  if (facts.rows == 0 && facts.rows_left_out > 0)
    throw InputError(fmt::format("{}: every row lacks a value, so that {}", facts.file,
                                 facts.is_file ? "--na drop leaves none; leave columns out with --drop"
                                               : "na=\"drop\" leaves none; remove columns"));
  if (facts.rows == 0) throw InputError(fmt::format("{} has no rows: must have at least one", facts.file));
  RegressionTable out{.file = facts.file,
                      .is_file = facts.is_file,
                      .rows = facts.rows,
                      .rows_left_out = facts.rows_left_out,
                      .left_out = facts.left_out,
                      .na = options.na,
                      .decimal = options.decimal,
                      .separator = facts.separator,
                      .remarks = facts.remarks};
  const std::string outcome = outcome_column(facts.file, facts.names(), options).first;
  refuse_missing(facts);
  out.outcome = outcome_of(facts, options);
  PredictorList predictors(facts, options);
  for (const ColumnFacts& column : facts.columns)
    if (column.name != outcome) predictors.add(column);
  predictors.move_into(out);
  if (out.predictors.empty() && !options.intercept)
    throw InputError(
        fmt::format("{}: no column besides {}, and no intercept: there is nothing to estimate", facts.file, outcome));
  return out;
}

Matrix features_of(const CsvTable& table, std::span<const Predictor> predictors, Index first_row, Index rows) {
  struct Source {
    const CsvColumn* column;
    std::int32_t level;  // of an indicator; one that there is not where no row has it
  };
  std::vector<Source> sources;
  for (const Predictor& p : predictors) {
    const CsvColumn& column = *table.find(p.column);
    const auto level = std::ranges::find(column.levels, p.level);
    sources.push_back({.column = &column, .level = static_cast<std::int32_t>(level - column.levels.begin())});
  }
  Matrix out(rows, std::ssize(sources));
  constexpr Index together = 64;  // rows, which stay in the cache while one column after the other is filled in
  for (Index first = 0; first < out.rows(); first += together)
    for (Index j = 0; j < out.cols(); ++j) {
      const auto& [column, level] = sources[at(j)];
      for (Index i = first; i < std::min(first + together, out.rows()); ++i) {
        const std::size_t row = at(first_row + i);
        out(i, j) = is_text(*column) ? (column->codes[row] == level ? 1.0 : 0.0) : column->numbers[row];
      }
    }
  return out;
}

RegressionTable regression_table(CsvTable table, const RegressionOptions& options) {
  const Index rows_left_out = options.na == MissingValues::drop ? drop_incomplete_rows(table) : 0;
  TableFacts facts = facts_of(table);
  facts.rows_left_out = rows_left_out;
  RegressionTable out = regression_table(facts, options);
  out.outcome.labels = labels_of(table, out.outcome, 0, table.rows);
  out.features = features_of(table, out.predictors, 0, table.rows);
  return out;
}

CsvOptions csv_options(const std::string& file, const RegressionOptions& options) {
  CsvOptions how{.decimal_comma = options.decimal == DecimalSign::comma,
                 .texts = options.category,
                 .wanted = [&options, file](const auto& names) { return wanted_columns(file, names, options); }};
  for (const auto& [separator, sign] : separators)
    if (separator == options.separator) how.separator = sign;
  return how;
}

RegressionTable read_regression_table(const std::string& file, const RegressionOptions& options) {
  return regression_table(read_csv(file, csv_options(file, options)), options);
}

}  // namespace darboux

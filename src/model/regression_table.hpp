#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/linalg/matrix.hpp"
#include "darboux/model/registry.hpp"
#include "model/table_facts.hpp"

/// What a regression makes of a table: an outcome of two values, and predictors, which are numbers or indicators of categories.
namespace darboux {

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

/// How to read a table for a regression, and the prior of its coefficients.
struct RegressionOptions {
  std::string response{};  ///< name of the outcome's column; when empty, y if there is one, or else the first
  std::string positive{};  ///< the outcome that counts as 1
  std::vector<std::string> columns{};    ///< predictors; all columns when empty
  std::vector<std::string> drop{};       ///< columns that are none
  std::vector<std::string> category{};   ///< columns of a file that are texts, though they be numbers
  std::vector<std::string> reference{};  ///< COLUMN=LEVEL
  MissingValues na = MissingValues::refuse;
  std::optional<Separator> separator{};
  DecimalSign decimal = DecimalSign::point;
  bool intercept = true;     ///< add a column of ones
  double prior_scale = 1.0;  ///< standard deviation of every coefficient's prior, on the standardised scale
  /// That of the intercept's, at the mean of the predictors. Wide: a rate of one in a million is at −13.8, 1.4 of it away.
  double prior_intercept = 10.0;
  Standardising standardise = Standardising::numbers;
};

struct Outcome {
  enum class Chosen : std::uint8_t {
    asked,
    name,  ///< it is called y
    first  ///< no column is, and this is the first
  };
  enum class Coding : std::uint8_t {
    asked,
    zero_one,
    plain  ///< one value is plainly the positive one: yes, of yes and no
  };
  std::string column;
  Chosen chosen{};
  std::string positive, negative;  ///< as in the file
  Coding coding{};
  std::vector<double> labels{};  ///< 1 for positive, 0 for negative
  Index positives = 0;
  std::vector<std::string> candidates{};  ///< other columns of two values, where none was asked for
};
template <>
inline constexpr auto names_of<Outcome::Chosen> = std::to_array<Named<Outcome::Chosen>>(
    {{Outcome::Chosen::asked, "asked"}, {Outcome::Chosen::name, "name"}, {Outcome::Chosen::first, "first"}});
template <>
inline constexpr auto names_of<Outcome::Coding> = std::to_array<Named<Outcome::Coding>>(
    {{Outcome::Coding::asked, "asked"}, {Outcome::Coding::zero_one, "0/1"}, {Outcome::Coding::plain, "plain"}});

struct Predictor {
  enum class Kind : std::uint8_t { number, two_valued, indicator };
  std::string name;
  std::string column;
  Kind kind{};
  std::string level{};         ///< of an indicator: what it is about
  Index rows = 0;              ///< of an indicator: how many have it; of two values: how many have the rarer one
  bool counts_rows = false;    ///< goes up by one from row to row, as a number of the row does
  double range = 0.0;          ///< how far two values are apart; 0 where there are more
  bool may_be_levels = false;  ///< whole numbers of few values, which may be names and no amounts
};
template <>
inline constexpr auto names_of<Predictor::Kind> =
    std::to_array<Named<Predictor::Kind>>({{Predictor::Kind::number, "number"},
                                           {Predictor::Kind::two_valued, "two-valued"},
                                           {Predictor::Kind::indicator, "indicator"}});

struct Category {
  std::string column;
  std::vector<std::string> levels{};
  std::vector<Index> rows{};  ///< with each level
  std::size_t baseline = 0;   ///< which level has no indicator
};

struct RegressionTable {
  std::string file{};
  bool is_file = true;  ///< otherwise it is in memory
  Outcome outcome{};
  std::vector<Predictor> predictors{};
  Matrix features{};  ///< rows × predictors
  std::vector<Category> categories{};
  Index rows = 0, rows_left_out = 0;
  std::vector<std::string> left_out{};  ///< columns
  MissingValues na{};
  DecimalSign decimal{};
  char separator = ',';
  std::vector<std::string> remarks{};  ///< on the file
};

// NOLINTEND(readability-redundant-member-init)

[[nodiscard]] Separator separator_of(char sign);

/// Two of these texts that differ in capitals and outer spaces only; empty where there are none.
[[nodiscard]] std::pair<std::string, std::string> written_in_two_ways(std::span<const std::string> texts);

/// The outcome, but for labels of rows. Throws InputError, saying what to do, where its column is not to be found or has other than two values, or
/// where neither is plainly the positive one.
[[nodiscard]] Outcome outcome_of(const TableFacts& table, const RegressionOptions& options);
/// Which column that is, by the names of all. Throws InputError for one that is not there.
[[nodiscard]] std::pair<std::string, Outcome::Chosen> outcome_column(const std::string& file,
                                                                     std::span<const std::string> names,
                                                                     const RegressionOptions& options);

/// Numbers are predictors as they are, under the header's name; a text column with levels a < b < … (of numbers in their order, of
/// others in that of bytes) becomes the indicators column[b], … of all levels but the baseline. Throws InputError naming file, line or column, value and rule: for missing or infinite
/// values, constant columns, text columns with more than 100 levels, with dates, or with
/// numbers that have units or signs between thousands (where they are not named as categories), names that coincide. Without rows.
[[nodiscard]] RegressionTable regression_table(const TableFacts& facts, const RegressionOptions& options);
/// What this makes of rows: those of a part of the table are like those of all of it.
[[nodiscard]] Matrix features_of(const CsvTable& table, std::span<const Predictor> predictors, Index first_row,
                                 Index rows);
[[nodiscard]] std::vector<double> labels_of(const CsvTable& table, const Outcome& outcome, Index first_row, Index rows);

/// Takes out the rows that lack a value; levels that are in none of the others go as well. Says how many rows went.
Index drop_incomplete_rows(CsvTable& table);

/// All of it, of a table that is there.
[[nodiscard]] RegressionTable regression_table(CsvTable table, const RegressionOptions& options);
/// How to read a file for it: columns that are not wanted are left out. The options must outlive it.
[[nodiscard]] CsvOptions csv_options(const std::string& file, const RegressionOptions& options);
/// The same of a file, of which columns that are not wanted are not even read.
[[nodiscard]] RegressionTable read_regression_table(const std::string& file, const RegressionOptions& options);

}  // namespace darboux

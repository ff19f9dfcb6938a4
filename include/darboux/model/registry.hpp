#pragma once

// The built-in models by name, as the command line knows them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/export.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// What is divided out of predictors before their coefficients get a prior.
enum class Standardising : std::uint8_t {
  numbers,  ///< of numbers their standard deviation; of columns with two values, categories' indicators too, how far these are apart
  all       ///< the standard deviation, of indicators as well
};
template <>
inline constexpr auto names_of<Standardising> =
    std::to_array<Named<Standardising>>({{Standardising::numbers, "numbers"}, {Standardising::all, "all"}});

/// What is done with rows of a table that lack a value.
enum class MissingValues : std::uint8_t { refuse, drop };
template <>
inline constexpr auto names_of<MissingValues> =
    std::to_array<Named<MissingValues>>({{MissingValues::refuse, "refuse"}, {MissingValues::drop, "drop"}});

/// What is between the columns of a table.
enum class Separator : std::uint8_t { comma, semicolon, tab, pipe };
template <>
inline constexpr auto names_of<Separator> = std::to_array<Named<Separator>>({{Separator::comma, "comma"},
                                                                             {Separator::semicolon, "semicolon"},
                                                                             {Separator::tab, "tab"},
                                                                             {Separator::pipe, "pipe"}});

/// What is before the decimals of its numbers.
enum class DecimalSign : std::uint8_t { point, comma };
template <>
inline constexpr auto names_of<DecimalSign> =
    std::to_array<Named<DecimalSign>>({{DecimalSign::point, "point"}, {DecimalSign::comma, "comma"}});

/// What built-in models can be told. Each uses some of it and refuses the rest, so that no setting is silently ignored.
struct ModelOptions {
  std::string data;               ///< a CSV file
  std::string response;           ///< its column with the outcome
  std::string positive;           ///< the outcome to predict; by itself where it is plain, as of 0 and 1, no and yes
  std::optional<bool> intercept;  ///< yes when absent
  std::optional<double> prior_scale;         ///< 1 when absent
  std::optional<double> prior_intercept;     ///< 10 when absent
  std::optional<Standardising> standardise;  ///< numbers when absent
  std::vector<std::string> columns;          ///< predictors; all columns when empty
  std::vector<std::string> drop;             ///< columns that are none
  std::vector<std::string> category;         ///< columns that are categories, though they be written in numbers
  std::vector<std::string> reference;        ///< COLUMN=LEVEL: categories' baselines; the first level where not named
  std::optional<MissingValues> na;           ///< refuse when absent
  std::optional<Separator> separator;        ///< by the header when absent
  std::optional<DecimalSign> decimal;        ///< point when absent
  std::optional<Index> dimension;
};

/// A built-in model: its name, what it is, and which options it takes.
struct BuiltInModel {
  std::string_view name;
  std::string_view description;
  std::string_view options;  ///< names of the options it uses, separated by spaces
  std::string_view shows;    ///< of an example: what it is there to show; empty of others
};
[[nodiscard]] DARBOUX_API std::span<const BuiltInModel> built_in_models();

/// Throws InputError for an unknown name (with a suggestion), an option that the model does not take, or bad data.
[[nodiscard]] DARBOUX_API std::shared_ptr<const Model> make_model(std::string_view name, const ModelOptions& options);

}  // namespace darboux

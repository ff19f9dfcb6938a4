#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What values of a table spell.
namespace darboux {

/// Whether it stands for a value that is not there: nothing, ?, NA, N/A, #N/A, NaN, in any case.
[[nodiscard]] bool is_missing(std::string_view text);

/// The number that the whole text spells, if it does; infinite where no double is large enough.
[[nodiscard]] std::optional<double> as_number(std::string_view text);

/// The text with points for commas and commas for points.
[[nodiscard]] std::string with_other_sign(std::string_view text);

/// The number that a text like -12.345 spells, if it has at most 15 digits: these and the power of ten to divide by are
/// doubles, and so the quotient is the nearest double. Most numbers in files are like that.
[[nodiscard]] std::optional<double> short_decimal(std::string_view text, char decimal = '.');

}  // namespace darboux

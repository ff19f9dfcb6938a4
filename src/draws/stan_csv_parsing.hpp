#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Pieces of lines of Stan CSV files.
namespace darboux {

/// Without spaces and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The number that the whole text is, in any spelling that Stan, R or Python use: 1e-3, +2, inf, -Infinity, NaN. Numbers
/// beyond the range of double become 0 or infinite.
[[nodiscard]] std::optional<double> number_in(std::string_view text);
[[nodiscard]] std::optional<std::int64_t> whole_number_in(std::string_view text);

/// Key and value of a comment "#   key = value (Default)"; nothing for other comments.
[[nodiscard]] std::optional<std::pair<std::string, std::string>> setting_in(std::string_view comment);

/// What a comment says, without the # and spaces.
[[nodiscard]] std::string_view comment_text(std::string_view comment);

/// The number in "…1.5 seconds (Warm-up)", if the phase in brackets is this one.
[[nodiscard]] std::optional<double> seconds_in(std::string_view comment, std::string_view phase);

}  // namespace darboux

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

/// Vega-Lite specifications, written down as the JSON that they are.
namespace darboux {

/// A text as JSON, quotes included.
[[nodiscard]] std::string json_text(std::string_view text);
/// A number as JSON; null where JSON has no such number.
[[nodiscard]] std::string json_number(double x);

/// The template with each @name@ replaced by what is given for it. What was put in is not looked at again.
[[nodiscard]] std::string filled(std::string_view pattern,
                                 std::initializer_list<std::pair<std::string_view, std::string>> values);

/// A name from a file as people may see it in a title or on an axis: printable, and not too long.
[[nodiscard]] std::string shown_name(std::string_view name);

/// 1234567 as 1,234,567.
[[nodiscard]] std::string grouped(double n);

}  // namespace darboux

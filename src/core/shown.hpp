#pragma once

#include <string>
#include <string_view>

namespace darboux {

/// The beginning of a text from outside as it may appear in a message: short, on one line.
[[nodiscard]] std::string beginning_of(std::string_view text);

/// The same in quotes.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace darboux

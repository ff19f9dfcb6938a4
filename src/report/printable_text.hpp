#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text for a terminal. Names come from files that anyone may have written: what would move the cursor, hide or reverse
/// text must not get through.
namespace darboux {

/// The text with everything a terminal could obey or hide (control characters, invisible marks, marks that reverse the
/// direction of writing) and every byte that is no UTF-8 replaced by '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The same of each line.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// How many columns a printable text takes: accents that combine take none, East Asian characters and emoji two.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The text itself if it fits, or else its beginning and its end around an ellipsis: the end of a name is often an index.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// The words of a text in lines of at most `width` columns (a longer word has a line of its own), each line after `indent`,
/// and the first one after `first` in its place.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::string_view first,
                                  std::string_view indent);

}  // namespace darboux

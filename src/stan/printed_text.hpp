#pragma once

#include <cstddef>
#include <cstdint>

namespace darboux {

/// What Stan programs print goes to standard error: the first lines of it, since a print() in a model block prints at every
/// gradient. Safe to call from several threads.
void print_text_of_programs(const char* text, std::size_t length);

/// How many lines were not shown.
[[nodiscard]] std::int64_t printed_lines_left_out();

}  // namespace darboux

#include "stan/printed_text.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string_view>

namespace darboux {

namespace {

constexpr std::int64_t most_lines = 20;
std::mutex mutex;
std::int64_t lines = 0;

}  // namespace

void print_text_of_programs(const char* text, std::size_t length) {
  std::string_view left(text, length);
  const std::scoped_lock lock(mutex);
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    if (++lines > most_lines) continue;
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
    if (lines == most_lines) std::fputs("(the program goes on printing; the rest is left out)\n", stderr);
  }
}

std::int64_t printed_lines_left_out() {
  const std::scoped_lock lock(mutex);
  return std::max<std::int64_t>(0, lines - most_lines);
}

}  // namespace darboux

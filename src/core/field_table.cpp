#include "core/field_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string& rule) {
  throw InputError(fmt::format("{} = {}: must be {}", name, text.empty() ? "\"\"" : beginning_of(text), rule));
}

template <class T>
bool read_all(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

std::int64_t parse_integer(std::string_view name, std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!read_all(text, value) || value < least || value > most)
    refuse(name, text, fmt::format("a whole number from {} to {}", least, most));
  return value;
}

double parse_real(std::string_view name, std::string_view text, const RealRange& range) {
  double value = 0.0;
  const bool inside =
      read_all(text, value) && std::isfinite(value) &&
      (range.open ? value > range.least && value < range.most : value >= range.least && value <= range.most);
  if (inside) return value;
  const bool no_most = std::isinf(range.most);
  const bool no_least = std::isinf(range.least);
  if (no_least && no_most) refuse(name, text, "a number");
  if (no_most)
    refuse(name, text, fmt::format("a number {} {}", range.open ? "greater than" : "of at least", range.least));
  refuse(name, text,
         fmt::format("a number between {} and {}{}", range.least, range.most, range.open ? ", ends excluded" : ""));
}

int parse_one_of(std::string_view name, std::string_view text, std::span<const int> choices) {
  int value = 0;
  if (read_all(text, value) && std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  refuse(name, text, fmt::format("{}", fmt::join(choices, " or ")));
}

std::string parse_text(std::string_view name, std::string_view text) {
  if (text.empty()) refuse(name, text, "something, or left out");
  return std::string(text);
}

bool parse_switch(std::string_view name, std::string_view text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  refuse(name, text, "true or false");
}

std::vector<std::string> parse_list(std::string_view name, std::string_view text) {
  std::vector<std::string> found;
  std::string one;
  bool is_quoted = false, was_quoted = false;
  const auto end_one = [&] {
    if (!was_quoted) {
      one.erase(0, std::min(one.find_first_not_of(' '), one.size()));
      one.erase(one.find_last_not_of(' ') + 1);
    }
    if (one.empty()) refuse(name, text, "texts between commas, none of them empty");
    found.push_back(std::exchange(one, {}));
    was_quoted = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins = one.find_first_not_of(' ') == std::string::npos && !was_quoted;
    if (is_quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      one += text[++i];
    } else if (c == '"' && (is_quoted || begins)) {
      if (!is_quoted) one.clear();
      is_quoted = !is_quoted;
      was_quoted = true;
    } else if (c == ',' && !is_quoted) {
      end_one();
    } else if (!was_quoted || is_quoted) {
      one += c;
    } else if (c != ' ') {
      refuse(name, text, "texts between commas: after a closing quote comes a comma");
    }
  }
  if (is_quoted) refuse(name, text, "texts between commas: a quote is opened and never closed");
  end_one();
  return found;
}

std::string note_on(const Renamed& renamed, std::string_view prefix) {
  return fmt::format("{0}{1} is now called {0}{2}; the old name goes with the next version", prefix, renamed.former,
                     renamed.now);
}

std::string show_real(double value) { return fmt::format("{}", value); }

std::string joined(std::span<const std::string_view> names, std::string_view separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

}  // namespace darboux

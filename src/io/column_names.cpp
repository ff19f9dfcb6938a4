#include "io/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Where the index of a name begins: the "[1,2]" of a[1,2], the ".1.2" of a.1.2, the ":1.3" of t:1.3; its end if none.
std::size_t index_start(std::string_view name) {
  if (name.ends_with(']')) {
    const auto open = name.rfind('[');
    if (open == std::string_view::npos) return name.size();
    bool after_digit = false;
    for (const char c : name.substr(open + 1, name.size() - open - 2)) {
      if (!is_digit(c) && !(c == ',' && after_digit)) return name.size();
      after_digit = is_digit(c);
    }
    return after_digit ? open : name.size();
  }
  std::size_t start = name.size();
  for (std::size_t i = name.size(); i-- > 0;) {
    if (is_digit(name[i])) continue;
    const bool separates = (name[i] == '.' || name[i] == ':') && i + 1 < start;
    if (!separates) break;
    start = i;
  }
  return start;
}

/// The length of the UTF-8 character at the start of the text, which is not ASCII; 0 if it is none. (Overlong forms and
/// surrogates pass here: no reader of ours minds.)
std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF8 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || length > text.size()) return 0;
  const bool continues = std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length),
                                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
  return continues ? length : 0;
}

std::string spelt_with_word_characters(std::string_view text) {
  std::string out;
  bool gap = false;
  while (!text.empty()) {
    const std::size_t length = is_word(text.front()) ? 1 : utf8_length(text);
    if (length == 0) {
      gap = true;
      text.remove_prefix(1);
      continue;
    }
    if (gap && !out.empty()) out += '_';
    gap = false;
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string_view complex_part(std::string_view name) {
  for (const std::string_view part : {".real", ".imag"})
    if (name.ends_with(part) && name.size() > part.size()) return part;
  return {};
}

std::string stan_column_name(std::string_view name) {
  const std::size_t start = index_start(name);
  std::string column = spelt_with_word_characters(name.substr(0, start));
  if (column.empty())
    throw InputError(fmt::format("name {}: a name needs a letter or a digit to become a column", shown(name)));
  if (column.ends_with("__"))
    throw InputError(
        fmt::format("name {}: names that end in __ are reserved for the sampler's own columns", shown(name)));
  for (const char c : name.substr(start))
    if (c != ']') column += c == '[' || c == ',' ? '.' : c;
  return column;
}

std::vector<std::string> stan_column_names(std::span<const std::string> names) {
  std::vector<std::string> columns;
  columns.reserve(names.size());
  std::map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view part = complex_part(names[i]);
    const std::string_view whole = std::string_view(names[i]).substr(0, names[i].size() - part.size());
    const bool is_complex =
        (part == ".real" && i + 1 < names.size() && names[i + 1] == fmt::format("{}.imag", whole)) ||
        (part == ".imag" && i > 0 && names[i - 1] == fmt::format("{}.real", whole));
    columns.push_back(is_complex ? stan_column_name(whole).append(part) : stan_column_name(names[i]));
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (const auto [other, is_new] = first.emplace(columns[i], i); !is_new)
      throw InputError(fmt::format("names {} and {} would both be column {}: rename one of them",
                                   shown(names[other->second]), shown(names[i]), columns[i]));
  return columns;
}

std::string display_name(std::string_view column) {
  if (const std::string_view part = complex_part(column); !part.empty())
    return display_name(column.substr(0, column.size() - part.size())).append(part);
  const std::size_t start = index_start(column);
  const std::string_view index = column.substr(start);
  if (index.empty() || index.front() != '.' || index.find(':') != std::string_view::npos) return std::string(column);
  std::string shown_index(index.substr(1));
  std::replace(shown_index.begin(), shown_index.end(), '.', ',');
  return fmt::format("{}[{}]", column.substr(0, start), shown_index);
}

}  // namespace darboux

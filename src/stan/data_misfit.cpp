#include "stan/data_misfit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/shown.hpp"

namespace darboux {

namespace {

/// What follows `label`, up to one of `ends` or the end.
std::optional<std::string> after(std::string_view text, std::string_view label, std::string_view ends) {
  const auto begin = text.find(label);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + label.size());
  return std::string(text.substr(0, text.find_first_of(ends)));
}

/// "(in 'schools.stan', line 2, column 3 to column 9)", with a blank before it.
std::string place_in(std::string_view said) {
  const auto begin = said.rfind(" (in '");
  return begin == std::string_view::npos ? "" : std::string(said.substr(begin));
}

std::string names_of(const nlohmann::json& data) {
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  for (const auto& [name, value] : data.items()) names.push_back(beginning_of(name));
  if (names.empty()) return "; there is nothing in them";
  const bool too_many = names.size() > most;
  if (too_many) names.resize(most);
  return fmt::format("; there are: {}{}", fmt::join(names, ", "), too_many ? ", …" : "");
}

/// "at offset 8" of a text of many lines says little.
std::optional<std::string> syntax_error(std::string_view said, std::string_view data) {
  const auto number = after(said, "at offset ", ":");
  if (!number) return std::nullopt;
  std::size_t offset = 0;
  std::from_chars(number->data(), number->data() + number->size(), offset);
  const std::string_view before = data.substr(0, std::min(offset, data.size()));
  const auto line_begin = before.rfind('\n') + 1;  // 0 in the first line, since npos + 1 is 0
  std::string reason = after(said, *number + ":", "").value_or("");
  std::erase(reason, '\n');
  return fmt::format("line {}, column {}: it is not JSON:{}", std::ranges::count(before, '\n') + 1,
                     before.size() - line_begin + 1, reason);
}

std::string on_one_line(std::string_view said) {
  std::string text;
  for (const char c : said) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  // "schools_model_namespace::schools_model: " is of no interest.
  if (const auto scope = text.find("_namespace::"); scope != std::string::npos)
    if (const auto end = text.find(": ", scope); end != std::string::npos) text.erase(0, end + 2);
  return text;
}

}  // namespace

std::string misfit_in_words(std::string_view said, std::string_view data) {
  if (auto words = syntax_error(said, data)) return on_one_line(*words);
  const auto name = after(said, "variable name=", ";");
  // What lies deeper than anything that a program declares is left out: printing it might take all of the stack.
  const auto is_near = [](int depth, auto, const auto&) { return depth < 100; };
  const nlohmann::json values = nlohmann::json::parse(data, is_near, false);
  if (!name || !(values.is_object() || data.empty())) return on_one_line(said);
  const std::string place = place_in(said);
  if (!values.contains(*name))
    return fmt::format("there is no \"{}\", which the program declares{}{}", *name,
                       data.empty() ? "" : names_of(values), place);
  const auto declared = after(said, "dims declared=", ";"), found = after(said, "dims found=", "; ");
  if (declared && found)
    return fmt::format("\"{}\" has shape {}, but the program declares {}{}", *name, *found, *declared, place);
  if (said.find("non-int values") != std::string_view::npos)
    return fmt::format("\"{}\" must be of integers, but is {}{}", *name, beginning_of(values[*name].dump()), place);
  return on_one_line(said);
}

}  // namespace darboux

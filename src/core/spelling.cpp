#include "core/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace darboux {

namespace {

/// How many letters to insert, delete, replace, or swap with their neighbour to get from one word to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last, last, row(to.size() + 1);  // distances of the first i letters to the first j
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) out += (out.empty() ? "" : ", ") + in_list(name);
  return out;
}

}  // namespace

std::string in_list(std::string_view name) {
  return name.find(',') == std::string_view::npos ? std::string(name) : fmt::format("\"{}\"", name);
}

std::string unknown_name(std::string_view what, std::string_view given, std::span<const std::string_view> known) {
  constexpr std::size_t longest_shown = 60;  // the name may come from a file of any content
  const std::string_view shown = given.substr(0, longest_shown);
  std::string message = fmt::format("unknown {} \"{}{}\"", what, shown, shown.size() < given.size() ? "…" : "");
  if (!known.empty() && given.size() <= longest_shown) {
    const auto nearest = std::min_element(known.begin(), known.end(), [&](std::string_view a, std::string_view b) {
      return edit_distance(given, a) < edit_distance(given, b);
    });
    const std::size_t enough = std::max<std::size_t>(1, given.size() / 3);
    if (edit_distance(given, *nearest) <= enough)
      return fmt::format("{}; did you mean \"{}\"? Known: {}", message, *nearest, listed(known));
  }
  return fmt::format("{}. Known: {}", message, listed(known));
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace darboux

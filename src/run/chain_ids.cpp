#include "run/chain_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

constexpr Index largest_id = 1'000'000;

[[noreturn]] void refuse(std::string_view field, std::string_view text) {
  throw InputError(fmt::format("{} = {}: must be the first and the last id, as in 5-8, whole numbers from 1 to {}",
                               field, text, largest_id));
}

}  // namespace

std::vector<Index> parse_chain_ids(std::string_view field, std::string_view text) {
  std::vector<Index> ids;
  const auto id_in = [&](std::string_view digits) {
    Index id = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (error != std::errc() || end != digits.data() + digits.size() || id < 1 || id > largest_id) refuse(field, text);
    return id;
  };
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view range = rest.substr(0, comma);
    const std::size_t dash = range.find('-');
    const Index first = id_in(range.substr(0, dash));
    const Index last = dash == std::string_view::npos ? first : id_in(range.substr(dash + 1));
    if (last < first || (!ids.empty() && first <= ids.back())) refuse(field, text);
    for (Index id = first; id <= last; ++id) ids.push_back(id);
    if (comma == rest.size()) return ids;
    rest.remove_prefix(comma + 1);
  }
}

std::string chain_ids_text(std::span<const Index> ids) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < ids.size(); first = next) {
    for (next = first + 1; next < ids.size() && ids[next] == ids[next - 1] + 1;) ++next;
    if (!text.empty()) text += ',';
    text += fmt::to_string(ids[first]);
    if (next - first > 1) text += fmt::format("-{}", ids[next - 1]);
  }
  return text;
}

}  // namespace darboux

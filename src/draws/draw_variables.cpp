#include "draws/draw_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "darboux/core/error.hpp"
#include "draws/sampler_statistics.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

using Indices = std::vector<std::int64_t>;

/// The array and the indices, counted from 1, of a name as people write it: a[1,2].
std::pair<std::string, Indices> parted(const std::string& name) {
  const auto open = name.rfind('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, {}};
  constexpr std::int64_t most = 1'000'000'000'000;
  const std::string_view within = std::string_view(name).substr(open + 1, name.size() - open - 2);
  if (within.find_first_not_of("0123456789,") != std::string_view::npos) return {name, {}};
  Indices indices{0};
  for (const char c : within)
    if (c == ',')
      indices.push_back(0);
    else
      indices.back() = std::min(10 * indices.back() + (c - '0'), most);
  return {name.substr(0, open), indices};
}

/// Its places by indices, which are in the order of an array whose last index moves fastest.
using Entries = std::map<Indices, std::size_t>;

/// How long the axes are, where these are all entries of an array.
std::optional<Indices> shape_of(const Entries& entries) {
  Indices shape = entries.begin()->first;
  std::int64_t all = 1;
  for (const auto& [indices, place] : entries) {
    if (indices.size() != shape.size() || std::ranges::count(indices, 0) > 0) return std::nullopt;
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(shape[i], indices[i]);
  }
  for (const std::int64_t length : shape) {
    if (length > std::ssize(entries) || all > std::ssize(entries)) return std::nullopt;
    all *= length;
  }
  return all == std::ssize(entries) ? std::optional(shape) : std::nullopt;
}

void require_distinct(const std::vector<DrawVariable>& variables) {
  std::set<std::string> axes{"chain", "draw"};
  for (const DrawVariable& variable : variables)
    for (const Dimension& dimension : variable.dims) axes.insert(dimension.name);
  for (const DrawVariable& variable : variables)
    if (axes.contains(variable.name))
      throw InputError(fmt::format(
          "name {}: this is what an axis of arrays of draws is called: choose another name, or --format csv",
          variable.name));
}

}  // namespace

std::vector<DrawVariable> draw_variables(const std::string& group, const std::vector<std::string>& columns,
                                         const std::vector<std::string>& names, const std::optional<NamedAxis>& axis,
                                         std::size_t first) {
  std::vector<DrawVariable> variables;
  if (axis) {
    DrawVariable all{.group = group,
                     .name = axis->array,
                     .dims = {{.name = axis->axis, .size = std::ssize(names), .labels = names}}};
    for (std::size_t i = 0; i < columns.size(); ++i) all.places.push_back(first + i);
    return {std::move(all)};
  }
  std::vector<std::string> order;
  std::map<std::string, Entries> arrays;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [array, indices] = parted(display_name(columns[i]));
    if (!arrays.contains(array)) order.push_back(array);
    arrays[array][indices] = i;
  }
  for (const std::string& name : order) {
    const Entries& entries = arrays[name];
    if (const auto shape = shape_of(entries)) {
      DrawVariable& variable = variables.emplace_back(DrawVariable{.group = group, .name = name});
      for (const std::int64_t length : *shape)
        variable.dims.push_back({.name = fmt::format("{}_dim_{}", name, variable.dims.size()), .size = length});
      for (const auto& [indices, place] : entries) variable.places.push_back(first + place);
    } else {
      for (const auto& [indices, place] : entries)
        variables.push_back({.group = group, .name = display_name(columns[place]), .places = {first + place}});
    }
  }
  require_distinct(variables);
  return variables;
}

std::vector<DrawVariable> statistics_variables(const std::string& group) {
  std::vector<DrawVariable> variables;
  for (const SamplerStatistic& statistic : sampler_statistics) {
    using Kind = SamplerStatistic::Kind;
    variables.push_back({.group = group,
                         .name = std::string(statistic.name),
                         .places = {variables.size()},
                         .type = statistic.kind == Kind::real    ? zarr_type::real
                                 : statistic.kind == Kind::whole ? zarr_type::integer
                                                                 : zarr_type::truth});
  }
  return variables;
}

}  // namespace darboux

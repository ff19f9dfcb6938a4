#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace darboux {

/// How to tell someone that a name is not known, e.g. for what = "recipe":
///
///     unknown recipe "copled"; did you mean "coupled"? Known: canonical, magnetic-position, magnetic-momentum, coupled
///
/// A suggestion is made when few letters have to change (at most a third of the given name's, and at least one may).
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view given,
                                       std::span<const std::string_view> known);

/// A name as it stands in a list between commas: one that has a comma itself in quotes, as settings that are lists take it.
[[nodiscard]] std::string in_list(std::string_view name);

/// "1 chain", "4 chains".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view one, std::string_view many);

}  // namespace darboux

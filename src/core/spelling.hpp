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

/// "1 chain", "4 chains".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view one, std::string_view many);

}  // namespace darboux

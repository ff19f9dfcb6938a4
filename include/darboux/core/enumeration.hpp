#pragma once

// Names of enumerators, as they appear in flags, files and messages.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "darboux/core/export.hpp"

/// Names of enumerators, as they appear in flags, files and messages: one table for each enumeration, right beside it, from which
/// everything else follows.
///
///     enum class Colour { red, light_blue };
///     template <>
///     inline constexpr auto names_of<Colour> =
///         std::to_array<Named<Colour>>({{Colour::red, "red"}, {Colour::light_blue, "light-blue"}});
namespace darboux {

template <class E>
struct Named {
  E value;
  std::string_view name;
};

/// The table, in the order in which lists show the names.
template <class E>
inline constexpr std::array<Named<E>, 0> names_of{};

/// Names of earlier versions: read as ever, but neither written nor listed.
template <class E>
inline constexpr std::array<Named<E>, 0> former_names_of{};

/// An enumeration that has such a table.
template <class E>
concept Enumeration = std::is_enum_v<E> && !names_of<E>.empty();

template <Enumeration E>
[[nodiscard]] constexpr std::string_view name(E value) noexcept {
  for (const Named<E>& known : names_of<E>)
    if (known.value == value) return known.name;
  return "unknown";
}

template <Enumeration E>
[[nodiscard]] constexpr auto all_values() noexcept {
  std::array<E, names_of<E>.size()> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = names_of<E>[i].value;
  return values;
}

template <Enumeration E>
[[nodiscard]] constexpr auto all_names() noexcept {
  std::array<std::string_view, names_of<E>.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = names_of<E>[i].name;
  return names;
}

/// The value of that name, or former name; none where there is no such.
template <Enumeration E>
[[nodiscard]] constexpr std::optional<E> find_name(std::string_view text) noexcept {
  for (const Named<E>& known : names_of<E>)
    if (known.name == text) return known.value;
  for (const Named<E>& former : former_names_of<E>)
    if (former.name == text) return former.value;
  return std::nullopt;
}

/// Throws InputError: unknown WHAT "GIVEN"; did you mean …? Known: …
[[noreturn]] DARBOUX_API void refuse_name(std::string_view what, std::string_view given,
                                          std::span<const std::string_view> known);

/// The value of that name, or former name. Throws InputError with a suggestion for what looks misspelt; `what` says what kind of
/// name it was to be, e.g. "integrator".
template <Enumeration E>
[[nodiscard]] constexpr E from_name(std::string_view what, std::string_view text) {
  if (const std::optional<E> found = find_name<E>(text)) return *found;
  refuse_name(what, text, all_names<E>());
}

}  // namespace darboux

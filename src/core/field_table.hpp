#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "darboux/core/enumeration.hpp"

/// One table of settings from which flags, configuration files, validation, manifest and documentation are all made: a
/// setting is described once. A Config is a plain aggregate; fields of type std::optional may be left out, and "auto" or no
/// value at all leaves them empty.
namespace darboux {

/// Reading of single values. Each throws InputError("NAME = VALUE: must be …").
[[nodiscard]] std::int64_t parse_integer(std::string_view name, std::string_view text, std::int64_t least,
                                         std::int64_t most);
struct RealRange {
  double least;
  double most;
  bool open = false;  ///< whether the ends themselves are excluded
};
[[nodiscard]] double parse_real(std::string_view name, std::string_view text, const RealRange& range);
/// One of a few whole numbers.
[[nodiscard]] int parse_one_of(std::string_view name, std::string_view text, std::span<const int> choices);
/// Any text but none.
[[nodiscard]] std::string parse_text(std::string_view name, std::string_view text);
[[nodiscard]] bool parse_switch(std::string_view name, std::string_view text);
/// The shortest text that reads back as the same number.
[[nodiscard]] std::string show_real(double value);
/// "red|green|blue", for help.
[[nodiscard]] std::string joined(std::span<const std::string_view> names, std::string_view separator);

template <class Config>
struct Field {
  std::string name;   ///< of the flag (--name) and of the key in a file
  std::string takes;  ///< what kind of value, for help: "N", "FILE", "identity|diagonal|dense"
  std::string help;
  std::function<void(Config&, std::string_view)> set;
  std::function<std::string(const Config&)> get;  ///< as `set` takes it; empty where there is no value
  bool is_switch = false;
  std::string group = {};  ///< the heading under which help lists it
};

namespace field {

/// Appends fields to a table under a heading.
template <class Config>
void add_group(std::vector<Field<Config>>& table, const std::string& heading, std::vector<Field<Config>> fields) {
  for (Field<Config>& field : fields) {
    field.group = heading;
    table.push_back(std::move(field));
  }
}

template <class T>
struct ValueOf {
  using type = T;
  static bool has(const T&) { return true; }
  static const T& get(const T& x) { return x; }
};
template <class T>
  requires requires(T x) {
    typename T::value_type;
    x.has_value();
  }
struct ValueOf<T> {
  using type = typename T::value_type;
  static bool has(const T& x) { return x.has_value(); }
  static const type& get(const T& x) { return *x; }
};

struct Description {
  std::string name, takes, help;
};

template <class Config, class T>
Field<Config> integer(Description d, T Config::* member, std::int64_t least, std::int64_t most) {
  using Value = typename ValueOf<T>::type;
  return {
      .name = d.name,
      .takes = d.takes,
      .help = d.help,
      .set = [=](Config& c,
                 std::string_view text) { c.*member = static_cast<Value>(parse_integer(d.name, text, least, most)); },
      .get =
          [=](const Config& c) {
            return ValueOf<T>::has(c.*member) ? std::to_string(ValueOf<T>::get(c.*member)) : std::string();
          }};
}

template <class Config>
Field<Config> one_of(Description d, int Config::* member, std::vector<int> choices) {
  return {.name = d.name,
          .takes = d.takes,
          .help = d.help,
          .set = [=](Config& c, std::string_view text) { c.*member = parse_one_of(d.name, text, choices); },
          .get = [=](const Config& c) { return std::to_string(c.*member); }};
}

template <class Config, class T>
Field<Config> real(Description d, T Config::* member, RealRange range) {
  return {.name = d.name,
          .takes = d.takes,
          .help = d.help,
          .set = [=](Config& c, std::string_view text) { c.*member = parse_real(d.name, text, range); },
          .get =
              [=](const Config& c) {
                return ValueOf<T>::has(c.*member) ? show_real(ValueOf<T>::get(c.*member)) : std::string();
              }};
}

template <class Config>
Field<Config> text(Description d, std::string Config::* member) {
  return {.name = d.name,
          .takes = d.takes,
          .help = d.help,
          .set = [=](Config& c, std::string_view value) { c.*member = parse_text(d.name, value); },
          .get = [=](const Config& c) { return c.*member; }};
}

template <class Config>
Field<Config> on_off(Description d, bool Config::* member) {
  return {.name = d.name,
          .takes = d.takes,
          .help = d.help,
          .set = [=](Config& c, std::string_view value) { c.*member = parse_switch(d.name, value); },
          .get = [=](const Config& c) { return std::string(c.*member ? "true" : "false"); },
          .is_switch = true};
}

/// The names are those of the member's enumeration, former ones included.
template <class Config, class T>
Field<Config> choice(Description d, T Config::* member) {
  using Value = typename ValueOf<T>::type;
  return {.name = d.name,
          .takes = joined(all_names<Value>(), "|"),
          .help = d.help,
          .set = [=](Config& c, std::string_view value) { c.*member = from_name<Value>(d.name, value); },
          .get =
              [=](const Config& c) {
                return ValueOf<T>::has(c.*member) ? std::string(darboux::name(ValueOf<T>::get(c.*member)))
                                                  : std::string();
              }};
}

}  // namespace field

}  // namespace darboux

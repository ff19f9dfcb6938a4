#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "darboux/core/enumeration.hpp"
#include "darboux/core/value_tree.hpp"

/// One table of settings from which flags, configuration files, validation, manifest and documentation are all made: a
/// setting is described once. A Config is a plain aggregate; fields of type std::optional may be left out.
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
/// Texts between commas, without the spaces around them; one in double quotes may hold commas, and "" for a quote.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view name, std::string_view text);
/// The shortest text that reads back as the same number.
[[nodiscard]] std::string show_real(double value);
/// "red|green|blue", for help.
[[nodiscard]] std::string joined(std::span<const std::string_view> names, std::string_view separator);

/// A name of an earlier version that somebody used, and what it is called now.
struct Renamed {
  std::string former;
  std::string now;
  friend bool operator==(const Renamed&, const Renamed&) = default;
};
/// "--old is now called --new; the old name goes with the next version", for `prefix` = "--".
[[nodiscard]] std::string note_on(const Renamed& renamed, std::string_view prefix);

template <class Config>
struct Field {
  std::string name;   ///< of the flag (--name) and of the key in a file
  std::string takes;  ///< what kind of value, for help: "N", "FILE", "identity|diagonal|dense"
  std::string help;
  std::function<void(Config&, std::string_view)> set;
  std::function<std::optional<ValueTree>(const Config&)> get;  ///< none where it has no value; `set` takes its text_of
  bool is_switch = false;
  bool is_list = false;                        ///< may be given again, which adds to it
  std::vector<std::string_view> choices = {};  ///< all values, where they are names
  std::vector<Renamed> former_choices = {};    ///< names of values that `set` takes, but nobody lists
  std::vector<std::string> former = {};        ///< its own names in earlier versions
  std::string group = {};                      ///< the heading under which help lists it

  [[nodiscard]] bool is_called(std::string_view text) const {
    return text == name || std::find(former.begin(), former.end(), text) != former.end();
  }
  /// What is called differently by now, where it was given by this name and value.
  [[nodiscard]] std::vector<Renamed> renamed(std::string_view given_name, std::string_view value) const {
    std::vector<Renamed> found;
    if (given_name != name) found.push_back({std::string(given_name), name});
    for (const Renamed& choice : former_choices)
      if (choice.former == value) found.push_back({name + " " + choice.former, name + " " + choice.now});
    return found;
  }
};

namespace field {

/// Appends fields to a table under a heading.
template <class Config>
void add_group(std::vector<Field<Config>>& table, std::string_view heading, std::vector<Field<Config>> fields) {
  for (Field<Config>& field : fields) {
    field.group = heading;
    table.push_back(std::move(field));
  }
}

template <class T>
struct Held {
  using type = T;
};
template <class T>
struct Held<std::optional<T>> {
  using type = T;
};

/// What a member holds: none where an optional one is left out, or a text is empty.
template <class T>
std::optional<ValueTree> tree_of(const T& value) {
  return ValueTree(value);
}
template <Enumeration E>
std::optional<ValueTree> tree_of(const E& value) {
  return ValueTree(darboux::name(value));
}
inline std::optional<ValueTree> tree_of(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<ValueTree>(text);
}
inline std::optional<ValueTree> tree_of(const std::vector<std::string>& texts) {
  return texts.empty() ? std::nullopt : std::optional<ValueTree>(ValueTree::List(texts.begin(), texts.end()));
}
template <class T>
std::optional<ValueTree> tree_of(const std::optional<T>& value) {
  return value ? tree_of(*value) : std::nullopt;
}

struct Description {
  std::string name, takes, help;
};

/// A field for one member, of Config itself or of a base of it, that takes what `read(name, text)` makes of a text.
template <class Config, class Owner, class T, class Read>
Field<Config> of_member(Description d, T Owner::* member, Read read) {
  return {.name = d.name,
          .takes = std::move(d.takes),
          .help = std::move(d.help),
          .set = [=, name = d.name](Config& c, std::string_view text) { c.*member = read(name, text); },
          .get = [=](const Config& c) { return tree_of(c.*member); }};
}

template <class Config, class Owner, class T>
Field<Config> integer(Description d, T Owner::* member, std::int64_t least, std::int64_t most) {
  return of_member<Config>(std::move(d), member, [=](std::string_view name, std::string_view text) {
    return static_cast<typename Held<T>::type>(parse_integer(name, text, least, most));
  });
}

template <class Config, class Owner>
Field<Config> one_of(Description d, int Owner::* member, std::vector<int> choices) {
  return of_member<Config>(std::move(d), member, [choices = std::move(choices)](auto name, auto text) {
    return parse_one_of(name, text, choices);
  });
}

template <class Config, class Owner, class T>
Field<Config> real(Description d, T Owner::* member, RealRange range) {
  return of_member<Config>(std::move(d), member, [=](auto name, auto text) { return parse_real(name, text, range); });
}

template <class Config, class Owner>
Field<Config> text(Description d, std::string Owner::* member) {
  return of_member<Config>(std::move(d), member, parse_text);
}

/// Given again, it adds to what there is.
template <class Config, class Owner>
Field<Config> list(Description d, std::vector<std::string> Owner::* member) {
  Field<Config> made = of_member<Config>(std::move(d), member, parse_list);
  made.set = [=, name = made.name](Config& c, std::string_view text) {
    for (std::string& one : parse_list(name, text)) (c.*member).push_back(std::move(one));
  };
  made.is_list = true;
  return made;
}

template <class Config, class Owner>
Field<Config> on_off(Description d, bool Owner::* member) {
  Field<Config> made = of_member<Config>(std::move(d), member, parse_switch);
  made.is_switch = true;
  return made;
}

/// The names are those of the member's enumeration.
template <class Config, class Owner, class T>
Field<Config> choice(std::string name, std::string help, T Owner::* member) {
  using Value = typename Held<T>::type;
  static constexpr auto names = all_names<Value>();
  Field<Config> made =
      of_member<Config>({std::move(name), joined(names, "|"), std::move(help)}, member, from_name<Value>);
  made.choices.assign(names.begin(), names.end());
  for (const Named<Value>& former : former_names_of<Value>)
    made.former_choices.push_back({std::string(former.name), std::string(darboux::name(former.value))});
  return made;
}

/// The same field, which earlier versions knew by another name.
template <class Config>
Field<Config> formerly(std::string name, Field<Config> made) {
  made.former.push_back(std::move(name));
  return made;
}

}  // namespace field

}  // namespace darboux

#pragma once

// Settings and facts with their types, as they go into JSON.

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "darboux/core/export.hpp"

namespace darboux {

/// Settings of any kind, by name and in order: what a configuration looks like from outside. An empty one has no entries.
class DARBOUX_API ValueTree {
 public:
  using List = std::vector<ValueTree>;
  using Entries = std::vector<std::pair<std::string, ValueTree>>;
  /// Whole numbers are std::int64_t wherever they fit; std::uint64_t is for larger ones only.
  using Value = std::variant<Entries, List, std::string, bool, std::int64_t, std::uint64_t, double>;

  // Implicit, so that trees can be written down: {"steps", 10}.
  // NOLINTBEGIN(google-explicit-constructor)
  ValueTree() = default;
  ValueTree(Entries entries) : value_(std::move(entries)) {}
  ValueTree(List list) : value_(std::move(list)) {}
  ValueTree(std::string text) : value_(std::move(text)) {}
  ValueTree(std::string_view text) : value_(std::string(text)) {}
  ValueTree(const char* text) : value_(std::string(text)) {}
  ValueTree(bool truth) : value_(truth) {}
  ValueTree(std::floating_point auto x) : value_(static_cast<double>(x)) {}
  ValueTree(std::signed_integral auto n) : value_(std::int64_t{n}) {}
  ValueTree(std::unsigned_integral auto n) {
    if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      value_ = std::uint64_t{n};
    else
      value_ = static_cast<std::int64_t>(n);
  }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const Value& value() const noexcept { return value_; }

  /// The entry of that name; null where there is none, or where this is no set of entries.
  [[nodiscard]] const ValueTree* find(std::string_view key) const noexcept;
  /// Adds an entry, or replaces the one of that name. What was no set of entries becomes one.
  ValueTree& set(std::string key, ValueTree value);

  friend bool operator==(const ValueTree&, const ValueTree&) = default;

 private:
  Value value_;
};

/// As one writes it in a flag: numbers with all digits, true and false, lists between commas.
[[nodiscard]] DARBOUX_API std::string text_of(const ValueTree& tree);

}  // namespace darboux

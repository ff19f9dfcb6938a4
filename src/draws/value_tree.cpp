#include "darboux/draws/value_tree.hpp"

#include <algorithm>

namespace darboux {

const ValueTree* ValueTree::find(std::string_view key) const noexcept {
  const auto* const entries = std::get_if<Entries>(&value_);
  if (entries == nullptr) return nullptr;
  const auto found = std::find_if(entries->begin(), entries->end(), [&](const auto& e) { return e.first == key; });
  return found == entries->end() ? nullptr : &found->second;
}

ValueTree& ValueTree::set(std::string key, ValueTree value) {
  if (!std::holds_alternative<Entries>(value_)) value_ = Entries{};
  auto& entries = std::get<Entries>(value_);
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
  if (found != entries.end()) {
    found->second = std::move(value);
    return found->second;
  }
  return entries.emplace_back(std::move(key), std::move(value)).second;
}

}  // namespace darboux

#include "darboux/core/value_tree.hpp"

#include <algorithm>

#include "core/field_table.hpp"

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

std::string text_of(const ValueTree& tree) {
  struct Writer {
    std::string operator()(const ValueTree::Entries& entries) const {
      std::string out;
      for (const auto& [key, value] : entries) out += (out.empty() ? "" : ", ") + key + ": " + text_of(value);
      return out;
    }
    std::string operator()(const ValueTree::List& list) const {
      std::string out;
      for (const ValueTree& value : list) out += (out.empty() ? "" : ", ") + in_list(text_of(value));
      return out;
    }
    std::string operator()(const std::string& text) const { return text; }
    /// Quoted where a comma or a quote would end it, or it begins or ends with a space.
    static std::string in_list(const std::string& text) {
      if (text.find_first_of(",\"") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ')) return text;
      std::string out = "\"";
      for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
      return out + '"';
    }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(double x) const { return show_real(x); }
    std::string operator()(std::int64_t n) const { return std::to_string(n); }
    std::string operator()(std::uint64_t n) const { return std::to_string(n); }
  };
  return std::visit(Writer(), tree.value());
}

}  // namespace darboux

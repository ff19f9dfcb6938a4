#include "io/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/shown.hpp"
#include "darboux/core/error.hpp"

namespace darboux {

namespace {

using nlohmann::json;

/// Looks at a text and keeps nothing of it but the keys of the objects that are open.
class JsonInspector final : public json::json_sax_t {
 public:
  JsonInspector(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_array(std::size_t) override { return descend(); }
  bool end_array() override { return ascend(); }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return descend();
  }
  bool end_object() override {
    keys_.pop_back();
    return ascend();
  }
  bool key(string_t& name) override {
    if (keys_.back().size() == most_fields)
      throw InputError(fmt::format("{}: an object has more than {} fields", source_, most_fields));
    if (!keys_.back().insert(name).second)
      throw InputError(fmt::format("{}: field {} is given twice", source_, shown(name)));
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
    const std::size_t end = std::min(position, text_.size());
    if (dynamic_cast<const json::out_of_range*>(&error) != nullptr)
      throw InputError(fmt::format("{}: {}: {} is too large: numbers must lie within ±1.79e308", source_,
                                   place(end - token.size()), shown(token)));
    if (text_.substr(end).find_first_not_of(" \t\r\n") == std::string_view::npos && position > text_.size())
      throw InputError(fmt::format("{}: not JSON: it ends too early, at {}", source_, place(end)));
    throw InputError(
        fmt::format("{}: not JSON at {}, where it reads {}", source_, place(end - 1), shown(line_to(end))));
  }

 private:
  // Nobody writes such by hand or by program, and what reads them would run out of stack, or of time.
  static constexpr int deepest = 100;
  static constexpr std::size_t most_fields = 50'000;

  bool descend() {
    if (++depth_ > deepest)
      throw InputError(fmt::format("{}: brackets are nested more than {} deep", source_, deepest));
    return true;
  }
  bool ascend() {
    --depth_;
    return true;
  }

  [[nodiscard]] std::size_t line_start(std::size_t at) const { return text_.substr(0, at).rfind('\n') + 1; }
  [[nodiscard]] std::string place(std::size_t at) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    return fmt::format("line {}, column {}", line, at - line_start(at) + 1);
  }
  /// The last characters of the line before `end`.
  [[nodiscard]] std::string_view line_to(std::size_t end) const {
    constexpr std::size_t most = 30;
    std::size_t begin = std::max(line_start(end - 1), end - std::min(end, most));
    while (begin < end && (static_cast<unsigned char>(text_[begin]) & 0xC0U) == 0x80U) ++begin;  // no half letters
    return text_.substr(begin, end - begin);
  }

  std::string_view text_, source_;
  int depth_ = 0;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

void require_json(std::string_view text, std::string_view source) {
  JsonInspector inspector(text, source);
  json::sax_parse(text.begin(), text.end(), &inspector);
}

}  // namespace darboux

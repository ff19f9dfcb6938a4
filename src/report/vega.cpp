#include "report/vega.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/printable_text.hpp"

namespace darboux {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double x) { return std::isfinite(x) ? fmt::format("{:.6g}", x) : "null"; }

std::string filled(std::string_view pattern, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t begin = pattern.find('@', at);
    const std::size_t end = begin == std::string_view::npos ? begin : pattern.find('@', begin + 1);
    out += pattern.substr(at, begin - at);
    if (end == std::string_view::npos) break;
    const std::string_view name = pattern.substr(begin + 1, end - begin - 1);
    bool found = false;
    for (const auto& [key, value] : values)
      if (key == name) {
        out += value;
        found = true;
      }
    if (!found) throw std::logic_error(fmt::format("a specification lacks a value for {}", name));
    at = end + 1;
  }
  return out;
}

std::string shown_name(std::string_view name) { return shortened(printable(name), 40); }

std::string grouped(double n) {
  std::string text = fmt::format("{:.0f}", n);
  for (std::size_t i = text.size(); i > 3 && text[i - 4] != '-'; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace darboux

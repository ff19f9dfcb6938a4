#include "core/shown.hpp"

#include <fmt/format.h>

namespace darboux {

std::string beginning_of(std::string_view text) {
  std::size_t most = 40;
  while (most < text.size() && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) ++most;  // no half letters
  std::string out;
  for (const char c : text.substr(0, most)) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F)
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (text.size() > most ? "…" : "");
}

std::string shown(std::string_view text) { return "\"" + beginning_of(text) + "\""; }

}  // namespace darboux

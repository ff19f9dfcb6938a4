#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace darboux {

/// A text from outside as it may appear in a message: quoted, short, on one line.
inline std::string shown(std::string_view text) {
  std::size_t most = 40;
  while (most < text.size() && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) ++most;  // no half letters
  std::string out = "\"";
  for (const char c : text.substr(0, most)) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F)
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (text.size() > most ? "…\"" : "\"");
}

}  // namespace darboux

#include "io/encoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace darboux {

namespace {

/// Of the bytes 0x80 to 0x9f.
constexpr std::array<std::uint16_t, 32> special{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                                0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

/// How many bytes follow the first one of a character, and the least number that so many may spell; none for what begins nothing.
struct Lead {
  std::size_t following = 0;
  std::uint32_t least = 0, bits = 0;
};
constexpr Lead lead_of(unsigned char c) noexcept {
  if (c >= 0xc0 && c < 0xe0) return {.following = 1, .least = 0x80, .bits = c & 0x1fU};
  if (c >= 0xe0 && c < 0xf0) return {.following = 2, .least = 0x800, .bits = c & 0x0fU};
  if (c >= 0xf0 && c < 0xf8) return {.following = 3, .least = 0x10000, .bits = c & 0x07U};
  return {};
}

}  // namespace

bool is_utf8(std::string_view bytes) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c < 0x80) continue;
    const Lead lead = lead_of(c);
    if (lead.following == 0 || lead.following >= bytes.size() - i) return false;
    std::uint32_t code = lead.bits;
    for (std::size_t k = 0; k < lead.following; ++k) {
      const auto next = static_cast<unsigned char>(bytes[++i]);
      if ((next & 0xc0U) != 0x80U) return false;
      code = (code << 6U) | (next & 0x3fU);
    }
    if (code < lead.least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  }
  return true;
}

std::string utf8_from_windows_1252(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    const std::uint32_t code = c >= 0x80 && c < 0xa0 ? special.at(c - 0x80U) : c;
    if (code < 0x80) {
      out += byte;
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0U | (code >> 6U));
      out += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
      out += static_cast<char>(0xe0U | (code >> 12U));
      out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
      out += static_cast<char>(0x80U | (code & 0x3fU));
    }
  }
  return out;
}

}  // namespace darboux

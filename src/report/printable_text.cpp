#include "report/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace darboux {

namespace {

struct Character {
  char32_t code = 0;  // 0 for a byte that begins no UTF-8
  std::size_t bytes = 1;
};

/// The character at the start of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {.code = lead, .bytes = 1};
  const std::size_t bytes = lead >= 0xF8 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // a longer spelling than needed is none
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[bytes] || code > 0x10FFFF || surrogate ? Character{} : Character{.code = code, .bytes = bytes};
}

struct Range {
  char32_t first, last;
};

template <std::size_t n>
bool is_in(char32_t code, const std::array<Range, n>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [=](const Range& r) { return code >= r.first && code <= r.last; });
}

/// Control characters, zero-width marks, marks of direction, private use: nothing to see, or worse.
constexpr std::array<Range, 9> hidden{{{0x00, 0x1F},
                                       {0x7F, 0x9F},
                                       {0xAD, 0xAD},
                                       {0x061C, 0x061C},
                                       {0x200B, 0x200F},
                                       {0x2028, 0x202E},
                                       {0x2060, 0x206F},
                                       {0xFEFF, 0xFEFF},
                                       {0xE0000, 0x10FFFF}}};
constexpr std::array<Range, 4> combining{{{0x0300, 0x036F}, {0x1AB0, 0x1AFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 9> wide{{{0x1100, 0x115F},
                                     {0x2E80, 0xA4CF},
                                     {0xAC00, 0xD7A3},
                                     {0xF900, 0xFAFF},
                                     {0xFE30, 0xFE6F},
                                     {0xFF00, 0xFF60},
                                     {0xFFE0, 0xFFE6},
                                     {0x1F300, 0x1FAFF},
                                     {0x20000, 0x3FFFD}}};

std::size_t width_of(char32_t code) { return is_in(code, combining) ? 0 : is_in(code, wide) ? 2 : 1; }

/// The longest beginning of a text that takes at most `width` columns.
std::string_view beginning(std::string_view text, std::size_t width) {
  std::size_t taken = 0, bytes = 0;
  while (bytes < text.size()) {
    const Character c = first_character(text.substr(bytes));
    if (taken + width_of(c.code) > width) break;
    taken += width_of(c.code);
    bytes += c.bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    if (is_in(c.code, hidden))
      out += '?';
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    out += printable(text.substr(0, end)) + '\n';
  return out + printable(text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    width += width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t all = display_width(text);
  if (all <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t tail = (width - 1) / 3;
  std::size_t skipped = beginning(text, all - tail).size();
  while (skipped < text.size()) {  // an accent stays with its letter; half of a wide character does not fit
    const Character c = first_character(text.substr(skipped));
    if (display_width(text.substr(skipped)) <= tail && width_of(c.code) > 0) break;
    skipped += c.bytes;
  }
  return std::string(beginning(text, width - 1 - tail)) + "…" + std::string(text.substr(skipped));
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view first, std::string_view indent) {
  std::string out, line(first);
  bool empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!empty && display_width(line) + 1 + display_width(word) > width) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

}  // namespace darboux

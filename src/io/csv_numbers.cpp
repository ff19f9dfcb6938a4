#include "csv_numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace darboux {

namespace {

bool equal_ignoring_case(std::string_view text, std::string_view capitals) {
  return std::equal(text.begin(), text.end(), capitals.begin(), capitals.end(),
                    [](char a, char b) { return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b); });
}

/// Whether a decimal number that no double can hold is too large for one, and not too small: by its power of ten, which is its
/// exponent and how far its first digit stands before the point. By one too little behind the point, which does not matter here.
bool is_large(std::string_view text) {
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  std::string_view power = text.substr(std::min(mantissa.size() + 1, text.size()));
  power.remove_prefix(power.starts_with('+') ? 1 : 0);
  std::int64_t exponent = 0;
  const auto error = std::from_chars(power.data(), power.data() + power.size(), exponent).ec;
  if (error == std::errc::result_out_of_range) return !power.starts_with('-');
  return exponent > first - point;
}

}  // namespace

bool is_missing(std::string_view text) {
  return text.empty() || text == "?" ||
         (text.size() <= 4 && (equal_ignoring_case(text, "NA") || equal_ignoring_case(text, "NAN") ||
                               equal_ignoring_case(text, "N/A") || equal_ignoring_case(text, "#N/A")));
}

std::optional<double> as_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const char *const first = text.data(), *const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  const double beyond = is_large(text) ? std::numeric_limits<double>::infinity() : 0.0;
  return text.starts_with('-') ? -beyond : beyond;
}

std::string with_other_sign(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == ',' ? '.' : c == '.' ? ',' : c;
  return out;
}

std::optional<double> short_decimal(std::string_view text, char decimal) {
  constexpr std::size_t most_digits = 15;
  static constexpr std::array<double, most_digits + 1> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                              1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::array signs{1.0, -1.0};  // looked up: a branch that nobody can foresee takes longer
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  if (text.size() > most_digits + 1) return std::nullopt;
  std::int64_t all_digits = 0;
  std::size_t digits = 0, before_point = std::string_view::npos;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      all_digits = 10 * all_digits + (c - '0');
      ++digits;
    } else if (c == decimal && before_point == std::string_view::npos) {
      before_point = digits;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || digits > most_digits) return std::nullopt;
  const std::size_t decimals = before_point == std::string_view::npos ? 0 : digits - before_point;
  return static_cast<double>(all_digits) / (signs[negative ? 1 : 0] * powers[decimals]);
}

}  // namespace darboux

#include "draws/stan_csv_parsing.hpp"

#include <charconv>
#include <limits>

namespace darboux {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // from_chars takes no plus
  double value = 0.0;
  const char *const first = text.data(), *const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  const bool small = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
  const double magnitude = small ? 0.0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -magnitude : magnitude;
}

std::optional<std::int64_t> whole_number_in(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const char *const first = text.data(), *const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || error != std::errc()) return std::nullopt;
  return value;
}

std::string_view comment_text(std::string_view comment) {
  const auto first = comment.find_first_not_of('#');
  return first == std::string_view::npos ? std::string_view{} : trimmed(comment.substr(first));
}

std::optional<std::pair<std::string, std::string>> setting_in(std::string_view comment) {
  const std::string_view text = comment_text(comment);
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = trimmed(text.substr(0, equals));
  if (key.empty() || key.find(' ') != std::string_view::npos) return std::nullopt;
  std::string_view value = trimmed(text.substr(equals + 1));
  if (constexpr std::string_view mark = "(Default)"; value.ends_with(mark)) value.remove_suffix(mark.size());
  return std::pair(std::string(key), std::string(trimmed(value)));
}

std::optional<double> seconds_in(std::string_view comment, std::string_view phase) {
  const auto bracket = comment.find(phase);
  const auto unit = comment.find(" seconds ");
  if (bracket == std::string_view::npos || unit == std::string_view::npos) return std::nullopt;
  const std::string_view before = trimmed(comment.substr(0, unit));
  return number_in(before.substr(before.find_last_of(" \t:#") + 1));
}

}  // namespace darboux

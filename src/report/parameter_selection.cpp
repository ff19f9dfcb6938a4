#include "report/parameter_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/spelling.hpp"
#include "darboux/core/error.hpp"
#include "io/column_names.hpp"

namespace darboux {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts of a list; commas and spaces within brackets do not separate.
std::vector<std::string> list_parts(std::string_view list) {
  std::vector<std::string> parts(1);
  bool in_brackets = false;
  for (const char c : list) {
    if (c == '[') in_brackets = true;
    if (c == ']') in_brackets = false;
    if (!in_brackets && (c == ',' || c == ' '))
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
}

std::string_view without_index(std::string_view shown_name) { return shown_name.substr(0, shown_name.find('[')); }

/// The digits at the start of a text, without leading zeros, and how many characters they take.
std::pair<std::string_view, std::size_t> leading_number(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  return {digits.substr(std::min(digits.find_first_not_of('0'), digits.size())), digits.size()};
}

}  // namespace

bool fits_pattern(std::string_view name, std::string_view pattern) {
  // On a mismatch, the last star takes one character more; earlier stars never need to change.
  std::size_t n = 0, p = 0, after_star = std::string_view::npos, taken_to = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      taken_to = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (after_star != std::string_view::npos) {
      p = after_star;
      n = ++taken_to;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::size_t> select_names(std::span<const std::string> names, std::string_view list,
                                      std::span<const std::string> others) {
  const std::vector<std::string> parts = list_parts(list);
  if (parts.empty()) throw InputError("parameters: the list is empty; give names or patterns, for example beta,sigma*");
  std::vector<char> chosen(names.size(), 0);
  for (const std::string& part : parts) {
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool fits = fits_pattern(names[i], part) || fits_pattern(without_index(names[i]), part) ||
                        (!others.empty() && fits_pattern(others[i], part));
      if (fits) chosen[i] = 1;
      found = found || fits;
    }
    if (found) continue;
    std::vector<std::string_view> known;
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), without_index(name)) == known.end())
        known.push_back(without_index(name));
    constexpr std::size_t most = 20;  // a message, not a catalogue
    const std::string message = unknown_name("parameter", part, known);
    throw InputError(known.size() <= most ? message : message.substr(0, message.find(" Known:")));
  }
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (chosen[i] != 0) selected.push_back(i);
  return selected;
}

std::vector<std::size_t> select_columns(const StanCsvReader& file, std::string_view list) {
  std::vector<std::size_t> columns = summarised_columns(file);
  std::vector<std::string> names, spelt;
  for (const std::size_t i : columns) {
    names.push_back(display_name(file.columns()[i]));
    spelt.push_back(file.columns()[i]);
  }
  try {
    std::vector<std::size_t> selected = select_names(names, list, spelt);
    for (std::size_t& place : selected) place = columns[place];
    return selected;
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", file.path().string(), e.what()));
  }
}

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const auto [x, x_length] = leading_number(a);
      const auto [y, y_length] = leading_number(b);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      a.remove_prefix(x_length);
      b.remove_prefix(y_length);
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

void sort_rows(std::vector<SummaryRow>& rows, RowOrder order) {
  const auto smaller = [](double x, double y) { return std::isnan(y) ? !std::isnan(x) : x < y; };
  const auto smallest_ess = [](const Summary& v) { return std::fmin(v.ess_bulk, v.ess_tail); };
  const auto comes_first = [&](const SummaryRow& a, const SummaryRow& b) {
    switch (order) {
      case RowOrder::file: break;
      case RowOrder::ess: return smaller(smallest_ess(a.values), smallest_ess(b.values));
      case RowOrder::rhat: return smaller(-a.values.rhat, -b.values.rhat);
      case RowOrder::name: return natural_less(a.name, b.name);
    }
    return false;
  };
  std::vector<std::size_t> places(rows.size());  // ties stay in the order of the file
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t i, std::size_t j) {
    return comes_first(rows[i], rows[j]) || (!comes_first(rows[j], rows[i]) && i < j);
  });
  std::vector<SummaryRow> sorted;
  for (const std::size_t place : places) sorted.push_back(std::move(rows[place]));
  rows = std::move(sorted);
}

}  // namespace darboux

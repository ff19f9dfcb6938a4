#pragma once

#include <string>
#include <utility>
#include <variant>

namespace darboux {

/// A value, by which tables are sorted and which is downloaded, and what is shown of it.
struct TableCell {
  TableCell(std::string shown, bool worrying = false) : value(shown), text(std::move(shown)), alarming(worrying) {}
  TableCell(const char* shown) : TableCell(std::string(shown)) {}
  TableCell(double number, std::string shown, bool worrying = false)
      : value(number), text(std::move(shown)), alarming(worrying) {}
  std::variant<double, std::string> value;
  std::string text;
  bool alarming = false;  ///< to be seen at a glance, where there are colours
};

}  // namespace darboux

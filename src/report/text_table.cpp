#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "darboux/core/error.hpp"
#include "report/printable_text.hpp"

namespace darboux {

namespace {

constexpr std::size_t gap = 2;

/// What stands left of the decimal point, or all of a text without one.
std::size_t width_before_point(std::string_view text) { return display_width(text.substr(0, text.find('.'))); }

/// Numbers like 1.2e-9 are flush right: a point in them says nothing about their size, and would only widen the column.
bool has_exponent(std::string_view text) { return text.find('e') != std::string_view::npos; }

/// How a column is laid out: titles and cells share `total`, and decimal points stand after `before` of it.
struct Layout {
  std::size_t total = 0;
  std::size_t before = 0;
};

struct Line {
  std::string text;         // may contain codes for colours
  std::size_t pending = 0;  // spaces to write before the next visible character

  void write(std::string_view visible, std::string_view code) {
    if (visible.empty()) return;
    text.append(pending, ' ');
    pending = 0;
    text += code.empty() ? std::string(visible) : fmt::format("\x1b[{}m{}\x1b[0m", code, visible);
  }
};

}  // namespace

TextTable::TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<TableCell> cells) {
  if (cells.size() != columns_.size())
    throw Error(fmt::format("a row of {} cells in a table of {} columns", cells.size(), columns_.size()));
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(const TableStyle& style) const {
  std::vector<Layout> layouts;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    Layout layout;
    std::size_t after = 0;
    for (const auto& row : rows_) {
      const std::string& cell = row[j].text;
      const std::size_t width = display_width(cell);
      layout.total = std::max(layout.total, width);
      if (columns_[j].alignment != Alignment::decimal || has_exponent(cell)) continue;
      const std::size_t before = width_before_point(cell);
      layout.before = std::max(layout.before, before);
      after = std::max(after, width - before);
    }
    layout.total = std::max({layout.total, layout.before + after, display_width(columns_[j].title)});
    layout.before = layout.total - after;
    layouts.push_back(layout);
  }

  std::vector<std::size_t> shown;
  for (std::size_t j = 0; j < columns_.size(); ++j) shown.push_back(j);
  for (;;) {
    std::size_t width = 0;
    int most = 0;
    for (const std::size_t j : shown) {
      width += layouts[j].total + (width == 0 ? 0 : gap);
      most = std::max(most, columns_[j].dispensable);
    }
    if (width <= style.width || most == 0) break;
    std::erase_if(shown, [&](std::size_t j) { return columns_[j].dispensable == most; });
  }

  std::string out;
  const auto write_line = [&](const auto& cell_of, bool is_title) {
    Line line;
    for (const std::size_t j : shown) {
      const auto& [text, code] = cell_of(j);
      const std::size_t width = display_width(text);
      const bool by_point = columns_[j].alignment == Alignment::decimal && !is_title && !has_exponent(text);
      std::size_t left = layouts[j].total - width;
      if (by_point) left = layouts[j].before - width_before_point(text);
      if (columns_[j].alignment == Alignment::left) left = 0;
      line.pending += left;
      line.write(text, style.colours ? code : "");
      line.pending += layouts[j].total - left - width + gap;
    }
    out += line.text + "\n";
  };
  using Shown = std::pair<std::string_view, std::string_view>;
  write_line([&](std::size_t j) { return Shown(columns_[j].title, "1"); }, true);
  for (const auto& row : rows_)
    write_line([&](std::size_t j) { return Shown(row[j].text, row[j].alarming ? "31" : ""); }, false);
  return out;
}

}  // namespace darboux

#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "darboux/core/error.hpp"
#include "darboux/version.hpp"

namespace darboux {

namespace {

using nlohmann::ordered_json;

ordered_json exactly(double x) {
  if (std::isnan(x)) return nullptr;
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return x;
}

/// As much as can be seen in a picture, where there is no place for what is not finite.
ordered_json about(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (x == std::round(x) && std::abs(x) < 1e15) return static_cast<std::int64_t>(x);
  return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr);
}

ordered_json json_of(const DataColumn& column) {
  ordered_json values = ordered_json::array();
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
    for (const double x : *numbers) values.push_back(about(x));
  else
    values = std::get<std::vector<std::string>>(column.values);
  return {{"name", column.name}, {"values", std::move(values)}};
}

ordered_json json_of(const Figure& figure) {
  ordered_json out{{"title", figure.title},
                   {"caption", figure.caption},
                   {"spec", ordered_json::parse(figure.spec)},
                   {"height", figure.height}};
  if (figure.wide) out["wide"] = true;
  if (figure.square) out["square"] = true;
  out["data"] = ordered_json::array();
  for (const DataColumn& column : figure.data) out["data"].push_back(json_of(column));
  return out;
}

ordered_json json_of(const ReportColumn& column) {
  ordered_json out{{"title", column.title}, {"kind", column.is_number ? "number" : "text"}};
  if (!column.help.empty()) out["help"] = column.help;
  if (column.dispensable > 0) out["dispensable"] = column.dispensable;
  if (column.first == SortFirst::largest) out["first"] = "largest";
  return out;
}

ordered_json json_of(const TableCell& cell) {
  const auto* text = std::get_if<std::string>(&cell.value);
  if (text != nullptr && *text == cell.text && !cell.alarming) return cell.text;
  ordered_json out{{"value", text != nullptr ? ordered_json(*text) : exactly(std::get<double>(cell.value))},
                   {"text", cell.text}};
  if (cell.alarming) out["alarm"] = true;
  return out;
}

ordered_json json_of(const ReportTable& table) {
  ordered_json out{{"columns", ordered_json::array()}, {"rows", ordered_json::array()}, {"omitted", table.omitted}};
  if (!table.caption.empty()) out["caption"] = table.caption;
  for (const ReportColumn& column : table.columns) out["columns"].push_back(json_of(column));
  for (const auto& row : table.rows) {
    ordered_json cells = ordered_json::array();
    for (const TableCell& cell : row) cells.push_back(json_of(cell));
    out["rows"].push_back(std::move(cells));
  }
  if (table.prose) out["prose"] = true;
  return out;
}

ordered_json json_of(const std::vector<ReportTable>& tables) {
  ordered_json out = ordered_json::array();
  for (const ReportTable& table : tables) out.push_back(json_of(table));
  return out;
}

ordered_json json_of(const ReportContrast& contrast) {
  ordered_json out{{"paper", contrast.paper}, {"here", contrast.brief.empty() ? contrast.here : contrast.brief}};
  if (!contrast.verdict.empty()) out["verdict"] = contrast.verdict;
  if (!contrast.numbers.empty()) out["numbers"] = json_of(contrast.numbers);
  return out;
}

ordered_json json_of(const ReportSection& section) {
  ordered_json out{{"id", section.id}, {"name", section.name}, {"title", section.title}};
  if (section.mood != Mood::none) out["mood"] = name(section.mood);
  if (section.lead) out["lead"] = true;
  if (!section.part.empty()) out["part"] = section.part;
  if (!section.text.empty()) out["text"] = section.text;
  for (const ReportNote& note : section.notes)
    out["notes"].push_back({{"finding", note.finding}, {"advice", note.advice}});
  for (const ReportContrast& contrast : section.contrasts) out["contrasts"].push_back(json_of(contrast));
  if (!section.numbers.empty()) out["numbers"] = json_of(section.numbers);
  if (section.table) out["table"] = json_of(*section.table);
  for (const LegendEntry& entry : section.legend)
    out["legend"].push_back({{"label", entry.label}, {"colour", entry.colour}});
  for (const Figure& figure : section.figures) out["figures"].push_back(json_of(figure));
  if (!section.code.empty()) out["code"] = section.code;
  return out;
}

}  // namespace

std::string report_to_json(const Report& report) {
  ordered_json out{{"schema", report_schema},
                   {"title", report.title},
                   {"facts", report.facts},
                   {"made_by", fmt::format("Made by darboux {}.", version())},
                   {"sections", ordered_json::array()}};
  for (const ReportSection& section : report.sections) out["sections"].push_back(json_of(section));
  // Names from files may be no UTF-8, or end a script.
  const std::string text = out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text)
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

std::string fill_page(std::string_view page, std::string_view source, const Report& report) {
  constexpr std::string_view place = "@DATA@";
  const std::size_t at = page.find(place);
  if (!page.starts_with(report_page_start) || at == std::string_view::npos)
    throw InputError(
        fmt::format("{}: this is no page for reports; use the one that is installed with darboux", source));
  return fmt::format("{}{}{}", page.substr(0, at), report_to_json(report), page.substr(at + place.size()));
}

}  // namespace darboux

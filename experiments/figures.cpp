#include "figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "paper_method.hpp"

namespace darboux::experiments {

namespace {

using Json = nlohmann::ordered_json;

/// A colour for each method: blue for what the paper compares with, orange for magnetic momentum, green for coupled.
Json method_scale() {
  Json labels = Json::array();
  for (const PaperMethod& method : paper_methods()) labels.push_back(method.label);
  return {{"domain", labels},
          {"range",
           {"#3d6d9e", "#7fb2dc", "#7d2b02", "#a33a05", "#dd6a0c", "#f28e2b", "#f9b36b", "#fdd3a6", "#2c7a30",
            "#4da643", "#83cc75", "#b9e3af"}}};
}

}  // namespace

Figure box_figure(const Table& runs, const BoxFigure& what) {
  Table data = select(runs, {{what.of, "case"}, {"method", "method"}, {what.column, "value"}});
  for (std::string& name : std::get<std::vector<std::string>>(data[1].values)) name = paper_method(name).label;
  Json y{{"field", "value"}, {"type", "quantitative"}, {"title", what.unit}, {"scale", {{"zero", false}}}};
  if (what.logarithmic) y["scale"] = {{"type", "log"}};
  const Json color{{"field", "method"}, {"type", "nominal"}, {"title", nullptr}, {"scale", method_scale()}};
  const Json spec{
      {"mark", {{"type", "boxplot"}, {"extent", "min-max"}, {"size", 5}, {"median", {{"color", "#808080"}}}}},
      {"encoding",
       {{"x",
         {{"field", "case"},
          {"type", "nominal"},
          {"sort", nullptr},
          {"title", what.of_title},
          {"axis", {{"labelAngle", -30}, {"grid", true}, {"tickBand", "extent"}}}}},
        {"xOffset", {{"field", "method"}, {"type", "nominal"}, {"sort", method_scale()["domain"]}}},
        {"y", y},
        {"color", color}}}};
  return {.title = what.title, .caption = what.caption, .spec = spec.dump(), .height = 320, .data = std::move(data)};
}

ReportTable median_table(const Table& runs, std::string_view of, std::string_view column) {
  ReportTable table{.columns = {{.title = std::string(of), .is_number = false}}};
  const std::vector<std::string> methods = levels(runs, "method");
  for (const std::string& method : methods) {
    const PaperMethod& known = paper_method(method);
    table.columns.push_back({.title = std::string(known.label),
                             .help = known.is_approximate() ? "approximate" : "",
                             .dispensable = known.in_paper ? 0 : 1});
  }
  for (const std::string& level : levels(runs, of)) {
    std::vector<ReportCell> row{ReportCell(level)};
    for (const std::string& method : methods)
      row.push_back(cell_of(median(numbers_where(runs, column, {{of, level}, {"method", method}}))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string shown(double x) {
  if (!std::isfinite(x)) return "–";
  if (x != 0.0 && (std::abs(x) < 1e-3 || std::abs(x) >= 1e6)) return fmt::format("{:.2e}", x);
  return std::abs(x) >= 100.0 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

ReportCell cell_of(double x) { return {x, shown(x)}; }

}  // namespace darboux::experiments

#include "figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "paper_method.hpp"

namespace darboux::experiments {

namespace {

using Json = nlohmann::ordered_json;

/// A colour for each method: blue for what the paper compares with, orange for magnetic momentum, green for coupled.
constexpr std::array colours{"#3d6d9e", "#7fb2dc", "#7d2b02", "#a33a05", "#c45208", "#dd6a0c", "#f28e2b",
                             "#f9b36b", "#fdd3a6", "#2c7a30", "#4da643", "#83cc75", "#b9e3af"};

/// Of those that a table has.
Json method_scale(const Table& runs) {
  const auto present = levels(runs, "method");
  Json labels = Json::array(), range = Json::array();
  for (std::size_t m = 0; m < paper_methods().size(); ++m) {
    if (std::find(present.begin(), present.end(), paper_methods()[m].name) == present.end()) continue;
    labels.push_back(paper_methods()[m].label);
    range.push_back(colours.at(m));
  }
  return {{"domain", labels}, {"range", range}};
}

}  // namespace

Figure box_figure(const Table& runs, const BoxFigure& what) {
  Table data = select(runs, {{what.of, "case"}, {"method", "method"}, {what.column, "value"}});
  for (std::string& name : std::get<std::vector<std::string>>(data[1].values)) name = paper_method(name).label;
  Json y{{"field", "value"}, {"type", "quantitative"}, {"title", what.unit}, {"scale", {{"zero", false}}}};
  if (what.logarithmic) y["scale"] = {{"type", "log"}, {"nice", false}};
  const Json scale = method_scale(runs);
  const Json color{{"field", "method"}, {"type", "nominal"}, {"title", nullptr}, {"scale", scale}};
  const Json spec{{"mark",
                   {{"type", "boxplot"},
                    {"extent", "min-max"},
                    {"size", nullptr},
                    {"box", {{"width", {{"band", 1}}}}},
                    {"median", {{"color", "#808080"}, {"width", {{"band", 1}}}}}}},
                  {"encoding",
                   {{"x",
                     {{"field", "case"},
                      {"type", "nominal"},
                      {"sort", nullptr},
                      {"title", what.of_title},
                      {"scale", {{"padding", 0}}},
                      {"axis", {{"labelAngle", -30}, {"grid", true}, {"tickBand", "extent"}}}}},
                    {"xOffset",
                     {{"field", "method"},
                      {"type", "nominal"},
                      {"sort", scale["domain"]},
                      {"scale", {{"paddingInner", 0.2}, {"paddingOuter", 1}}}}},
                    {"y", y},
                    {"color", color}}}};
  constexpr std::size_t many = 60;
  const bool wide = levels(runs, what.of).size() * levels(runs, "method").size() > many;
  return {.title = what.title,
          .caption = what.caption,
          .spec = spec.dump(),
          .height = 320,
          .wide = wide,
          .data = std::move(data)};
}

ReportTable method_table(const Table& runs, const MethodTable& what) {
  ReportTable table{.columns = {{.title = std::string(what.of), .is_number = false}}};
  const std::vector<std::string> methods = levels(runs, "method");
  for (const std::string& method : methods) {
    const PaperMethod& known = paper_method(method);
    table.columns.push_back({.title = std::string(known.label),
                             .help = known.is_approximate() ? "approximate" : "",
                             .dispensable = known.in_paper ? 0 : 1});
  }
  for (const std::string& level : levels(runs, what.of)) {
    std::vector<TableCell> row{TableCell(level)};
    for (const std::string& method : methods) {
      const double value = what.reduce(numbers_where(runs, what.column, {{what.of, level}, {"method", method}}));
      row.emplace_back(value, what.show(value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string shown(double x) {
  if (!std::isfinite(x)) return "–";
  if (x != 0.0 && (std::abs(x) < 1e-3 || std::abs(x) >= 1e6)) return fmt::format("{:.2e}", x);
  return std::abs(x) >= 100.0 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x);
}

std::string with_three_decimals(double x) { return std::isfinite(x) ? fmt::format("{:.3f}", x) : "–"; }

std::string extreme_text(const Table& runs, std::string_view column, Extreme extreme) {
  const auto typical = [&](std::string_view method) {
    return median(numbers_where(runs, column, {{"method", method}}));
  };
  const auto methods = levels(runs, "method");
  const auto less = [&](const std::string& a, const std::string& b) { return typical(a) < typical(b); };
  const std::string& found = extreme == Extreme::largest ? *std::max_element(methods.begin(), methods.end(), less)
                                                         : *std::min_element(methods.begin(), methods.end(), less);
  return fmt::format("{} ({}; Can. {})", paper_method(found).label, shown(typical(found)), shown(typical("canonical")));
}

TableCell cell_of(double x) { return {x, shown(x)}; }

}  // namespace darboux::experiments

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "contest.hpp"
#include "figures.hpp"
#include "map_methods.hpp"

namespace darboux::experiments {

namespace {

const std::string_view canonical = map_methods().front().name;

struct Standing {
  IntervalEstimate ess, ratio;  ///< per 1000 gradients, and that over canonical's
  bool converged = true;
  bool pays() const noexcept { return converged && ratio.low > 1.0; }
  bool costs() const noexcept { return converged && ratio.high < 1.0; }
};

/// Nothing where it was not tried.
std::optional<Standing> standing(const Table& map, const std::string& target, std::string_view method) {
  const auto of = [&](std::string_view column, std::string_view which) {
    return numbers_where(map, column, {{"target", target}, {"method", which}});
  };
  const std::vector<double> ess = of("ess_per_1000_gradients", method);
  if (ess.empty()) return std::nullopt;
  Standing found{.ess = interval_of(ess),
                 .ratio = paired_ratio(map, {"target", "ess_per_1000_gradients"}, target, method, canonical)};
  for (const std::string_view which : {method, canonical})  // a ratio means something if both do
    for (const double converged : of("converged", which)) found.converged = found.converged && converged != 0.0;
  return found;
}

/// One method over all targets.
struct Summary {
  std::vector<double> ratios;
  int pays = 0, costs = 0, unconverged = 0;
};
Summary summary_of(const Table& map, const MapMethod& method) {
  Summary found;
  for (const std::string& target : levels(map, "target")) {
    const auto here = standing(map, target, method.name);
    if (!here) continue;
    found.ratios.push_back(here->ratio.center);
    found.unconverged += here->converged ? 0 : 1;
    found.costs += here->costs() ? 1 : 0;
    found.pays += here->pays() ? 1 : 0;
  }
  return found;
}

ReportTable methods_table(const Table& map) {
  ReportTable table{
      .caption = "Effective draws per gradient",
      .columns = {{.title = "method", .is_number = false},
                  {.title = "times canonical", .help = "median over targets", .first = SortFirst::largest},
                  {.title = "pays", .help = "targets where a 95 % interval over runs lies above 1"},
                  {.title = "costs", .help = "targets where it lies below 1"},
                  {.title = "?", .help = "targets where not all runs did"},
                  {.title = "of", .help = "targets"}}};
  for (const MapMethod& method : map_methods()) {
    if (method.name == canonical) continue;
    const Summary found = summary_of(map, method);
    const double ratio = median(found.ratios);
    table.rows.push_back({std::string(method.name), TableCell(ratio, fmt::format("{:.2f}", ratio)),
                          count_cell(found.pays), count_cell(found.costs), count_cell(found.unconverged),
                          count_cell(std::ssize(found.ratios))});
  }
  return table;
}

/// What all methods with a structure come to together.
struct StructureSummary {
  int paying = 0;
  std::size_t cases = 0;
};
StructureSummary with_structure(const Table& map) {
  StructureSummary found;
  for (const MapMethod& method : map_methods()) {
    if (method.structure == nullptr) continue;
    const Summary own = summary_of(map, method);
    found.paying += own.pays;
    found.cases += own.ratios.size();
  }
  return found;
}

std::string title_of(const Table& map) {
  std::vector<std::string> others;
  for (const MapMethod& method : map_methods())
    if (method.structure == nullptr && method.name != canonical)
      others.push_back(fmt::format("{} on {}", method.name, summary_of(map, method).pays));
  const StructureSummary structures = with_structure(map);
  return fmt::format("A constant structure pays in {} of {} cases; of {} targets the others pay, {}", structures.paying,
                     structures.cases, levels(map, "target").size(), fmt::join(others, "; "));
}

std::string figure_title(const Table& map) {
  std::vector<std::string> medians;
  for (const MapMethod& method : map_methods())
    if (method.name != canonical)
      medians.push_back(fmt::format("{} {:.2f}", method.name, median(summary_of(map, method).ratios)));
  return fmt::format("Medians over targets: {}", fmt::join(medians, "; "));
}

ReportTable map_table(const Table& map) {
  ReportTable table{.columns = {{.title = "target", .is_number = false}}};
  for (const MapMethod& method : map_methods()) table.columns.push_back({.title = std::string(method.name)});
  for (const std::string& target : levels(map, "target")) {
    std::vector<TableCell> row{TableCell(target)};
    for (const MapMethod& method : map_methods()) {
      const auto found = standing(map, target, method.name);
      if (!found) {
        row.emplace_back(std::nan(""), "–");
      } else if (method.name == canonical) {
        row.emplace_back(found->ess.center, fmt::format("1 (of {})", shown(found->ess.center)), !found->converged);
      } else {
        row.emplace_back(found->ratio.center,
                         fmt::format("{:.2f} ({:.2f}–{:.2f}){}", found->ratio.center, found->ratio.low,
                                     found->ratio.high, found->converged ? "" : " ?"),
                         !found->converged);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Figure map_figure(const Table& map) {
  Table data;
  for (const std::string& target : levels(map, "target"))
    for (const MapMethod& method : map_methods())
      if (const auto found = standing(map, target, method.name))
        append_row(data, {{"target", target},
                          {"method", method.name},
                          {"ratio", found->ratio.center},
                          {"low", found->ratio.low},
                          {"high", found->ratio.high},
                          {"converged", found->converged ? "yes" : "not all runs"}});
  using Json = nlohmann::ordered_json;
  Json names = Json::array(), colours = Json::array();
  for (const MapMethod& method : map_methods()) {
    names.push_back(method.name);
    colours.push_back(method.colour);
  }
  const Json x{{"field", "target"},
               {"type", "nominal"},
               {"sort", nullptr},
               {"title", "target"},
               {"scale", {{"padding", 0}}},
               {"axis", {{"labelAngle", -30}, {"labelLimit", 220}, {"grid", true}, {"tickBand", "extent"}}}};
  const Json offset{{"field", "method"}, {"type", "nominal"}, {"sort", names}, {"scale", {{"paddingOuter", 1}}}};
  const Json color{
      {"field", "method"}, {"type", "nominal"}, {"title", nullptr}, {"scale", {{"domain", names}, {"range", colours}}}};
  const Json scale{{"type", "log"}};
  const Json y{{"field", "ratio"},
               {"type", "quantitative"},
               {"title", "effective draws per gradient, over canonical's (1)"},
               {"scale", scale}};
  const Json low{{"field", "low"}, {"type", "quantitative"}, {"scale", scale}};
  const Json spec{
      {"layer",
       {{{"mark", {{"type", "point"}, {"filled", true}, {"tooltip", true}, {"size", 30}}},
         {"encoding", {{"x", x}, {"xOffset", offset}, {"y", y}, {"color", color}}}},
        {{"mark", {{"type", "rule"}}},
         {"encoding", {{"x", x}, {"xOffset", offset}, {"y", low}, {"y2", {{"field", "high"}}}, {"color", color}}}},
        {{"mark", {{"type", "rule"}, {"color", "#808080"}, {"strokeDash", {4, 4}}}},
         {"encoding", {{"y", {{"datum", 1}, {"type", "quantitative"}, {"scale", scale}}}}}}}}};
  return {.title = figure_title(map),
          .caption =
              "Above the line a method gives more than canonical leapfrog for the same number of gradients. Points "
              "with 95 % intervals over runs.",
          .spec = spec.dump(),
          .height = 380,
          .wide = true,
          .data = std::move(data)};
}

std::string theorem_text(const Table& theorem) {
  const auto most = [&](std::string_view column, std::string_view structure) {
    return largest(numbers_where(theorem, column, {{"structure", structure}}));
  };
  return fmt::format(
      "For a Gaussian target no constant structure with any linear refreshment gives more than one effective square "
      "per "
      "draw, which the quarter turn attains, so only gradients per draw can be saved. For in whitened coordinates the "
      "flow is a rotation exp(t𝔹) of (q, p), draws are jointly Gaussian, and if a coordinate has the autocorrelations "
      "ρ_k, its square has ρ_k², which are not negative: 1/(1 + 2 Σ ρ_k²) ≤ 1. Of {} random E and G with random "
      "refreshments and times the best gives {:.3f} effective squares per draw, and up to {:.2f} effective draws for "
      "means; the canonical quarter turn {:.3f}.",
      numbers_where(theorem, "n", {{"structure", "random"}}).size(), most("squares_per_draw", "random"),
      most("values_per_draw", "random"), most("squares_per_draw", "canonical quarter turn"));
}

}  // namespace

Findings map_findings(const Tables& tables) {
  const Table& map = tables.at("map");
  const double by_chance = 0.025 * static_cast<double>(with_structure(map).cases);
  return {
      .sections =
          {{.id = "map",
            .name = "Where structure pays",
            .title = title_of(map),
            .text = {theorem_text(tables.at("theorem")),
                     fmt::format(
                         "Effective draws (the smaller of bulk and squares, of the worst quantity) per 1000 "
                         "gradients after warm-up, over those of canonical leapfrog; 95 % intervals over runs. "
                         "Every method has a warm-up of its own (4 chains) and the same grid: "
                         "trajectory times {}, acceptances {}, of which a pilot run with another seed chooses. "
                         "Momenta are drawn anew for every trajectory. Blocks have the spectral norm {}, random "
                         "ones are others in every run; gradients of implicit solves count (split midpoint, "
                         "tolerance {}). In 1000 dimensions dense blocks are left out: a product with one costs a "
                         "thousand gradients of that "
                         "Gaussian, and the theorem says what it can give. How well the pilot run chose is not in the "
                         "intervals: a part of a ratio may be that. "
                         "A question mark stands where not all "
                         "runs converged, canonical's or the "
                         "method's; such cases neither pay nor cost.",
                         fmt::join(MapGrid::times, ", "), fmt::join(MapGrid::acceptances, ", "), MapGrid::strength,
                         MapGrid::solver_tolerance),
                     fmt::format("Of the cases with a structure {:.1f} would seem to pay by chance alone.", by_chance)},
            .numbers = {methods_table(map)},
            .table = map_table(map),
            .figures = {map_figure(map)}}},
      .claims = {}};
}

}  // namespace darboux::experiments

#include "report/coefficients.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/spelling.hpp"
#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/summary_text.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

constexpr double clear = 0.95;

bool is_intercept(const CoefficientView& c) { return c.values == nullptr; }

TableCell digits(double x, int digits) { return {x, std::isfinite(x) ? fmt::format("{:#.{}g}", x, digits) : "–"}; }
TableCell effect_cell(double x) { return {x, fmt::format("{:.3f}", x)}; }
TableCell grouped_cell(std::int64_t n) { return {static_cast<double>(n), grouped(static_cast<double>(n))}; }

using Views = std::vector<const CoefficientView*>;

/// The medians that are the furthest from zero in widths of their intervals, as many as a figure shows, in the order of the table.
Views clearest(const Views& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  constexpr double least_width = 1e-300;  // which is not divided by as 0
  const auto clarity = [&](std::size_t i) {
    return std::abs(all[i]->median) / std::fmax(all[i]->q95 - all[i]->q5, least_width);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return clarity(a) > clarity(b) || (clarity(a) == clarity(b) && a < b);
  });
  order.resize(std::min(order.size(), most_intervals));
  std::ranges::sort(order);
  Views shown;
  for (const std::size_t i : order) shown.push_back(all[i]);
  return shown;
}
std::string which_are_shown(const Views& shown, const Views& all) {
  return shown.size() < all.size()
             ? fmt::format(" Of {} the {} that are the clearest; the table has all.", all.size(), shown.size())
             : "";
}

/// Of sign: P(> 0), or else P(< 0).
double surer(const CoefficientView& c) { return std::max(c.above_zero, 1.0 - c.above_zero); }

std::string finding(const std::vector<CoefficientView>& coefficients) {
  std::int64_t sure = 0, all = 0;
  for (const CoefficientView& c : coefficients) {
    if (is_intercept(c)) continue;
    ++all;
    sure += surer(c) >= clear;
  }
  return fmt::format("{} of {} have a sign that is {:.0f} % sure or more", sure,
                     counted(all, "coefficient", "coefficients"), 100.0 * clear);
}

ReportTable table_of(const std::vector<CoefficientView>& coefficients) {
  ReportTable table{
      .columns = {{.title = "predictor", .is_number = false},
                  {.title = "by", .is_number = false, .help = "the step that effects are of", .dispensable = 1},
                  {.title = "effect", .help = "on the log odds, of such a step: median", .first = SortFirst::largest},
                  {.title = "5 %", .help = "quantile of the effect"},
                  {.title = "95 %", .help = "quantile of the effect"},
                  {.title = "odds ratio", .help = "exp of the effect's median", .first = SortFirst::largest},
                  {.title = "5 % of it", .help = "quantile of the odds ratio", .dispensable = 1},
                  {.title = "95 % of it", .help = "quantile of the odds ratio", .dispensable = 1},
                  {.title = "P(>0)", .help = "that the effect is positive", .first = SortFirst::largest},
                  {.title = "per unit", .help = "effect of one unit of the file: median", .dispensable = 2},
                  {.title = "5 % per unit", .help = "quantile", .dispensable = 2},
                  {.title = "95 % per unit", .help = "quantile", .dispensable = 2}}};
  for (const CoefficientView& c : coefficients) {
    const auto per_unit = [&](double x) { return is_intercept(c) ? TableCell(NAN, "–") : digits(x / c.unit, 3); };
    const auto odds = [&](double x) { return is_intercept(c) ? TableCell(NAN, "–") : digits(std::exp(x), 3); };
    table.rows.push_back({c.name, c.step, effect_cell(c.median), effect_cell(c.q5), effect_cell(c.q95), odds(c.median),
                          odds(c.q5), odds(c.q95), TableCell(c.above_zero, fmt::format("{:.3f}", c.above_zero)),
                          per_unit(c.median), per_unit(c.q5), per_unit(c.q95)});
  }
  return table;
}

/// What the axis of densities spans: all posteriors, and of priors as much as leaves those their width.
std::pair<double, double> span_of(const Views& shown) {
  double low = 0.0, high = 0.0, narrowest_prior = INFINITY;
  for (const CoefficientView* c : shown) {
    low = std::min(low, c->density->low);
    high = std::max(high, c->density->low + c->density->width * static_cast<double>(c->density->heights.size() - 1));
    if (c->prior_sd > 0.0) narrowest_prior = std::min(narrowest_prior, c->prior_sd);
  }
  const double more = std::isfinite(narrowest_prior) ? std::min(2.2 * narrowest_prior, high - low) : 0.0;
  return {std::min(low, -more), std::max(high, more)};
}

struct Ridges {
  std::vector<std::string> coefficient, of;
  std::vector<double> value, base, top;
  void add(const std::string& name, const char* what, double x, double row, double height) {
    coefficient.push_back(name);
    of.emplace_back(what);
    value.push_back(x);
    base.push_back(row);
    top.push_back(row + height);
  }
};

/// Row by row, from the top down; both densities of a row on one scale, so that their areas are equal.
Ridges ridges_of(const Views& shown, std::pair<double, double> span) {
  constexpr int prior_points = 81;
  constexpr double highest = 0.88;  // of a row
  Ridges ridges;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const CoefficientView& c = *shown[i];
    const auto row = static_cast<double>(shown.size() - 1 - i);
    const std::string name = printable(c.name);
    const double peak_of_prior = c.prior_sd > 0.0 ? 1.0 / (c.prior_sd * std::sqrt(2.0 * std::numbers::pi)) : 0.0;
    const double unit =
        highest / std::max(peak_of_prior, *std::max_element(c.density->heights.begin(), c.density->heights.end()));
    for (int k = 0; k < prior_points && c.prior_sd > 0.0; ++k) {
      const double x = span.first + (span.second - span.first) * k / (prior_points - 1);
      ridges.add(name, "prior", x, row, unit * peak_of_prior * std::exp(-0.5 * std::pow(x / c.prior_sd, 2)));
    }
    for (std::size_t k = 0; k < c.density->heights.size(); ++k)
      ridges.add(name, "posterior", c.density->low + c.density->width * static_cast<double>(k), row,
                 unit * c.density->heights[k]);
  }
  return ridges;
}

std::optional<Figure> prior_figure(const std::vector<CoefficientView>& coefficients) {
  Views all;
  for (const CoefficientView& c : coefficients)
    if (c.density) all.push_back(&c);
  if (all.empty()) return std::nullopt;
  const Views shown = clearest(all);
  const auto span = span_of(shown);
  Ridges ridges = ridges_of(shown, span);
  std::string names, places;
  for (std::size_t i = 0; i < shown.size(); ++i) {  // from the bottom up, as places count
    names += (names.empty() ? "" : ", ") + json_text(shown_name(shown[shown.size() - 1 - i]->name));
    places += fmt::format("{}{}", places.empty() ? "" : ", ", i);
  }
  const bool has_prior = std::any_of(shown.begin(), shown.end(), [](auto* c) { return c->prior_sd > 0.0; });
  return Figure{
      .title = has_prior ? "What the data added to the prior" : "Where the posterior lies",
      .caption = fmt::format("Densities, each row on a scale of its own: prior and posterior of a row enclose the same "
                             "area.{}",
                             which_are_shown(shown, all)),
      .spec = filled(R"json({"layer": [
          {"data": {"values": [{}]}, "mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
          {"mark": {"type": "area", "orient": "vertical", "opacity": 0.3, "clip": true},
           "encoding": {"x": {"field": "value", "type": "quantitative", "title": "effect of the step (log odds)",
                              "scale": {"domain": [@low@, @high@], "nice": false}},
                        "y": {"field": "base", "type": "quantitative", "title": null,
                              "scale": {"domain": [0, @rows@], "nice": false},
                              "axis": {"values": [@places@], "tickCount": @rows@, "labelExpr": @labels@, "labelBaseline": "line-bottom",
                                       "labelOverlap": false, "labelColor": "var(--ink)", "labelLimit": 150, "grid": true}},
                        "y2": {"field": "top"}, "detail": {"field": "coefficient"}, @colour@}},
          {"mark": {"type": "line", "strokeWidth": 1, "clip": true},
           "encoding": {"x": {"field": "value", "type": "quantitative"}, "y": {"field": "top", "type": "quantitative"},
                        "detail": {"field": "coefficient"}, @colour@}}]})json",
                     {{"colour", R"json("color": {"field": "of", "type": "nominal", "sort": null,
                         "scale": {"domain": ["prior", "posterior"], "range": ["var(--muted)", "var(--chain-1)"]}})json"},
                      {"low", json_number(span.first)},
                      {"high", json_number(span.second)},
                      {"rows", fmt::format("{}", shown.size())},
                      {"places", places},
                      {"labels", json_text(fmt::format("[{}][datum.value]", names))}}),
      .height = 34 * static_cast<int>(shown.size()) + 50,
      .data = {{"coefficient", ridges.coefficient},
               {"of", ridges.of},
               {"value", ridges.value},
               {"base", ridges.base},
               {"top", ridges.top}}};
}

ReportTable category_table(const RegressionFacts& facts) {
  ReportTable table{
      .caption = "Categories: coefficients are against the baseline",
      .columns = {{.title = "column", .is_number = false}, {.title = "level", .is_number = false}, {.title = "rows"}}};
  for (const CategoryFacts& category : facts.categories)
    for (std::size_t i = 0; i < category.levels.size(); ++i)
      table.rows.push_back({category.column,
                            category.levels[i] + (category.levels[i] == category.baseline ? " (baseline)" : ""),
                            grouped_cell(category.rows[i])});
  return table;
}

ReportTable predictor_table(const RegressionFacts& facts) {
  ReportTable table{.caption = "Predictors",
                    .columns = {{.title = "predictor", .is_number = false},
                                {.title = "kind", .is_number = false},
                                {.title = "mean"},
                                {.title = "sd"},
                                {.title = "divided by", .help = "what the prior takes for one"}}};
  for (const PredictorFacts& p : facts.predictors)
    table.rows.push_back({p.name, p.kind, digits(p.mean, 3), digits(p.sd, 3), digits(p.scale, 3)});
  return table;
}

/// Of those kinds of predictors that there are.
std::string steps_in_words(const RegressionFacts& facts) {
  const auto has = [&](std::string_view kind) {
    return std::ranges::count(facts.predictors, kind, &PredictorFacts::kind) > 0;
  };
  std::vector<std::string> steps;
  if (has("number")) steps.emplace_back("one standard deviation of a number");
  if (has("two-valued"))
    steps.emplace_back(facts.all_by_sd ? "one standard deviation of a column with two values"
                                       : "the other of two values");
  if (has("indicator")) steps.emplace_back("a category instead of the baseline");
  return fmt::format("{}", fmt::join(steps, ", or "));
}

}  // namespace

std::optional<Figure> effects_figure(const std::vector<CoefficientView>& coefficients) {
  Views effects;
  std::size_t away = 0;
  for (const CoefficientView& c : coefficients) {
    if (is_intercept(c)) continue;
    effects.push_back(&c);
    away += c.q5 > 0.0 || c.q95 < 0.0;
  }
  const Views shown = clearest(effects);
  std::vector<EffectRow> rows;
  for (const CoefficientView* c : shown)
    rows.push_back({.name = c->name, .q5 = c->q5, .median = c->median, .q95 = c->q95});
  auto figure = interval_figure(rows, "effect (log odds)");
  if (!figure) return std::nullopt;
  figure->title = fmt::format("{} of {} effects (90 % intervals) lie away from zero", away, effects.size());
  figure->caption =
      "Effect on the log odds of one standard deviation more of a number, or of the other category: median, and the "
      "range from the 5 % to the 95 % quantile." +
      which_are_shown(shown, effects);
  return figure;
}

ReportSection coefficient_section(const RegressionFacts& facts, const std::vector<CoefficientView>& coefficients) {
  ReportSection section{.id = "coefficients", .name = "Coefficients", .title = finding(coefficients)};
  if (!facts.prior.empty()) section.text.push_back("Prior: " + printable(facts.prior) + ".");
  if (!facts.predictors.empty())
    section.text.push_back(
        fmt::format("An effect is what a step does to the log odds: {}. Per unit is what the draws have: the effect of "
                    "one unit of the file.",
                    steps_in_words(facts)));
  section.table = table_of(coefficients);
  if (auto figure = prior_figure(coefficients)) section.figures.push_back(*std::move(figure));
  return section;
}

ReportSection data_section(const RegressionFacts& facts) {
  const OutcomeFacts& y = facts.outcome;
  const double share = 100.0 * static_cast<double>(y.positives) / std::max(1.0, static_cast<double>(facts.rows));
  ReportSection section{.id = "data", .name = "Data", .title = ""};
  section.title =
      fmt::format("{} is {} in {} of {} rows ({:.3g} %)", shown_name(y.column), shown_name(y.positive),
                  grouped(static_cast<double>(y.positives)), grouped(static_cast<double>(facts.rows)), share);
  std::string text = fmt::format("Outcome: column {}{}, {} counts as 1 and {} as 0.", printable(y.column),
                                 y.asked ? "" : ", taken by default", printable(y.positive), printable(y.negative));
  if (facts.rows_left_out > 0)
    text += fmt::format(" {} with missing values {} left out.", counted(facts.rows_left_out, "row", "rows"),
                        facts.rows_left_out == 1 ? "is" : "are");
  std::string left_out;
  for (const std::string& column : facts.left_out) left_out += (left_out.empty() ? "" : ", ") + in_list(column);
  if (!left_out.empty()) text += fmt::format(" Columns not used: {}.", printable(left_out));
  section.text.push_back(std::move(text));
  for (const std::string& remark : facts.remarks) section.text.push_back(printable(remark));
  if (!facts.checksum.empty())
    section.text.push_back(fmt::format("File: {}, {}.", printable(facts.file), printable(facts.checksum)));
  if (!facts.categories.empty()) section.numbers.push_back(category_table(facts));
  section.numbers.push_back(predictor_table(facts));
  return section;
}

}  // namespace darboux

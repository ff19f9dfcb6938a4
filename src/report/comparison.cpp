#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "diagnose/quantiles.hpp"
#include "report/figures.hpp"
#include "report/run_sections.hpp"
#include "report/summary_text.hpp"
#include "report/vega.hpp"
#include "report/verdict.hpp"
#include "report/wording.hpp"

namespace darboux {

namespace {

struct Comparison {
  std::vector<ComparedRow> rows;  // of quantities that both have
  std::vector<std::string> only_first, only_second;
  double limit = 0.0;  // one of a hundred comparisons like this one has a larger |z| somewhere
  const ComparedRow* largest = nullptr;
  std::size_t beyond = 0;
};

Comparison compare(const RunSummary& first, const RunSummary& second) {
  Comparison c;
  std::map<std::string, const SummaryRow*> others;
  for (const SummaryRow& row : second.rows) others.emplace(row.name, &row);
  for (const SummaryRow& row : first.rows) {
    const auto other = others.find(row.name);
    if (other == others.end()) {
      c.only_first.push_back(shown_name(row.name));
      continue;
    }
    const Summary &a = row.values, &b = other->second->values;
    c.rows.push_back(
        {.name = row.name, .first = a, .second = b, .z = (a.mean - b.mean) / std::hypot(a.mcse_mean, b.mcse_mean)});
    others.erase(other);
  }
  for (const SummaryRow& row : second.rows)
    if (others.count(row.name) > 0) c.only_second.push_back(shown_name(row.name));
  const auto comparable = static_cast<double>(
      std::count_if(c.rows.begin(), c.rows.end(), [](const ComparedRow& row) { return std::isfinite(row.z); }));
  c.limit = normal_quantile(1.0 - 0.005 / std::max(1.0, comparable));
  for (const ComparedRow& row : c.rows) {
    if (!std::isfinite(row.z)) continue;
    if (c.largest == nullptr || std::abs(row.z) > std::abs(c.largest->z)) c.largest = &row;
    c.beyond += std::abs(row.z) > c.limit;
  }
  return c;
}

/// Names that tell the runs apart.
std::pair<std::string, std::string> two_names(const ReportedRun& first, const ReportedRun& second) {
  const std::string a = shown_name(first.name), b = shown_name(second.name);
  return a != b ? std::pair(a, b) : std::pair(a + " (first)", b + " (second)");
}

ReportSection verdict_section(const Comparison& c, const ReportedRun& first, const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  const Verdict of_first = verdict_on(first.summary), of_second = verdict_on(second.summary);
  const Mood worse = std::max(of_first.mood, of_second.mood);
  ReportSection section{.id = "verdict", .name = "Do they agree?", .title = "", .lead = true};
  if (c.largest == nullptr) {
    section.title = c.rows.empty() ? "The runs have no quantity in common" : "Nothing varies that could be compared";
    section.mood = Mood::bad;
  } else if (c.beyond == 0) {
    section.title = fmt::format("The runs agree: no mean of {} differs by more than {:.1f} standard errors",
                                c.rows.size(), std::abs(c.largest->z));
    section.mood = worse;
  } else {
    section.title = fmt::format("The runs differ in {} of {} means: {} by {:.1f} standard errors", c.beyond,
                                c.rows.size(), shown_name(c.largest->name), std::abs(c.largest->z));
    section.mood = Mood::bad;
  }
  section.notes.push_back({fmt::format("{}: {}.", a, of_first.title)});
  section.notes.push_back({fmt::format("{}: {}.", b, of_second.title)});
  if (worse == Mood::bad)
    section.text.push_back(
        "Standard errors are not reliable where a run has not converged, and so is this comparison.");
  if (!c.only_first.empty()) section.text.push_back(fmt::format("Only {} has {}.", a, some_of(c.only_first)));
  if (!c.only_second.empty()) section.text.push_back(fmt::format("Only {} has {}.", b, some_of(c.only_second)));
  return section;
}

/// What a run gave, and what it cost after warm-up.
struct Yield {
  double ess = INFINITY;  ///< the smallest bulk ESS
  double gradients = NAN, seconds = NAN;
};

Yield yield_of(const ReportedRun& run) {
  Yield yield;
  for (const SummaryRow& row : run.summary.rows) yield.ess = std::fmin(yield.ess, row.values.ess_bulk);
  if (run.summary.gradients) yield.gradients = static_cast<double>(*run.summary.gradients);
  double seconds = 0.0;
  for (const ChainFacts& chain : run.summary.chains) seconds += chain.sampling_seconds.value_or(0.0);
  if (run.manifest) seconds = run.manifest->sampling.seconds;
  if (seconds > 0.0) yield.seconds = seconds;
  return yield;
}

TableCell shown(double x, bool worrying = false) {
  if (!std::isfinite(x)) return {NAN, "–"};
  return {x, x == std::round(x) || x >= 1000.0 ? grouped(x) : fmt::format("{:.3g}", x), worrying};
}

ReportSection cost_section(const ReportedRun& first, const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  const Yield x = yield_of(first), y = yield_of(second);
  ReportSection section{
      .id = "cost", .name = "Side by side", .title = "What the runs gave, and what it cost", .lead = true};
  if (const double ratio = (x.ess / x.gradients) / (y.ess / y.gradients); std::isfinite(ratio))
    section.title = fmt::format("{} has {:.2g} times the effective draws per gradient", ratio >= 1.0 ? a : b,
                                std::max(ratio, 1.0 / ratio));
  ReportTable table{.columns = {{.title = "", .is_number = false}, {.title = a}, {.title = b}}};
  const auto add = [&](std::string what, const auto& cell) {
    table.rows.push_back({std::move(what), cell(first, x), cell(second, y)});
  };
  add("chains",
      [](const ReportedRun& r, const Yield&) { return shown(static_cast<double>(r.summary.chains_with_draws())); });
  add("draws of all chains",
      [](const ReportedRun& r, const Yield&) { return shown(static_cast<double>(all_draws(r.summary))); });
  add("integrator", [](const ReportedRun& r, const Yield&) { return TableCell(shown_name(r.summary.integrator)); });
  add("structure",
      [](const ReportedRun& r, const Yield&) { return TableCell(shown_name(setting_of(r, "structure"))); });
  add("largest R̂", [](const ReportedRun& r, const Yield&) {
    const SummaryRow* row = largest_rhat(r.summary);
    const double rhat = row == nullptr ? NAN : row->values.rhat;
    return TableCell(rhat, std::isnan(rhat) ? "–" : fmt::format("{:.3f}", rhat), rhat > WarningThresholds::rhat_above);
  });
  add("divergent transitions", [](const ReportedRun& r, const Yield&) {
    return shown(static_cast<double>(r.summary.divergences()), r.summary.divergences() > 0);
  });
  add("smallest bulk ESS", [](const ReportedRun&, const Yield& v) { return shown(std::round(v.ess)); });
  add("gradients after warm-up", [](const ReportedRun&, const Yield& v) { return shown(v.gradients); });
  add("ESS per 1000 gradients", [](const ReportedRun&, const Yield& v) { return shown(1000.0 * v.ess / v.gradients); });
  add("seconds after warm-up", [](const ReportedRun&, const Yield& v) { return shown(v.seconds); });
  add("ESS per second", [](const ReportedRun&, const Yield& v) { return shown(v.ess / v.seconds); });
  section.table = std::move(table);
  return section;
}

ReportSection means_section(const Comparison& c, const ReportedRun& first, const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  constexpr std::size_t most_rows = 2000;
  ReportSection section{.id = "means", .name = "Means", .title = ""};
  section.title = c.largest == nullptr ? "Means of both runs"
                                       : fmt::format("{} differs most: by {:.1f} standard errors",
                                                     shown_name(c.largest->name), std::abs(c.largest->z));
  ReportTable table{
      .columns = {{.title = "quantity", .is_number = false},
                  {.title = fmt::format("mean, {}", a)},
                  {.title = fmt::format("mean, {}", b)},
                  {.title = "z", .help = "difference of the means in its standard errors", .first = SortFirst::largest},
                  {.title = fmt::format("sd, {}", a), .dispensable = 2},
                  {.title = fmt::format("sd, {}", b), .dispensable = 2},
                  {.title = fmt::format("ESS, {}", a), .dispensable = 2},
                  {.title = fmt::format("ESS, {}", b), .dispensable = 2}}};
  for (const ComparedRow& row : c.rows) {
    if (table.rows.size() == most_rows) {
      ++table.omitted;
      continue;
    }
    const RowText x = row_text(row.first), y = row_text(row.second);
    table.rows.push_back({row.name,
                          {row.first.mean, x.mean},
                          {row.second.mean, y.mean},
                          {std::abs(row.z), std::isfinite(row.z) ? fmt::format("{:.2f}", std::abs(row.z)) : "–",
                           std::abs(row.z) > c.limit},
                          {row.first.sd, x.sd},
                          {row.second.sd, y.sd},
                          {row.first.ess_bulk, x.ess_bulk},
                          {row.second.ess_bulk, y.ess_bulk}});
  }
  section.table = std::move(table);
  return section;
}

void add_details(Report& report, const ReportedRun& run, const std::string& part, const std::string& prefix,
                 const ReportOptions& options) {
  const RunView view = view_of(run, options.memory);
  std::vector<ReportSection> sections = first_sections(run, view);
  for (ReportSection& section : detail_sections(run, view, sections)) sections.push_back(std::move(section));
  for (ReportSection& section : sections) {
    section.id = prefix + section.id;
    section.part = part;
    section.lead = false;
    report.sections.push_back(std::move(section));
  }
}

}  // namespace

Report comparison_report(const ReportedRun& first, const ReportedRun& second, const ReportOptions& options) {
  const Comparison c = compare(first.summary, second.summary);
  const auto [a, b] = two_names(first, second);
  Report report{.title = fmt::format("{} and {}", a, b)};
  const std::string model = model_of(first);
  report.facts.push_back(model == model_of(second) ? model : fmt::format("{} and {}", model, model_of(second)));
  report.sections.push_back(verdict_section(c, first, second));
  report.sections.push_back(cost_section(first, second));
  if (c.largest != nullptr) {
    Figure differences = difference_figure(c.rows, c.limit);
    auto both = compared_figure(c.rows, a, b);
    ReportSection section{.id = "differences", .name = "Differences", .title = differences.title, .lead = true};
    section.figures.push_back(std::move(differences));
    report.sections.push_back(std::move(section));
    report.sections.push_back(means_section(c, first, second));
    if (both) report.sections.back().figures.push_back(std::move(*both));
  }
  add_details(report, first, a, "first-", options);
  add_details(report, second, b, "second-", options);
  return report;
}

}  // namespace darboux

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "diagnose/quantiles.hpp"
#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/run_differences.hpp"
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

Comparison compare(const RunSummary& first, const RunSummary& second, std::string_view left_out) {
  Comparison c;
  std::map<std::string, const SummaryRow*> others;
  for (const SummaryRow& row : second.rows) others.emplace(row.name, &row);
  if (!left_out.empty()) others.erase(std::string(left_out));
  for (const SummaryRow& row : first.rows) {
    if (row.name == left_out) continue;
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

/// Whether, and how, the two posteriors are one.
struct Relation {
  std::optional<std::vector<RunDifference>> differences;  ///< none where a run has no manifest
  std::string other_target;                               ///< "different data": estimates are not compared then
  bool other_prior = false;
};

Relation relation_of(const ReportedRun& first, const ReportedRun& second) {
  Relation relation;
  if (model_of(first) != model_of(second)) relation.other_target = "different models";
  if (!first.manifest || !second.manifest) return relation;
  relation.differences = differences(*first.manifest, *second.manifest);
  if (relation.other_target.empty() && differ_in(*relation.differences, SettingKind::model))
    relation.other_target = "different models";
  if (relation.other_target.empty() && differ_in(*relation.differences, SettingKind::data))
    relation.other_target = "different data";
  relation.other_prior = differ_in(*relation.differences, SettingKind::prior);
  return relation;
}

/// By how much the means differ, in what a reader cares for where posteriors are not the same: posterior standard deviations.
double distance(const ComparedRow& row) {
  return std::abs(row.first.mean - row.second.mean) / std::max(row.first.sd, row.second.sd);
}

const ComparedRow* farthest(const Comparison& c) {
  const ComparedRow* found = nullptr;
  for (const ComparedRow& row : c.rows)
    if (row.name != "lp__" && std::isfinite(distance(row)) && (found == nullptr || distance(row) > distance(*found)))
      found = &row;
  return found;
}

/// Where both should find the same.
void judge(const Comparison& c, Mood worse, ReportSection& section) {
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
}

/// Where they need not.
void judge_apart(const Comparison& c, const Relation& relation, Mood worse, ReportSection& section) {
  section.mood = std::max(worse, Mood::caution);
  if (!relation.other_target.empty()) {
    section.name = "Can they be compared?";
    section.title = fmt::format("The runs are of {}: their estimates are not compared", relation.other_target);
    return;
  }
  section.name = "What does the prior do?";
  section.text.emplace_back(
      "The runs have different priors, and so different posteriors: that their means differ is no sign of trouble.");
  const ComparedRow* most = farthest(c);
  section.title = most == nullptr ? "The runs have different priors, and no quantity in common that varies"
                                  : fmt::format(
                                        "With the other prior no mean moves by more than {:.2g} posterior standard "
                                        "deviations ({})",
                                        distance(*most), shown_name(most->name));
}

ReportSection verdict_section(const Comparison& c, const Relation& relation, const ReportedRun& first,
                              const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  const Verdict of_first = verdict_on(first.summary), of_second = verdict_on(second.summary);
  const Mood worse = std::max(of_first.mood, of_second.mood);
  ReportSection section{.id = "verdict", .name = "Do they agree?", .title = "", .lead = true};
  if (relation.other_target.empty() && !relation.other_prior)
    judge(c, worse, section);
  else
    judge_apart(c, relation, worse, section);
  section.notes.push_back({fmt::format("{}: {}.", a, of_first.title)});
  section.notes.push_back({fmt::format("{}: {}.", b, of_second.title)});
  if (!relation.other_target.empty()) return section;
  if (worse == Mood::bad)
    section.text.push_back(
        "Standard errors are not reliable where a run has not converged, and so is this comparison.");
  if (!c.only_first.empty()) section.text.push_back(fmt::format("Only {} has {}.", a, some_of(c.only_first)));
  if (!c.only_second.empty()) section.text.push_back(fmt::format("Only {} has {}.", b, some_of(c.only_second)));
  return section;
}

/// "They differ in data, prior and other settings".
std::string settings_title(const std::vector<RunDifference>& all) {
  std::vector<std::string> kinds;
  for (const RunDifference& one : all)
    if (const std::string kind(name(one.kind)); std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      kinds.push_back(kind);
  if (kinds.empty()) return "Nothing differs: the runs have the same settings, and the same seed";
  if (all.size() == 1)
    return all.front().name == "seed" ? "Nothing differs but the seed"
                                      : fmt::format("The runs differ in {} alone", all.front().name);
  std::string text = kinds.front();
  for (std::size_t i = 1; i < kinds.size(); ++i) text += (i + 1 == kinds.size() ? " and " : ", ") + kinds[i];
  return "The runs differ in " + text;
}

ReportSection settings_section(const std::vector<RunDifference>& all, const ReportedRun& first,
                               const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  ReportSection section{.id = "settings", .name = "What differs", .title = settings_title(all), .lead = true};
  if (all.empty()) return section;
  ReportTable table{.columns = {{.title = "setting", .is_number = false},
                                {.title = a, .is_number = false},
                                {.title = b, .is_number = false},
                                {.title = "about", .is_number = false, .dispensable = 1}}};
  const auto shown_value = [](const std::string& value) { return value.empty() ? "not given" : printable(value); };
  for (const RunDifference& one : all)
    table.rows.push_back({one.name, shown_value(one.first), shown_value(one.second), std::string(name(one.kind))});
  section.table = std::move(table);
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

std::string cost_title(double ratio, const std::string& a, const std::string& b) {
  const std::string times = fmt::format("{:.2g}", std::max(ratio, 1.0 / ratio));
  if (times == "1") return "Both have as many effective draws per gradient";
  return fmt::format("{} has {} times the effective draws per gradient", ratio >= 1.0 ? a : b, times);
}

ReportSection cost_section(const ReportedRun& first, const ReportedRun& second) {
  const auto [a, b] = two_names(first, second);
  const Yield x = yield_of(first), y = yield_of(second);
  ReportSection section{
      .id = "cost", .name = "Side by side", .title = "What the runs gave, and what it cost", .lead = true};
  if (const double ratio = (x.ess / x.gradients) / (y.ess / y.gradients); std::isfinite(ratio))
    section.title = cost_title(ratio, a, b);
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
  const Relation relation = relation_of(first, second);
  // lp__ has the prior in it: of two priors it says nothing.
  const Comparison c = compare(first.summary, second.summary, relation.other_prior ? "lp__" : "");
  const auto [a, b] = two_names(first, second);
  Report report{.title = fmt::format("{} and {}", a, b)};
  const std::string model = model_of(first);
  report.facts.push_back(model == model_of(second) ? model : fmt::format("{} and {}", model, model_of(second)));
  report.sections.push_back(verdict_section(c, relation, first, second));
  if (relation.differences) report.sections.push_back(settings_section(*relation.differences, first, second));
  report.sections.push_back(cost_section(first, second));
  if (c.largest != nullptr && relation.other_target.empty()) {
    auto both = compared_figure(c.rows, a, b);
    Figure differences = difference_figure(c.rows, c.limit);
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

#include <fmt/format.h>

#include <cmath>

#include "report/coefficients.hpp"
#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/run_sections.hpp"
#include "report/vega.hpp"
#include "report/verdict.hpp"
#include "report/wording.hpp"

namespace darboux {

namespace {

std::string nothing_wrong(const RunSummary& summary) {
  const double least = WarningThresholds::ess_per_chain_below * static_cast<double>(summary.chains_with_draws());
  return fmt::format("No R̂ is above {}, no effective size is below {}, and no transition diverged.",
                     WarningThresholds::rhat_above, grouped(least));
}

ReportSection verdict_section(const ReportedRun& run) {
  const Verdict verdict = verdict_on(run.summary);
  ReportSection section{
      .id = "verdict", .name = "Did it work?", .title = verdict.title, .mood = verdict.mood, .lead = true};
  for (const Warning& warning : run.summary.warnings)
    section.notes.push_back({printable(warning.finding), printable(warning.advice)});
  if (verdict.mood == Mood::good) section.text.push_back(nothing_wrong(run.summary));
  return section;
}

std::string summary_title(const RunSummary& summary) {
  const SummaryRow* row = smallest_ess(summary);
  if (row == nullptr) return counted(static_cast<std::int64_t>(summary.rows.size()), "quantity", "quantities");
  return fmt::format("{} has the fewest effective draws, {}", shown_name(row->name),
                     grouped(std::fmin(row->values.ess_bulk, row->values.ess_tail)));
}

/// What to look at first where something is wrong.
std::optional<Figure> figure_of_trouble(const ReportedRun& run, const RunView& view) {
  const RunSummary& s = run.summary;
  if (has(s, Concern::divergences) && view.looks.size() >= 2) {
    // The quantity that tells divergent draws from others is the last, or among the first.
    const QuantityView* x = &view.looks.back();
    for (const QuantityView& q : view.looks)
      if (s.divergent_where && q.name == s.divergent_where->name) x = &q;
    const QuantityView* y = x == &view.looks.front() ? &view.looks[1] : &view.looks.front();
    return pair_figure(*x, *y);
  }
  if (!view.looks.empty() && (has(s, Concern::rhat) || has(s, Concern::standing_chain)))
    return trace_figure(view, view.looks.front());
  if (has(s, Concern::ess) && !view.looks.empty() && view.looks.front().growth.size() > 1) return growth_figure(view);
  if (has(s, Concern::energy))
    if (auto figure = energy_figure(view, s)) return figure;
  return std::nullopt;
}

/// What to look at first.
std::vector<Figure> main_figures(const ReportedRun& run, const RunView& view) {
  if (auto figure = figure_of_trouble(run, view)) return {*std::move(figure)};
  if (auto figure = effects_figure(view.coefficients)) return {*std::move(figure)};
  if (auto figures = estimate_figures(run.summary); !figures.empty()) return figures;
  if (!run.summary.rows.empty()) return {convergence_figure(run.summary)};
  return {};
}

}  // namespace

std::string model_of(const ReportedRun& run) {
  std::string model = setting_of(run, "model");
  if (model.empty() && !run.summary.chains.empty()) model = run.summary.chains.front().model;
  return model.empty() ? "draws" : shown_name(model);
}

std::vector<std::string> run_facts(const ReportedRun& run) {
  std::vector<std::string> facts{shown_name(run.name)};
  const auto setting = [&](std::string_view key) { return printable(setting_of(run, key)); };
  if (const std::string data = setting("data"); !data.empty()) facts.push_back("data " + data);
  if (!run.summary.integrator.empty()) {
    const std::string structure = setting("structure");
    facts.push_back(fmt::format("{}{}{}", shown_name(run.summary.integrator),
                                structure.empty() ? "" : fmt::format(" on a {} structure", shown_name(structure)),
                                has(run.summary, Concern::approximate_integrator) ? " (APPROXIMATE)" : ""));
  }
  if (run.manifest) {
    const RunManifest& m = *run.manifest;
    if (!m.started.empty()) facts.push_back(printable(m.started));
    facts.push_back(fmt::format("seed {}", m.seed));
    if (m.sampling.gradients > 0)
      facts.push_back(fmt::format("{:.3g} + {:.3g} s, {} + {} gradients (warm-up + sampling)", m.warmup.seconds,
                                  m.sampling.seconds, grouped(static_cast<double>(m.warmup.gradients)),
                                  grouped(static_cast<double>(m.sampling.gradients))));
  }
  return facts;
}

std::vector<ReportSection> first_sections(const ReportedRun& run, const RunView& view) {
  std::vector<ReportSection> sections{verdict_section(run)};
  sections.push_back({.id = "summary",
                      .name = "Summary",
                      .title = summary_title(run.summary),
                      .lead = true,
                      .table = summary_table(run.summary)});
  if (std::vector<Figure> figures = main_figures(run, view); !figures.empty()) {
    // The section has the finding as its title; a single figure below need not say it again.
    ReportSection section{.id = "main", .name = "What matters most", .title = figures.front().title, .lead = true};
    if (figures.size() > 1) section.title = "Estimates, by their size";
    section.figures = std::move(figures);
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace darboux

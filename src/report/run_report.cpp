#include "report/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/calibration.hpp"
#include "report/figures.hpp"
#include "report/printable_text.hpp"
#include "report/run_sections.hpp"
#include "report/vega.hpp"
#include "report/verdict.hpp"
#include "report/wording.hpp"

namespace darboux {

namespace {

ReportSection mixing_section(const RunView& view) {
  const auto worst = std::find_if(view.looks.begin(), view.looks.end(), [](const QuantityView& q) {
    return q.stray || q.values.rhat > WarningThresholds::rhat_above;
  });
  ReportSection section{.id = "mixing", .name = "Ranks and traces", .title = ""};
  section.title = mixing_finding(view, worst == view.looks.end() ? view.looks.front() : *worst);
  if (worst == view.looks.end() && view.looks.size() > 1)
    section.title = fmt::format("Chains agree even in the {} quantities that mix worst", view.looks.size());
  section.legend = chain_legend(view);
  if (view.looks.size() > 1) section.text.push_back("The quantities that mix worst, the worst first.");
  for (const QuantityView& q : view.looks) {
    section.figures.push_back(trace_figure(view, q));
    section.figures.push_back(rank_figure(view, q));
  }
  return section;
}

std::optional<ReportSection> pairs_section(const RunView& view) {
  std::vector<const QuantityView*> quantities;
  for (const QuantityView& q : view.looks)
    if (q.name != "lp__") quantities.push_back(&q);
  if (quantities.size() == 1 && view.looks.size() == 2)
    for (const QuantityView& q : view.looks)
      if (q.name == "lp__") quantities.push_back(&q);
  if (quantities.size() < 2) return std::nullopt;
  ReportSection section{.id = "pairs", .name = "Pairs", .title = "Pairs of the quantities that mix worst"};
  double strongest = 0.0;
  for (std::size_t i = 0; i < std::min<std::size_t>(quantities.size(), 3); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      section.figures.push_back(pair_figure(*quantities[j], *quantities[i]));
      const double here = correlation(*quantities[j], *quantities[i]);
      if (!(std::abs(here) > std::abs(strongest))) continue;
      strongest = here;
      section.title = fmt::format("Of the quantities that mix worst, {} and {} are correlated most: {:.2f}",
                                  shown_name(quantities[j]->name), shown_name(quantities[i]->name), here);
    }
  return section;
}

bool is_canonical(const ReportedRun& run) {
  const std::string structure = setting_of(run, "structure");
  const std::string& integrator = run.summary.integrator;
  return (structure.empty() || structure == "canonical") && (integrator.empty() || integrator == "leapfrog");
}

std::optional<ReportSection> energy_section(const ReportedRun& run, const RunView& view) {
  ReportSection section{.id = "energy", .name = "Energy", .title = energy_finding(run.summary)};
  if (auto figure = energy_figure(view, run.summary)) section.figures.push_back(std::move(*figure));
  if (is_canonical(run))
    if (auto figure = energy_error_figure(view)) section.figures.push_back(std::move(*figure));
  if (section.figures.empty()) return std::nullopt;
  return section;
}

ReportSection divergence_section(const RunView& view, const RunSummary& summary) {
  const std::int64_t divergences = summary.divergences();
  ReportSection section{.id = "divergences", .name = "Divergences", .title = ""};
  if (divergences == 0) {
    section.title = fmt::format("No transition of {} diverged", grouped(static_cast<double>(all_draws(summary))));
    return section;
  }
  section.title =
      fmt::format("{} of {} transitions diverged ({})", grouped(static_cast<double>(divergences)),
                  grouped(static_cast<double>(all_draws(summary))), percent(divergences, all_draws(summary)));
  if (const auto& where = summary.divergent_where)
    section.text.push_back(fmt::format(
        "They lie where {} is {}: {:.3g} on average, while all draws have {:.3g} ± {:.2g}.", shown_name(where->name),
        where->mean_of_divergent > where->mean ? "large" : "small", where->mean_of_divergent, where->mean, where->sd));
  section.figures.push_back(divergence_figure(view, summary));
  return section;
}

std::int64_t irreversible(const RunSummary& summary) {
  std::int64_t sum = 0;
  for (const ChainFacts& chain : summary.chains) sum += chain.failures ? chain.failures->not_reversible : 0;
  return sum;
}

/// Whether trajectories lead back, on which exactness rests: implicit steps are checked, explicit ones do or do not.
std::string way_back(const ReportedRun& run, const RunView& view, std::int64_t failures) {
  if (view.solver_iterations)
    return fmt::format("{} of {} trajectories did not lead back", grouped(static_cast<double>(failures)),
                       grouped(static_cast<double>(all_draws(run.summary))));
  return run.summary.integrator == approximate_integrator ? "trajectories lead back only nearly"
                                                          : "every trajectory leads back";
}

/// How a run on another phase space went: what canonical ones need not be asked.
std::optional<ReportSection> phase_space_section(const ReportedRun& run, const RunView& view) {
  if (is_canonical(run)) return std::nullopt;
  const bool approximate = has(run.summary, Concern::approximate_integrator);
  const std::int64_t failures = irreversible(run.summary);
  ReportSection section{.id = "phase-space", .name = "Phase space", .title = ""};
  section.title =
      fmt::format("{}{} on a {} structure: {}", approximate ? "APPROXIMATE: " : "", shown_name(run.summary.integrator),
                  shown_name(setting_of(run, "structure")), way_back(run, view, failures));
  section.mood = approximate || failures > 0 ? Mood::caution : Mood::good;
  for (const Warning& warning : run.summary.warnings)
    if (warning.concern == Concern::approximate_integrator || warning.concern == Concern::failed_proposals)
      section.notes.push_back({printable(warning.finding), printable(warning.advice)});
  if (run.structure) {
    const StructureFacts& s = *run.structure;
    section.text.push_back(fmt::format(
        "𝔹 = [[E, A], [−Aᵀ, G]] of {} positions and as many momenta, with blocks of spectral norm {:.3g} (E), "
        "{:.3g} (A) and {:.3g} (G), in whitened coordinates.",
        s.dim, s.E.norm, s.A.norm, s.G.norm));
    if (s.invertible)
      section.figures.push_back(eigenvalue_figure(s));
    else
      for (const std::string& what : s.not_computed) section.text.push_back(fmt::format("Not computed: {}.", what));
  } else {
    section.text.push_back(
        "The eigenvalues of 𝔹 are not known here: the file of the structure is not where the run found it.");
  }
  if (auto figure = energy_error_figure(view)) section.figures.push_back(std::move(*figure));
  if (auto figure = solver_figure(view)) section.figures.push_back(std::move(*figure));
  if (ReportTable table = transition_table(view, run.summary); !table.rows.empty()) section.table = std::move(table);
  return section;
}

std::string chains_finding(const RunSummary& summary) {
  double least = 1.0, most = 0.0;
  for (const ChainFacts& chain : summary.chains)
    if (const auto rate = chain.mean_acceptance) {
      least = std::min(least, *rate);
      most = std::max(most, *rate);
    }
  const std::string chains = counted(static_cast<std::int64_t>(summary.chains.size()), "chain", "chains");
  if (least > most) return chains;
  return fmt::format("{} with acceptance from {:.2f} to {:.2f}", chains, least, most);
}

ReportSection configuration_section(const ReportedRun& run) {
  ReportSection section{.id = "configuration", .name = "Configuration", .title = "", .table = configuration_table(run)};
  if (run.rerun.empty()) {
    section.title = "How it was run, as the first file says";
    section.text.push_back(
        "The files do not say which command made them: a run of darboux sample has a manifest, run.json, that does.");
  } else {
    section.title = "This command draws the same again";
    section.text.push_back(
        "To the last bit on a processor of the same class; paths are as they were where the run was started.");
    section.code = run.rerun;
  }
  return section;
}

bool same(const Figure& a, const Figure& b) { return a.title == b.title && a.spec == b.spec; }

}  // namespace

std::vector<ReportSection> detail_sections(const ReportedRun& run, const RunView& view,
                                           const std::vector<ReportSection>& first) {
  std::vector<ReportSection> sections;
  const auto add = [&](std::optional<ReportSection> section) {
    if (section) sections.push_back(std::move(*section));
  };
  if (!view.coefficients.empty()) add(coefficient_section(*view.regression, view.coefficients));
  if (view.regression) add(data_section(*view.regression));
  if (!view.looks.empty()) add(mixing_section(view));
  add(pairs_section(view));
  if (run.observations) add(calibration_section(*run.observations));
  add(energy_section(run, view));
  if (const SummaryRow* least = smallest_ess(run.summary);
      least != nullptr && !view.looks.empty() && view.looks.front().growth.size() > 1) {
    ReportSection section{.id = "ess", .name = "ESS growth", .title = ""};
    section.figures = {growth_figure(view), convergence_figure(run.summary)};
    const double ess = std::fmin(least->values.ess_bulk, least->values.ess_tail);
    section.title = fmt::format("{} draws are worth {} independent ones for {}, and more for all else",
                                grouped(static_cast<double>(view.length * view.chains.size())), grouped(ess),
                                shown_name(least->name));
    add(std::move(section));
  }
  add(divergence_section(view, run.summary));
  add(phase_space_section(run, view));
  add(ReportSection{
      .id = "chains", .name = "Chains", .title = chains_finding(run.summary), .table = chain_table(run.summary)});
  add(configuration_section(run));
  for (ReportSection& section : sections) {
    if (section.id == "mixing") continue;  // a trace stays beside its ranks
    std::erase_if(section.figures, [&](const Figure& figure) {
      return std::any_of(first.begin(), first.end(), [&](const ReportSection& lead) {
        return std::any_of(lead.figures.begin(), lead.figures.end(), [&](const Figure& f) { return same(f, figure); });
      });
    });
  }
  return sections;
}

Report run_report(const ReportedRun& run, const ReportOptions& options) {
  const RunView view = view_of(run, options.memory);
  Report report{.title = fmt::format("{}: {} × {} draws", model_of(run),
                                     counted(static_cast<std::int64_t>(view.chains.size()), "chain", "chains"),
                                     grouped(static_cast<double>(view.length))),
                .facts = run_facts(run),
                .sections = first_sections(run, view)};
  for (ReportSection& section : detail_sections(run, view, report.sections))
    report.sections.push_back(std::move(section));
  return report;
}

}  // namespace darboux

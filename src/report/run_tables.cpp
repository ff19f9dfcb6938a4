#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/run_sections.hpp"
#include "report/summary_text.hpp"
#include "report/vega.hpp"

namespace darboux {

namespace {

/// Rows beyond these would make the page slow; the best ones are left out.
constexpr std::size_t most_rows = 2000;

TableCell number(double x, int decimals) { return {x, std::isnan(x) ? "–" : fmt::format("{:.{}f}", x, decimals)}; }
TableCell number(const std::optional<double>& x, int decimals) { return number(x.value_or(NAN), decimals); }
TableCell whole(std::int64_t n) { return {static_cast<double>(n), grouped(static_cast<double>(n))}; }

}  // namespace

ReportTable summary_table(const RunSummary& summary) {
  ReportTable table{
      .columns = {
          {.title = "quantity", .is_number = false},
          {.title = "mean"},
          {.title = "mcse", .help = "Monte Carlo standard error of the mean", .dispensable = 2},
          {.title = "sd", .help = "standard deviation", .dispensable = 1},
          {.title = "5 %", .help = "quantile"},
          {.title = "50 %", .help = "median", .dispensable = 2},
          {.title = "95 %", .help = "quantile"},
          {.title = "ESS bulk", .help = "effective sample size for the centre", .dispensable = 1},
          {.title = "ESS tail", .help = "effective sample size for the 5 % and 95 % quantiles", .dispensable = 2},
          {.title = "R̂", .help = "how much wider all chains are than one", .first = SortFirst::largest}}};
  const std::size_t chains = summary.chains_with_draws();
  const double least = WarningThresholds::ess_per_chain_below * static_cast<double>(chains);
  std::vector<const SummaryRow*> rows;
  for (const SummaryRow& row : summary.rows) rows.push_back(&row);
  if (rows.size() > most_rows) {
    const auto worse = [&](const SummaryRow* a, const SummaryRow* b) {
      const double x = badness(a->values, chains), y = badness(b->values, chains);
      if (x == y || (std::isnan(x) && std::isnan(y))) return a < b;  // as they come
      return std::isnan(y) || x > y;
    };
    std::sort(rows.begin(), rows.end(), worse);
    table.omitted = rows.size() - most_rows;
    rows.resize(most_rows);
  }
  for (const SummaryRow* row : rows) {
    const Summary& v = row->values;
    const RowText text = row_text(v);
    table.rows.push_back({row->name,
                          {v.mean, text.mean},
                          {v.mcse_mean, text.mcse_mean},
                          {v.sd, text.sd},
                          {v.q5, text.q5},
                          {v.median, text.median},
                          {v.q95, text.q95},
                          {v.ess_bulk, text.ess_bulk, v.ess_bulk < least},
                          {v.ess_tail, text.ess_tail, v.ess_tail < least},
                          {v.rhat, text.rhat, v.rhat > WarningThresholds::rhat_above}});
  }
  return table;
}

ReportTable chain_table(const RunSummary& summary) {
  ReportTable table{.columns = {{.title = "chain"},
                                {.title = "file", .is_number = false, .dispensable = 2},
                                {.title = "draws"},
                                {.title = "acceptance", .help = "mean probability of acceptance"},
                                {.title = "E-BFMI", .help = "how fast the energy changes; below 0.3 is too slow"},
                                {.title = "divergent", .first = SortFirst::largest},
                                {.title = "gradients", .help = "after warm-up", .dispensable = 2},
                                {.title = "seconds", .help = "after warm-up", .dispensable = 2}}};
  for (std::size_t c = 0; c < summary.chains.size(); ++c) {
    const ChainFacts& chain = summary.chains[c];
    const auto divergent = static_cast<std::int64_t>(chain.divergent_draws.size());
    TableCell energy = number(chain.ebfmi, 2);
    energy.alarming = chain.ebfmi && *chain.ebfmi < WarningThresholds::ebfmi_below;
    table.rows.push_back({whole(static_cast<std::int64_t>(c + 1)),
                          chain.file.filename().string(),
                          whole(chain.draws),
                          number(chain.mean_acceptance, 3),
                          std::move(energy),
                          {static_cast<double>(divergent), grouped(static_cast<double>(divergent)), divergent > 0},
                          chain.gradients ? whole(*chain.gradients) : TableCell(NAN, "–"),
                          number(chain.sampling_seconds, 2)});
  }
  return table;
}

ReportTable transition_table(const RunView& view, const RunSummary& summary) {
  ReportTable table{
      .columns = {
          {.title = "chain"},
          {.title = "accepted (%)", .dispensable = 1},
          {.title = "energy error", .help = "root mean square, in nats", .first = SortFirst::largest},
          {.title = "diverged", .dispensable = 1, .first = SortFirst::largest},
          {.title = "not converged", .help = "implicit solves", .first = SortFirst::largest},
          {.title = "not reversible", .help = "steps that do not lead back", .first = SortFirst::largest},
          {.title = "model errors", .dispensable = 2, .first = SortFirst::largest},
          {.title = "solver iterations", .help = "per trajectory", .dispensable = 1, .first = SortFirst::largest},
          {.title = "gradients", .help = "per trajectory", .dispensable = 2, .first = SortFirst::largest},
          {.title = "backward (%)", .help = "trajectories against the direction of time", .dispensable = 2}}};
  for (std::size_t c = 0; c < view.chains.size(); ++c) {
    const auto& s = view.statistics[c];
    const ChainFacts& facts = summary.chains[view.chains[c] - 1];
    if (!s) continue;
    const FailedProposals failed = facts.failures.value_or(FailedProposals{});
    const auto failures = [](std::int64_t n) {
      return TableCell(static_cast<double>(n), grouped(static_cast<double>(n)), n > 0);
    };
    table.rows.push_back({whole(static_cast<std::int64_t>(view.chains[c])), number(100.0 * s->accepted, 1),
                          number(s->energy_error, 3), failures(static_cast<std::int64_t>(facts.divergent_draws.size())),
                          failures(failed.not_converged), failures(failed.not_reversible), failures(failed.model_error),
                          number(s->solver_iterations, 1), number(s->gradients, 1), number(100.0 * s->backward, 1)});
  }
  return table;
}

std::string setting_of(const ReportedRun& run, std::string_view key) {
  if (run.manifest)
    for (const ValueTree* said : {&run.manifest->decided, &run.manifest->asked})
      if (const ValueTree* value = said->find(key)) return text_of(*value);
  std::string note = "darboux_" + std::string(key);
  std::replace(note.begin(), note.end(), '-', '_');
  return run.input.draws.front().setting(note).value_or("");
}

namespace {

/// Of a setting that was asked for: whether somebody gave it. Manifests of earlier versions do not know.
std::string source_of(const RunManifest& manifest, const std::string& setting) {
  const auto* const given = std::get_if<ValueTree::List>(&manifest.given.value());
  if (given == nullptr) return "";
  return std::ranges::find(*given, ValueTree(setting)) == given->end() ? "default" : "given";
}

struct Setting {
  std::string name, value, source;
};

/// Each setting as its flag is called, and once: what was decided or tuned is left out where it repeats what was asked, and takes the
/// place of what was left to warm-up.
std::vector<Setting> settings_of(const RunManifest& m) {
  std::vector<Setting> settings;
  const auto add_all = [&](const ValueTree& tree, const auto& source) {
    const auto* entries = std::get_if<ValueTree::Entries>(&tree.value());
    if (entries == nullptr) return;
    for (const auto& [key, value] : *entries) {
      Setting setting{.name = key, .value = text_of(value), .source = source(key)};
      std::ranges::replace(setting.name, '_', '-');
      const auto before = std::ranges::find(settings, setting.name, &Setting::name);
      if (setting.value.empty() || (before != settings.end() && before->value == setting.value)) continue;
      if (before != settings.end() && before->value == left_to_warmup)
        *before = std::move(setting);
      else
        settings.push_back(std::move(setting));
    }
  };
  add_all(m.asked, [&](const std::string& key) { return source_of(m, key); });
  add_all(m.decided, [](const std::string&) { return "decided"; });
  add_all(m.tuning, [](const std::string&) { return "tuned"; });
  return settings;
}

ReportTable configuration_of(const RunManifest& m) {
  ReportTable table{
      .columns = {{.title = "setting", .is_number = false},
                  {.title = "value", .is_number = false},
                  {.title = "from",
                   .is_number = false,
                   .help = "given by flag or file; the default; decided before the run; tuned by warm-up"}}};
  const auto add = [&](const std::string& name, const std::string& value, const std::string& source) {
    if (!value.empty()) table.rows.push_back({name, value, source});
  };
  for (const Setting& setting : settings_of(m)) add(setting.name, setting.value, setting.source);
  add("status", std::string(name(m.status)), "");
  add("started", m.started, "");
  add("darboux", m.darboux_version, "");
  add("compiler", m.compiler, "");
  add("processor", m.cpu_class, "");
  return table;
}

}  // namespace

ReportTable configuration_table(const ReportedRun& run) {
  if (run.manifest) return configuration_of(*run.manifest);
  ReportTable table{.columns = {{.title = "setting", .is_number = false}, {.title = "value", .is_number = false}}};
  for (const auto& [key, value] : run.input.draws.front().settings())
    if (!value.empty()) table.rows.push_back({key, value});
  return table;
}

}  // namespace darboux

#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/vega.hpp"
#include "report/wording.hpp"

namespace darboux {

namespace {

/// Whether draws with such a warning can be used.
Mood mood_of(Concern concern) {
  switch (concern) {
    case Concern::not_sampled:
    case Concern::copied_chain:
    case Concern::same_seed:
    case Concern::mixed_models:
    case Concern::standing_chain:
    case Concern::not_finite:
    case Concern::divergences:
    case Concern::rhat:
    case Concern::ess: return Mood::bad;
    case Concern::interrupted:
    case Concern::unequal_chains:
    case Concern::few_chains:
    case Concern::energy:
    case Concern::tree_depth:
    case Concern::failed_proposals:
    case Concern::approximate_integrator: return Mood::caution;
    case Concern::told:
    case Concern::constant: break;
  }
  return Mood::good;
}

std::string rhat_text(const SummaryRow* row) {
  if (row == nullptr) return "";
  // 1.01 and 1.0102 must not look alike.
  return fmt::format("largest R̂ {:.{}f}", row->values.rhat, std::abs(row->values.rhat - 1.01) < 0.0005 ? 4 : 3);
}

std::string count_above(const RunSummary& run) {
  const auto above = std::count_if(run.rows.begin(), run.rows.end(), [](const SummaryRow& row) {
    return row.values.rhat > WarningThresholds::rhat_above;
  });
  return fmt::format("{} of {}", above, counted(static_cast<std::int64_t>(run.rows.size()), "quantity", "quantities"));
}

std::string bad_title(const RunSummary& run) {
  if (has(run, Concern::standing_chain))
    return run.standing_chains.size() == 1
               ? fmt::format("Not converged: chain {} never moved", run.standing_chains[0])
               : fmt::format("Not converged: {} chains never moved", run.standing_chains.size());
  if (has(run, Concern::not_finite)) return "Not usable as it is: some draws are infinite or no numbers";
  if (has(run, Concern::mixed_models)) return "Draws of different distributions: together they say nothing";
  if (has(run, Concern::rhat))
    return fmt::format("Not converged: the chains disagree in {}, {}", count_above(run), rhat_text(largest_rhat(run)));
  if (has(run, Concern::ess)) {
    const SummaryRow* row = smallest_ess(run);
    if (row == nullptr) return "Too few draws to tell whether it converged";
    return fmt::format("Too few effective draws yet: {} has {}", shown_name(row->name),
                       grouped(std::fmin(row->values.ess_bulk, row->values.ess_tail)));
  }
  if (has(run, Concern::divergences))
    return fmt::format("Not to be trusted yet: {}",
                       counted(run.divergences(), "divergent transition", "divergent transitions"));
  return "Not usable as it is";
}

std::string good_title(const RunSummary& run) {
  const auto still =
      std::count_if(run.rows.begin(), run.rows.end(), [](const SummaryRow& row) { return row.constant; });
  const auto moving = static_cast<std::int64_t>(run.rows.size()) - still;
  const std::string who = moving == 1 ? "The quantity" : fmt::format("All {} quantities", moving);
  return fmt::format("{} converged: {}", who, rhat_text(largest_rhat(run)));
}

}  // namespace

bool has(const RunSummary& summary, Concern concern) {
  return std::any_of(summary.warnings.begin(), summary.warnings.end(),
                     [=](const Warning& warning) { return warning.concern == concern; });
}

const SummaryRow* largest_rhat(const RunSummary& summary) {
  const SummaryRow* found = nullptr;
  for (const SummaryRow& row : summary.rows)
    if (!std::isnan(row.values.rhat) && (found == nullptr || row.values.rhat > found->values.rhat)) found = &row;
  return found;
}

const SummaryRow* smallest_ess(const RunSummary& summary) {
  const auto smaller = [](const SummaryRow& row) { return std::fmin(row.values.ess_bulk, row.values.ess_tail); };
  const SummaryRow* found = nullptr;
  for (const SummaryRow& row : summary.rows)
    if (!std::isnan(smaller(row)) && (found == nullptr || smaller(row) < smaller(*found))) found = &row;
  return found;
}

Verdict verdict_on(const RunSummary& summary) {
  Mood mood = Mood::good;
  for (const Warning& warning : summary.warnings) mood = std::max(mood, mood_of(warning.concern));
  if (mood == Mood::bad) return {mood, bad_title(summary)};
  if (largest_rhat(summary) == nullptr) return {Mood::caution, "Nothing varies: there is nothing to converge"};
  if (has(summary, Concern::few_chains))
    return {mood, fmt::format("One chain only: its halves agree ({}), but nothing else can tell whether it converged",
                              rhat_text(largest_rhat(summary)))};
  if (has(summary, Concern::approximate_integrator))
    return {mood, fmt::format("APPROXIMATE: {}, to a distribution with some bias", good_title(summary))};
  return {mood, good_title(summary) + (mood == Mood::caution ? ", with reservations" : "")};
}

}  // namespace darboux

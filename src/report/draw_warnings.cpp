#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/warning_rules.hpp"
#include "report/wording.hpp"

namespace darboux {

using Thresholds = WarningThresholds;

namespace {

constexpr double tiny_step = 1e-4;  // of coordinates on the scale of the posterior

/// Why chains may stand still, and what to do, as far as the files tell.
std::string advice_for_standing(const std::vector<const ChainFacts*>& chains) {
  const auto all = [&](const auto& holds) {
    return std::all_of(chains.begin(), chains.end(), [&](const ChainFacts* c) { return holds(*c); });
  };
  if (all([](const ChainFacts& c) { return c.mean_acceptance.value_or(0.0) > 0.5; }))
    return "Proposals were accepted, but lead nowhere: use a larger step size or more steps.";
  if (all([](const ChainFacts& c) { return c.failures && 2 * c.failures->model_error > c.draws; }))
    return "The model refuses the points that they would move to: check its support there, transform parameters that "
           "have bounds, and look at where these chains started.";
  if (all([](const ChainFacts& c) { return c.step_size.value_or(1.0) < tiny_step; }))
    return fmt::format(
        "The step size is {:.2g} already, so a smaller one will hardly help: look at where these chains started, at "
        "the scales of the parameters, and at the gradient (darboux check).",
        *chains.front()->step_size);
  return "Use a smaller step size or a longer warm-up, and look at where these chains started.";
}

/// Whether the draws may have a bias however many there are.
bool is_approximate(const RunSummary& run) { return about_integrator(run).has_value(); }

/// "chain 3 (0.21)" of those whose E-BFMI is too small.
std::vector<std::string> chains_of_slow_energy(const RunSummary& run) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < run.chains.size(); ++i)
    if (const auto value = run.chains[i].ebfmi; value && *value < Thresholds::ebfmi_below)
      names.push_back(fmt::format("chain {} ({:.2f})", i + 1, *value));
  return names;
}

/// A neck that no step suits shows in the energies, too.
std::string advice_on_divergences(const RunSummary& run) {
  return chains_of_slow_energy(run).empty()
             ? "Use a smaller step size (a higher target acceptance). If they stay, write the model differently there, "
               "for example with a non-centred parameterisation."
             : "Write the model differently there, for example with a non-centred parameterisation: E-BFMI is small "
               "too, as where a place is too narrow for the steps that suit the rest, and smaller steps (a higher "
               "target acceptance) seldom mend that.";
}

/// Where a density does not fall off, chains wander away without end.
std::string advice_on_disagreement(const std::vector<const SummaryRow*>& rows) {
  constexpr double endless = 1e10;
  const auto wandering = std::ranges::find_if(rows, [](const SummaryRow* row) { return row->values.sd > endless; });
  if (wandering != rows.end())
    return fmt::format(
        "Do not use these draws. {} spreads over {:.0e}: unless that is its natural size, its distribution has no end "
        "there (the posterior is improper), and it needs a prior.",
        (*wandering)->name, (*wandering)->values.sd);
  return "Do not use these draws yet. Run longer, with a longer warm-up too; if that does not help, the chains may be "
         "in different modes, or the model may not be identified.";
}

}  // namespace

std::optional<Warning> about_standing_chains(const RunSummary& run) {
  std::vector<std::string> names;
  std::vector<const ChainFacts*> chains;
  for (const std::size_t number : run.standing_chains) {
    chains.push_back(&run.chains[number - 1]);
    names.push_back(fmt::format("chain {} ({})", number, chains.back()->file.string()));
  }
  if (chains.empty()) return std::nullopt;
  return warn(Concern::standing_chain, fmt::format("Never moved: {}.", some_of(names)),
              advice_for_standing(chains) + " Do not just drop them: they may have found what the others miss.");
}

std::optional<Warning> about_not_finite(const RunSummary& run) {
  std::vector<std::string> names;
  for (const SummaryRow& row : run.rows)
    if (!row.finite) names.push_back(row.name);
  if (names.empty()) return std::nullopt;
  return warn(Concern::not_finite, fmt::format("Some draws are infinite or not a number: {}.", some_of(names)),
              "Look in the model for overflow, 0/0 or the logarithm of a negative number; nothing is known about these "
              "quantities.");
}

std::optional<Warning> about_divergences(const RunSummary& run) {
  const std::int64_t count = run.divergences();
  if (count == 0) return std::nullopt;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < run.chains.size(); ++i) {
    const auto& draws = run.chains[i].divergent_draws;
    if (draws.empty()) continue;
    std::vector<std::string> numbers;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, draws.size()); ++k)
      numbers.push_back(std::to_string(draws[k]));
    places.push_back(fmt::format("chain {}: {} ({} {}{})", i + 1, draws.size(), draws.size() == 1 ? "draw" : "draws",
                                 fmt::join(numbers, ", "), draws.size() > 3 ? ", …" : ""));
  }
  constexpr std::size_t most_places = 8;
  if (const std::size_t all = places.size(); all > most_places) {
    places.resize(most_places);
    places.push_back(fmt::format("and in {} more chains", all - most_places));
  }
  std::string finding =
      fmt::format("{} of {} transitions diverged ({}), so parts of the distribution may be missing. Where: {}.", count,
                  all_draws(run), percent(count, all_draws(run)), fmt::join(places, "; "));
  if (const auto& where = run.divergent_where)
    finding += fmt::format(" They lie where {} is {}: {:.3g} on average, while all draws have {:.3g} ± {:.2g}.",
                           where->name, where->mean_of_divergent > where->mean ? "large" : "small",
                           where->mean_of_divergent, where->mean, where->sd);
  return warn(Concern::divergences, std::move(finding), advice_on_divergences(run));
}

std::optional<Warning> about_rhat(const RunSummary& run) {
  if (!run.is_of_one_model()) return std::nullopt;  // they should not agree
  std::vector<const SummaryRow*> rows;
  for (const SummaryRow& row : run.rows)
    if (row.values.rhat > Thresholds::rhat_above) rows.push_back(&row);
  if (rows.empty()) return std::nullopt;
  std::sort(rows.begin(), rows.end(), [](const SummaryRow* a, const SummaryRow* b) {
    return a->values.rhat != b->values.rhat ? a->values.rhat > b->values.rhat : a < b;
  });
  std::vector<std::string> names;
  for (const SummaryRow* row : rows)
    names.push_back(fmt::format("{} ({:.{}f})", row->name, row->values.rhat, row->values.rhat < 1.0105 ? 4 : 3));
  return warn(
      Concern::rhat,
      fmt::format("The chains disagree: R̂ is above {} for {} of {}, the worst first: {}.", Thresholds::rhat_above,
                  rows.size(), counted(static_cast<std::int64_t>(run.rows.size()), "quantity", "quantities"),
                  some_of(names)),
      advice_on_disagreement(rows));
}

std::optional<Warning> about_ess(const RunSummary& run) {
  if (!run.is_of_one_model()) return std::nullopt;  // which chains that should not agree make small
  const double least = Thresholds::ess_per_chain_below * static_cast<double>(run.chains_with_draws());
  std::vector<std::pair<double, std::string>> low;
  for (const SummaryRow& row : run.rows) {
    const auto [bulk, tail] = std::pair(row.values.ess_bulk, row.values.ess_tail);
    if (!(bulk < least || tail < least)) continue;
    const bool tail_is_worse = std::isnan(bulk) || tail < bulk;
    const double worse = tail_is_worse ? tail : bulk;
    low.emplace_back(worse, fmt::format("{} ({}: {:.0f})", row.name, tail_is_worse ? "tail" : "bulk", worse));
  }
  const bool too_short = run.draws_per_chain < 6 && !run.rows.empty();
  if (low.empty() && !too_short) return std::nullopt;
  std::sort(low.begin(), low.end());
  std::vector<std::string> names;
  for (auto& [size, name] : low) names.push_back(std::move(name));
  return warn(
      Concern::ess,
      names.empty()
          ? fmt::format("With {} per chain, effective sample sizes cannot be estimated.",
                        counted(run.draws_per_chain, "draw", "draws"))
          : fmt::format("Too few effective draws for reliable estimates: below {} ({} per chain) for {} of {}, the "
                        "worst first: {}.",
                        least, Thresholds::ess_per_chain_below, names.size(),
                        counted(static_cast<std::int64_t>(run.rows.size()), "quantity", "quantities"), some_of(names)),
      "Draw more. Where effective sizes are small compared with the number of draws, a dense metric or longer "
      "trajectories help more.");
}

std::optional<Warning> about_energy(const RunSummary& run) {
  const std::vector<std::string> low = chains_of_slow_energy(run);
  if (low.empty()) return std::nullopt;
  return warn(
      Concern::energy,
      fmt::format("E-BFMI is below {}, so chains wander slowly between energies and may not reach the tails: {}.",
                  Thresholds::ebfmi_below, some_of(low)),
      "Write the model differently (heavy tails and funnels are the usual causes), or run longer.");
}

std::optional<Warning> about_tree_depth(const RunSummary& run) {
  std::int64_t count = 0;
  for (const ChainFacts& chain : run.chains) count += chain.draws_at_max_depth;
  if (count == 0) return std::nullopt;
  return warn(
      Concern::tree_depth,
      fmt::format("{} of {} trajectories ({}) stopped at the greatest allowed tree depth, which is {}inefficient.",
                  count, all_draws(run), percent(count, all_draws(run)), is_approximate(run) ? "" : "no error but "),
      "Allow a greater depth if effective sizes are too small, or a dense metric if parameters are correlated.");
}

std::optional<Warning> about_failed_proposals(const RunSummary& run) {
  FailedProposals sum;
  for (const ChainFacts& chain : run.chains) {
    const FailedProposals here = chain.failures.value_or(FailedProposals{});
    sum.not_converged += here.not_converged;
    sum.not_reversible += here.not_reversible;
    sum.model_error += here.model_error;
  }
  const auto of_all = [&](std::int64_t n) { return fmt::format("{} ({})", n, percent(n, all_draws(run))); };
  std::vector<std::string> kinds;
  std::string advice;
  if (sum.not_converged > 0)
    kinds.push_back(fmt::format("solves that did not converge: {}", of_all(sum.not_converged)));
  if (sum.not_reversible > 0)
    kinds.push_back(fmt::format("steps that do not lead back: {}", of_all(sum.not_reversible)));
  if (!kinds.empty()) advice = "Use a smaller step size, or the integrator doubled, which solves no equations.";
  if (sum.model_error > 0) {
    kinds.push_back(fmt::format("points that the model refused: {}", of_all(sum.model_error)));
    advice += advice.empty() ? "" : " ";
    advice += "For points that the model refuses, check its support, or transform parameters that have bounds.";
  }
  if (kinds.empty()) return std::nullopt;
  return warn(Concern::failed_proposals,
              fmt::format("Some proposals failed and were rejected{}, at a cost: {}.",
                          is_approximate(run) ? "" : "; the draws stay right", fmt::join(kinds, "; ")),
              std::move(advice));
}

std::optional<Warning> about_constants(const RunSummary& run) {
  std::vector<std::string> names;
  for (const SummaryRow& row : run.rows)
    if (row.constant) names.push_back(row.name);
  if (names.empty()) return std::nullopt;
  return warn(
      Concern::constant, fmt::format("The same value in all draws: {}.", some_of(names)),
      names.size() < run.rows.size()
          ? "The others vary, so this is fixed by construction, as the diagonal of a correlation matrix is; no harm."
          : "No proposal was ever accepted: start elsewhere, or use a smaller step size.");
}

}  // namespace darboux

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/warning_rules.hpp"
#include "report/wording.hpp"

namespace darboux {

std::optional<Warning> about_method(const RunSummary& run) {
  std::vector<std::string> others;
  for (const ChainFacts& chain : run.chains)
    if (!chain.method.empty() && chain.method != "sample" && chain.method != "generate_quantities")
      others.push_back(fmt::format("{} (method = {})", chain.file.string(), chain.method));
  if (others.empty()) return std::nullopt;
  return warn(Concern::not_sampled,
              fmt::format("These rows are not draws of a Markov chain, so R̂ and effective sizes mean nothing: {}.",
                          some_of(others)),
              "Give files of the method \"sample\".");
}

std::optional<Warning> about_interruption(const RunSummary& run) {
  std::vector<std::string> cut, short_of, empty;
  for (const ChainFacts& chain : run.chains) {
    const std::string file = chain.file.string();
    if (chain.draws == 0)
      empty.push_back(file);
    else if (chain.incomplete_line)
      cut.push_back(
          fmt::format("{} (line {}, after {})", file, *chain.incomplete_line, counted(chain.draws, "draw", "draws")));
    else if (chain.announced_draws && chain.draws < *chain.announced_draws)
      short_of.push_back(fmt::format("{} ({} of {} draws)", file, chain.draws, *chain.announced_draws));
  }
  std::vector<std::string> parts;
  if (run.interrupted)
    parts.push_back(run.failure.empty() ? "The run did not get to its end."
                                        : fmt::format("The run failed: {}.", run.failure));
  if (!cut.empty()) parts.push_back(fmt::format("The last line was cut off and left out in {}.", some_of(cut)));
  if (!short_of.empty())
    parts.push_back(fmt::format("Draws that were announced are missing in {}.", some_of(short_of)));
  if (!empty.empty()) parts.push_back(fmt::format("There are no draws in {}.", some_of(empty)));
  if (parts.empty()) return std::nullopt;
  return warn(
      Concern::interrupted, fmt::format("{}", fmt::join(parts, " ")),
      "What is there was used. Wait if the sampler is still running; otherwise sample again for as many draws as "
      "you need.");
}

std::optional<Warning> about_lengths(const RunSummary& run) {
  std::int64_t longest = 0;
  for (const ChainFacts& chain : run.chains) longest = std::max(longest, chain.draws);
  if (longest == run.draws_per_chain || run.draws_per_chain == 0) return std::nullopt;
  return warn(Concern::unequal_chains,
              fmt::format("The chains have between {} and {} draws; only the first {} of each were used.",
                          run.draws_per_chain, longest, run.draws_per_chain),
              "Leave out the short ones by naming the other files, if you would rather keep more draws.");
}

std::optional<Warning> about_copies(const RunSummary& run) {
  std::map<std::pair<std::uint64_t, std::int64_t>, std::size_t> first;
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < run.chains.size(); ++i) {
    const ChainFacts& chain = run.chains[i];
    if (chain.draws < 2 ||
        std::find(run.standing_chains.begin(), run.standing_chains.end(), i + 1) != run.standing_chains.end())
      continue;
    const auto [other, is_new] = first.emplace(std::pair(chain.fingerprint, chain.draws), i);
    if (!is_new) pairs.push_back(fmt::format("{} and {}", other->second + 1, i + 1));
  }
  if (pairs.empty()) return std::nullopt;
  return warn(Concern::copied_chain,
              fmt::format("Chains {} have the same draws, which count twice here.", some_of(pairs)),
              "Name each file once, and give every run a seed of its own.");
}

std::optional<Warning> about_seeds(const RunSummary& run) {
  std::map<std::string, std::size_t> first;
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < run.chains.size(); ++i) {
    const ChainFacts& chain = run.chains[i];
    if (chain.draws == 0 || chain.random_numbers.empty()) continue;
    const auto [other, is_new] = first.emplace(chain.random_numbers, i);
    const ChainFacts& twin = run.chains[other->second];
    const bool is_copy =
        twin.fingerprint == chain.fingerprint && twin.draws == chain.draws;  // about_copies tells of these
    if (!is_new && !is_copy)
      pairs.push_back(fmt::format("{} and {} ({})", other->second + 1, i + 1, chain.random_numbers));
  }
  if (pairs.empty()) return std::nullopt;
  return warn(
      Concern::same_seed,
      fmt::format("Chains {} were drawn with the same random numbers: they may coincide, and effective sizes are "
                  "overstated then.",
                  some_of(pairs)),
      "Give every run a seed of its own.");
}

std::optional<Warning> about_models(const RunSummary& run) {
  constexpr std::string_view advice =
      "Summarise one model at a time; darboux report with two runs shows them side by side.";
  constexpr std::string_view so = "so what all chains together say means nothing, nor do R̂ and effective sizes";
  if (const std::vector<std::string> names = run.models(); names.size() > 1)
    return warn(Concern::mixed_models, fmt::format("The files come from different models, {}: {}.", so, some_of(names)),
                std::string(advice));
  if (run.mixed.empty()) return std::nullopt;
  return warn(Concern::mixed_models,
              fmt::format("These runs draw from different distributions, {}. They differ in {}.", so, run.mixed),
              std::string(advice));
}

std::optional<Warning> about_chain_count(const RunSummary& run) {
  if (run.chains_with_draws() != 1) return std::nullopt;
  return warn(Concern::few_chains,
              "There is only one chain: R̂ can compare its two halves only, and cannot see what it missed.",
              "Run four chains from different starts.");
}

std::optional<Warning> about_integrator(const RunSummary& run) {
  const bool unchecked =
      std::any_of(run.chains.begin(), run.chains.end(), [](const ChainFacts& c) { return c.reverse_check < 1.0; });
  if (unchecked)
    return warn(Concern::approximate_integrator,
                "Some implicit steps were not checked backward, so the draws may have a bias, which none of these "
                "diagnostics can see.",
                "Run with --reverse-check 1, the default.");
  if (run.integrator != approximate_integrator) return std::nullopt;
  return warn(Concern::approximate_integrator,
              "The integrator \"explicit\" is approximate: its draws have a bias that vanishes with the step size, "
              "which none of "
              "these diagnostics can see.",
              "Compare with half the step size, or use an exact integrator, for example doubled.");
}

}  // namespace darboux

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "darboux/core/enumeration.hpp"

namespace darboux {

struct RunSummary;

/// What may be wrong with a run, the gravest first.
enum class Concern {
  not_sampled,     ///< the file holds no draws of a Markov chain
  interrupted,     ///< the run, or the writing of a file, did not get to its end
  unequal_chains,  ///< chains of different lengths
  copied_chain,    ///< two chains are the same
  same_seed,       ///< two chains have the same random numbers
  mixed_models,
  standing_chain,  ///< a chain that never moved
  not_finite,
  divergences,
  rhat,
  few_chains,
  ess,
  energy,
  tree_depth,
  failed_proposals,
  approximate_integrator,
  told,  ///< by the run itself: of its data, of its warm-up
  constant
};
template <>
inline constexpr auto names_of<Concern> =
    std::to_array<Named<Concern>>({{Concern::not_sampled, "not_sampled"},
                                   {Concern::interrupted, "interrupted"},
                                   {Concern::unequal_chains, "unequal_chains"},
                                   {Concern::copied_chain, "copied_chain"},
                                   {Concern::same_seed, "same_seed"},
                                   {Concern::mixed_models, "mixed_models"},
                                   {Concern::standing_chain, "standing_chain"},
                                   {Concern::not_finite, "not_finite"},
                                   {Concern::divergences, "divergences"},
                                   {Concern::rhat, "rhat"},
                                   {Concern::few_chains, "few_chains"},
                                   {Concern::ess, "ess"},
                                   {Concern::energy, "energy"},
                                   {Concern::tree_depth, "tree_depth"},
                                   {Concern::failed_proposals, "failed_proposals"},
                                   {Concern::approximate_integrator, "approximate_integrator"},
                                   {Concern::told, "told"},
                                   {Concern::constant, "constant"}});

struct Warning {
  Concern concern;
  std::string finding;  ///< what is the matter, in sentences, with numbers and names
  std::string advice;   ///< what to do next; empty where the finding says it

  [[nodiscard]] std::string text() const { return advice.empty() ? finding : finding + " " + advice; }
};

/// The name, in files and flags, of the one integrator that does not leave the distribution as it is.
inline constexpr std::string_view approximate_integrator = "explicit";

/// From where on numbers worry us. Vehtari et al. (2021) for R̂ and ESS, Betancourt (2016) for E-BFMI.
struct WarningThresholds {
  static constexpr double rhat_above = 1.01;
  static constexpr double ess_per_chain_below = 100.0;
  static constexpr double ebfmi_below = 0.3;
};

/// All warnings that a summary gives rise to; it needs everything but `warnings`.
[[nodiscard]] std::vector<Warning> warnings_about(const RunSummary& summary);

}  // namespace darboux

#include "report/run_warnings.hpp"

#include "report/warning_rules.hpp"

namespace darboux {

std::string_view name(Concern concern) noexcept {
  switch (concern) {
    case Concern::not_sampled: return "not_sampled";
    case Concern::interrupted: return "interrupted";
    case Concern::unequal_chains: return "unequal_chains";
    case Concern::copied_chain: return "copied_chain";
    case Concern::mixed_models: return "mixed_models";
    case Concern::standing_chain: return "standing_chain";
    case Concern::not_finite: return "not_finite";
    case Concern::divergences: return "divergences";
    case Concern::rhat: return "rhat";
    case Concern::few_chains: return "few_chains";
    case Concern::ess: return "ess";
    case Concern::energy: return "energy";
    case Concern::tree_depth: return "tree_depth";
    case Concern::failed_proposals: return "failed_proposals";
    case Concern::approximate_integrator: return "approximate_integrator";
    case Concern::constant: return "constant";
  }
  return "unknown";
}

std::vector<Warning> warnings_about(const RunSummary& summary) {
  std::vector<Warning> found;
  for (const auto rule :
       {&about_method, &about_interruption, &about_lengths, &about_copies, &about_models, &about_standing_chains,
        &about_not_finite, &about_divergences, &about_rhat, &about_chain_count, &about_ess, &about_energy,
        &about_tree_depth, &about_failed_proposals, &about_integrator, &about_constants})
    if (auto warning = rule(summary)) found.push_back(*std::move(warning));
  return found;
}

}  // namespace darboux

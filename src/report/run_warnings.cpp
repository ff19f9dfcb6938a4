#include "report/run_warnings.hpp"

#include "report/warning_rules.hpp"

namespace darboux {

std::vector<Warning> warnings_about(const RunSummary& summary) {
  std::vector<Warning> found;
  for (const auto rule :
       {&about_method, &about_interruption, &about_lengths, &about_copies, &about_seeds, &about_models,
        &about_standing_chains, &about_not_finite, &about_divergences, &about_rhat, &about_chain_count, &about_ess,
        &about_energy, &about_tree_depth, &about_failed_proposals, &about_integrator, &about_constants})
    if (auto warning = rule(summary)) found.push_back(*std::move(warning));
  for (const std::string& words : summary.told)
    found.push_back({.concern = Concern::told, .finding = words, .advice = ""});
  return found;
}

}  // namespace darboux

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sample/sampler.hpp"

namespace darboux::experiments {

/// What the chains of a run without warm-up gave and what they cost.
struct FixedRun {
  Index chains = 0;
  int draws = 0;                            ///< of each chain
  std::vector<std::vector<double>> values;  ///< coordinate by coordinate, in each chain after chain
  std::vector<double> log_density;          ///< chain after chain
  std::vector<double> acceptance;           ///< share of proposals that were accepted, chain by chain
  std::vector<double> energy_error;         ///< mean |ΔH| of the proposals that did not fail, chain by chain
  std::vector<double> failures;             ///< proposals that diverged or whose solves failed, chain by chain
  std::vector<double> gradients;            ///< chain by chain
  double solver_iterations = 0.0;           ///< of all chains
  double cpu_seconds = 0.0;                 ///< of the thread that computed all chains, one block beside the other

  [[nodiscard]] std::span<const double> chain(std::size_t coordinate, Index c) const;
};

/// What is fixed in such a run.
struct FixedSetting {
  Index chains = 1;
  int draws = 1000;
  std::uint64_t seed = 1;
  double step_size = 0.1;
  int steps = 10;
};
/// No warm-up, no preconditioner, one thread.
[[nodiscard]] SamplerSettings fixed_settings(const FixedSetting& setting, const PoissonStructure& structure);

/// A Darboux basis for explicit steps; Gram-Schmidt's is the best of ten.
[[nodiscard]] DarbouxBasis experiment_basis(const PoissonStructure& structure, BasisMethod method, std::uint64_t seed);

/// Puts the chains of another run, of as many draws, behind those of this one.
void append(FixedRun& run, const FixedRun& more);

/// Chains with everything fixed by the settings, which have no warm-up and one thread.
[[nodiscard]] FixedRun run_fixed(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                                 ConstBatch starts, const std::atomic<bool>& stop);

}  // namespace darboux::experiments

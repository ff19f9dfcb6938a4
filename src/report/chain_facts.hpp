#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "darboux/sample/draw.hpp"
#include "draws/stan_csv_reader.hpp"

namespace darboux {

/// How often a proposal failed in another way than by diverging; such proposals are rejected.
struct FailedProposals {
  std::int64_t not_converged = 0;
  std::int64_t not_reversible = 0;
  std::int64_t model_error = 0;

  friend bool operator==(const FailedProposals&, const FailedProposals&) = default;
};

/// What the file of a chain says beside the draws themselves. Warm-up counts nowhere. Things that a file does not say are
/// empty.
struct ChainFacts {
  std::filesystem::path file{};
  std::string model{}, method{}, integrator{};  ///< from the comments at its top
  std::string random_numbers{};                 ///< what they depend on: seed, chain, and the tuning if it was given
  double reverse_check = 1.0;                   ///< share of transitions whose implicit steps were checked backward
  std::int64_t draws = 0;
  std::optional<std::int64_t> announced_draws{};
  std::optional<std::int64_t> incomplete_line{};  ///< see StanCsvPass
  std::vector<std::int64_t> divergent_draws{};    ///< which, counted from 1
  std::int64_t draws_at_max_depth = 0;            ///< trajectories that doubled as often as was allowed
  std::optional<FailedProposals> failures{};      ///< from the file of statistics
  std::optional<double> ebfmi{}, mean_acceptance{};
  std::optional<double> step_size{};  ///< of the last draw
  std::optional<std::int64_t> gradients{};
  std::optional<double> sampling_seconds{};
  std::uint64_t fingerprint = 0;  ///< of the draws' log densities, to notice a chain that is there twice
};

/// What transitions after warm-up say. `max_depth` counts where trajectories double.
[[nodiscard]] ChainFacts chain_facts(std::span<const Transition> transitions, int max_depth);

/// Columns that are wanted of a file that is read anyway. Rows of warm-up are not handed on.
struct AlsoRead {
  std::span<const std::size_t> columns{};
  std::function<void(std::span<const double> values)> row{};
};

/// Reads both files once, row by row; holds the energies of the chain. Throws InputError as StanCsvReader does, and if the
/// file of statistics is none.
[[nodiscard]] ChainFacts chain_facts(const StanCsvReader& draws, const std::optional<StanCsvReader>& statistics,
                                     const AlsoRead& of_draws = {}, const AlsoRead& of_statistics = {});

}  // namespace darboux

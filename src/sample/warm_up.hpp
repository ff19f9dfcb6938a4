#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sample/chain_pool.hpp"

namespace darboux {

/// What warm-up came to.
struct WarmedUp {
  Tuning tuning;
  std::vector<Index> late{};            ///< chains that had to be brought to the others
  std::vector<Index> absent{};          ///< chains that were not with the others at the end
  std::int64_t gradients = 0;           ///< for bringing them, beside those of the pool
  std::int64_t gradients_of_turns = 0;  ///< for finding out how fast directions turn, likewise
  double target_acceptance = 0.0;
  double hopeless = 0.0;  ///< if above 0, the share of proposals for which that is higher than usual
  double narrow = 0.0;    ///< see SampleResult
  double refused = 0.0;   ///< if above 0, the share of proposals that the step size does not answer for
  double foreseen = 0.0, foreseen_otherwise = 0.0;  ///< see SampleResult
  double scatter = 0.0;                             ///< likewise
};

/// Points that warm-up can be gone on with from.
struct WarmUpPoints {
  /// Called at each, with a function that gives what warm-up knows there, besides what the pool has.
  std::function<void(int iterations, const std::function<std::string()>& state)> offer{};
  /// Where to go on, the pool being where it was then; empty: from the beginning.
  std::string from{};
};

/// Adapts step size, trajectory length, preconditioner and, for `doubled`, σ and θ, all chains together, beginning with `first`;
/// afterwards the pool has the tuning that is returned, frozen.
///
/// Where the acceptance aimed at may rise, and more than a few proposals of a long window hardly had a chance although the step size was
/// right for the others, the target narrows somewhere: steps get shorter then, so that chains do not get stuck there.
///
/// Where a density ends at a wall, so that many proposals end in what the model refuses, however short the steps, step sizes are
/// chosen by the other proposals.
///
/// Chains that are not where the others are (Stragglers) have no say in this. After the first stretch and after every window they
/// are put where an optimisation path from their place leads (follow_paths), each once: a chain that stays apart then is in a
/// mode of its own.
[[nodiscard]] WarmedUp warm_up(ChainPool& pool, const Model& model, const SamplerSettings& settings,
                               const Tuning& first, const WarmUpPoints& points = {});

}  // namespace darboux

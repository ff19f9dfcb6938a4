#pragma once

#include <vector>

#include "sample/chain_pool.hpp"

namespace darboux {

/// How warm-up spends its iterations: step size only, then windows of growing length after each of which the preconditioner
/// is estimated anew from that window alone, then the step size for what was found. They add up to `iterations`.
struct WarmUpPlan {
  int first = 0;
  std::vector<int> windows;
  int last = 0;
};
[[nodiscard]] WarmUpPlan plan_warm_up(int iterations);

/// Adapts step size, trajectory length, preconditioner and, for `doubled`, σ and θ, all chains together; afterwards the pool
/// has the tuning that is returned, frozen.
[[nodiscard]] Tuning warm_up(ChainPool& pool, const SamplerSettings& settings, Index dim);

}  // namespace darboux

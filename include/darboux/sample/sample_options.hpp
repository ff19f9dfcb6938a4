#pragma once

// Everything that sampling can be told. What is left out is chosen as the command line chooses it.

#include <cstdint>
#include <optional>

#include "darboux/core/batch.hpp"
#include "darboux/core/choices.hpp"
#include "darboux/model/model.hpp"
#include "darboux/sample/tuning.hpp"
#include "darboux/structure/poisson_structure.hpp"

namespace darboux {

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

/// What is asked for: plain values, nothing derived. Ranges and combinations are checked when a run is planned.
struct SampleOptions {
  Index chains = 4;
  /// Of a run that is drawn in parts, which have a tuning and a seed in common: how many chains come before those of this part.
  std::optional<Index> first_chain{};
  /// Iterations; 0 needs a step size or a tuning. When absent 1000, or 500 where starting points come with the
  /// target's scales, or 100 with a tuning, which are a burn-in: nothing is adapted.
  std::optional<int> warmup{};
  int draws = 1000;                     ///< of each chain, after warm-up; with target_ess the least, but 1000
  std::optional<double> target_ess{};   ///< go on until the smallest bulk ESS is this
  std::optional<int> max_draws{};       ///< of target_ess: the most; 100 times draws
  std::optional<double> max_seconds{};  ///< end warm-up and sampling after this time, with what was drawn
  int thin = 1;                         ///< keep one draw of so many
  bool save_warmup = false;
  std::optional<std::uint64_t> seed{};  ///< same seed, same draws; from the system when absent
  std::optional<int> threads{};         ///< all cores when absent; draws do not depend on it
  std::optional<StartMethod> start{};   ///< the model's own when absent
  std::optional<OwnedBatch> starts{};   ///< starting points, one lane per chain, in the model's coordinates

  std::optional<PoissonStructure> structure{};  ///< of phase space, in whitened coordinates; canonical when absent
  std::optional<IntegratorKind> integrator{};   ///< the cheapest exact one for the structure
  int order = 2;                                ///< of the integrator; 4 by composition
  std::optional<int> stages{};                  ///< kicks of a step, 1, 2 or 3; warm-up chooses when absent
  std::optional<MotionKind> motion{};           ///< warm-up chooses when absent
  std::optional<GradientPrecision> gradient_precision{};  ///< the fastest that is exact and accurate enough
  std::optional<double> tolerance{};                      ///< of implicit solves; 1e-10
  std::optional<double> binding{};                        ///< strength ω of explicit; 1
  std::optional<double> angle{};                          ///< or its angle per step; of doubled where it is not tuned
  std::optional<double> copy_spread{};                    ///< σ of doubled where it is not tuned; 0.2
  double reverse_check = 1.0;  ///< share of transitions whose implicit steps are checked; below 1 is APPROXIMATE

  std::optional<Metric> metric{};              ///< dense up to 200 dimensions, then low-rank
  std::optional<MarginalMap> map{};            ///< sinh-arcsinh where warm-up finds that it helps
  std::optional<double> step_size{};           ///< first one of warm-up, or the one without warm-up
  std::optional<TrajectoryKind> trajectory{};  ///< jittered with a dense metric, otherwise chees
  std::optional<int> steps{};                  ///< of every trajectory
  std::optional<double> trajectory_time{};     ///< mean length in whitened coordinates; 1.5
  std::optional<int> max_depth{};              ///< of nuts; 10
  std::optional<double> target_acceptance{};   ///< 0.8, or 0.9 where not known to be log-concave; doubled 0.7;
                                               ///< when absent, halfway to 1 where the density narrows
  DirectionMode direction = DirectionMode::persistent;
  std::optional<double>
      momentum_kept{};             ///< share of the momentum kept from one iteration to the next; warm-up chooses
  std::optional<Tuning> tuning{};  ///< an earlier run's: no warm-up then
};

// NOLINTEND(readability-redundant-member-init)

}  // namespace darboux

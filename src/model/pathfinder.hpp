#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "darboux/core/random.hpp"
#include "model/counted_evaluation.hpp"
#include "model/finite_draws.hpp"
#include "model/local_gaussian.hpp"

namespace darboux {

/// Up to this many dimensions Hessians and dense covariances are at hand.
constexpr Index most_dense_dimensions = 200;

/// A Gaussian near one of the target's modes, or where there is most of it beside a spike.
struct PathGaussian {
  LocalGaussian gaussian;
  double lower_bound = 0.0;  ///< E[log p − log N] under it, without the constants of either
  double sd = 0.0;           ///< of log p − log N in the draws that this rests on
};

/// What several optimisation paths find, best first and one for each mode, after Zhang, Carpenter, Gelman and Vehtari (2022),
/// Pathfinder: parallel quasi-Newton variational inference.
///
/// Paths are climbs by L-BFGS, from the prior or from (−2, 2), that end when a step promises less than 1e-3 in log density, or
/// after 100. Waypoints suggest Gaussians (local_gaussian.hpp); the one with the largest lower bound, from 5 draws, is the
/// path's. Where a density has no bound, that is not the end of the path.
///
/// Up to 200 dimensions Gaussians are then sharpened: differences of gradients along the axes of the Gaussian tell where it is
/// too narrow or too wide, which the path cannot know of directions in which it hardly moved. That goes on as long as the
/// lower bound gains. Paths from which Newton's step by a Gaussian leads to that Gaussian's own mean are of the same mode, and
/// need none of their own.
class Pathfinder {
 public:
  /// Numbers come from `random`, but for those of the first points.
  Pathfinder(const Model& model, CountedEvaluation& evaluation, RandomStream& random)
      : model_(model), evaluation_(evaluation), random_(random) {}

  /// At least one. Throws InputError if no path finds a point at which the model is finite.
  [[nodiscard]] std::vector<PathGaussian> find(std::uint64_t seed, Index paths);
  /// What the path from each lane of `feet` finds, as it is; nothing where the model is not finite there.
  [[nodiscard]] std::vector<std::optional<PathGaussian>> find_from(ConstBatch feet);

 private:
  using Path = std::vector<Waypoint>;

  [[nodiscard]] FiniteDraws draw_feet(std::uint64_t seed, Index paths);
  [[nodiscard]] int memory() const;
  [[nodiscard]] std::vector<LocalGaussian> candidates(const Path& path) const;
  [[nodiscard]] std::vector<PathGaussian> judge(std::vector<LocalGaussian> gaussians, Index draws);
  void sharpen(PathGaussian& one);
  [[nodiscard]] std::optional<LocalGaussian> sharpened(const LocalGaussian& gaussian);

  const Model& model_;
  CountedEvaluation& evaluation_;
  RandomStream& random_;
};

}  // namespace darboux

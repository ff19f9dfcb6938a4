#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "darboux/core/batch.hpp"
#include "sample/trajectory_search.hpp"

namespace darboux {

/// What warm-up sees of a chain's transition.
struct SeenTransition {
  double acceptance = 0.0;  ///< its probability
  double log_density = 0.0;
  JumpSums jump;
  std::span<const double> position{};  ///< q after it, in the model's own coordinates
  std::span<const double> gradient{};  ///< of U there, where it is observed
};

/// What a stretch of transitions showed, pooled over iterations and, in each, over chains in their order.
struct Observation {
  int iterations = 0;                ///< that every chain made: fewer than asked for where the run was stopped
  std::vector<double> acceptance{};  ///< the mean of each chain's probabilities
  std::vector<double> hopeless{};    ///< the share of each chain's proposals that hardly had a chance
  std::vector<double>
      refused{};  ///< the share of each chain's proposals that met a point where the density is not defined
  std::vector<double> log_density{};    ///< the mean of each chain's draws
  std::vector<double> log_densities{};  ///< of every chain after every transition
  std::vector<JumpSums> jumps{};        ///< iteration by iteration
  std::vector<double> positions;        ///< q of every chain after every transition
  std::vector<double> gradients;        ///< of U there, likewise; where they are observed

  /// Makes room for sums over so many chains.
  void begin(Index chains) {
    for (auto* sums : {&acceptance, &hopeless, &refused, &log_density}) sums->resize(at(chains), 0.0);
  }
  /// The next transition of the last of `jumps`.
  void add(Index chain, const SeenTransition& seen) {
    constexpr double hardly_a_chance = 0.1;
    positions.insert(positions.end(), seen.position.begin(), seen.position.end());
    gradients.insert(gradients.end(), seen.gradient.begin(), seen.gradient.end());
    acceptance[at(chain)] += seen.acceptance;
    hopeless[at(chain)] += seen.acceptance < hardly_a_chance ? 1.0 : 0.0;
    refused[at(chain)] += seen.jump.undefined;
    log_density[at(chain)] += seen.log_density;
    log_densities.push_back(seen.log_density);
    jumps.back().duration = seen.jump.duration;
    jumps.back() += seen.jump;
  }
  /// Sums become means.
  void end() {
    for (auto* sums : {&acceptance, &hopeless, &refused, &log_density})
      for (double& sum : *sums) sum /= std::max(1, iterations);
  }
};

}  // namespace darboux

#pragma once

#include <cstdint>

namespace darboux::proofs {

/// Draws of exact methods that every law is promised.
inline constexpr double promised_draws = 1e7;
/// Short runs of each way to run on a law.
inline constexpr double promised_runs = 1e5;
/// Of each model and method that is calibrated.
inline constexpr double promised_replications = 1000;

/// How much is to be done. The work is cut into rounds, so that whatever time there is, all methods get about the same share.
struct Scale {
  std::uint64_t seed = 1;
  int rounds = 20;        ///< twenty make 10⁷ draws for every law, 10⁵ short runs and 1000 replications
  int blocks = 34;        ///< of 16 chains, of each method in a round of exactness: over a thousand methods are exact
  int short_runs = 500;   ///< of each law and way to run, in a round of warm-up: of these there are ten times as many
  int replications = 50;  ///< of each model and method, in a round of calibration

  /// Of methods that are not exact: their bias is seen long before.
  [[nodiscard]] int approximate_rounds() const { return (rounds + 3) / 4; }
  [[nodiscard]] int trace_rounds() const { return 10 * rounds; }
};

}  // namespace darboux::proofs

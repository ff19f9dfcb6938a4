#pragma once

#include <vector>

namespace darboux {

/// What transitions of one duration showed, summed over chains: how far they went, and at what cost. Positions are measured
/// from the mean; α is the acceptance probability.
struct JumpSums {
  double duration = 0.0;      ///< N ε
  double linear = 0.0;        ///< Σ α ‖q' − q‖²
  double radial = 0.0;        ///< Σ α (‖q'‖ − ‖q‖)²
  double norm = 0.0;          ///< Σ ‖q‖
  double norm_squared = 0.0;  ///< Σ ‖q‖²
  double gradients = 0.0;     ///< Σ evaluations, those of implicit solves included
  double count = 0.0;         ///< of transitions
  double undefined = 0.0;     ///< of those, trajectories that came to where the density or its gradient is not defined

  /// Adds all but the duration.
  JumpSums& operator+=(const JumpSums& other) noexcept;

  template <class Archive>
  void archive(Archive& fields) {
    fields(duration, linear, radial, norm, norm_squared, gradients, count, undefined);
  }
};

/// The range of durations that a trajectory of mean length T is drawn from, so that none keeps meeting a period of the motion.
struct DurationRange {
  double shortest = 0.5, longest = 1.5;  ///< times T
  /// The duration at a place in [0, 1), over T.
  [[nodiscard]] double at(double place) const noexcept { return shortest + (longest - shortest) * place; }
};

/// Finds the trajectory length with the most effective draws per gradient. In the spirit of ChEES (Hoffman, Radul and Sountsov
/// 2021) it looks at expected jumps, but at all durations at once, as the jitter of trajectories provides them: a chain that
/// forgets by a factor ρ in each transition has (1 − ρ)/(1 + ρ) effective draws per draw, and
///
///     ρ₁ = 1 − E α‖q' − q‖² / (2 E‖q‖²),      ρ₂ = 1 − E α(‖q'‖ − ‖q‖)² / (2 Var ‖q‖)
///
/// are these factors for the mean and for the distance from it, hence for squares (norms and not their squares, as in ChEES,
/// because these have heavy tails). Both, and the gradients spent, are smooth functions of the duration, here
/// averages with weights that fall off in its logarithm. best() maximises the smaller of the two sizes per gradient over T, and
/// stays where it is unless that promises clearly more than the noise of as many transitions.
class TrajectorySearch {
 public:
  void observe(const JumpSums& seen) { seen_.push_back(seen); }
  /// The best mean length of trajectories whose durations are drawn from `range`; `present` where nothing is better by far.
  [[nodiscard]] double best(const DurationRange& range, double present) const;
  /// After a change of coordinates.
  void forget() { seen_.clear(); }

  template <class Archive>
  void archive(Archive& fields) {
    fields(seen_);
  }

 private:
  struct Point {
    double linear, radial, gradients;  // per transition; the jumps over their spread
    double count;
  };
  [[nodiscard]] Point near(double duration, const JumpSums& all) const;
  [[nodiscard]] double score(double length, const DurationRange& range, const JumpSums& all) const;

  std::vector<JumpSums> seen_;
};

}  // namespace darboux

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "darboux/core/batch.hpp"
#include "darboux/sample/tuning.hpp"

namespace darboux {

/// A way to make proposals: trajectories of so many steps of so many stages, step sizes spread around one, momenta partly kept.
struct StepPlan {
  int stages = 1;
  int steps = 1;
  double step_size = 1.0;
  double momentum_kept = 0.0;
  double step_spread = 0.2;

  [[nodiscard]] int gradients() const noexcept { return stages * steps; }
  bool operator==(const StepPlan&) const = default;
};

/// What is known of a target in the coordinates of its preconditioner: a Gaussian to begin with, most of whose directions have
/// variance 1 and hence turn with frequency 1, and whose others are off by what few draws do not tell.
struct TargetGuess {
  Index dim = 1;
  double frequency_spread = 0.0;   ///< standard deviation of frequencies around 1
  double slowest_frequency = 1.0;  ///< of directions that chains have to cross too
};

/// Frequencies are off by what N draws of a dense metric do not tell, √(n/N)/2 with half of them effective; a metric of low rank leaves
/// variances that are off by up to a factor of 1.5. Trajectories that are best when long tell of a slow direction.
[[nodiscard]] TargetGuess guess_of(const Tuning& tuning, Index dim, double time);
[[nodiscard]] Tuning with_steps(Tuning tuning, const StepPlan& plan);

/// Effective draws per draw of a Gaussian target, the smaller of means and squares, where proposals are accepted with the given
/// probability, whatever their place. With v = d p the transition of a direction with frequency ω is linear in (q, v): turned by
/// θ = ωT where it is accepted, (q, −v) where not, then v ← α v + √(1 − α²) ξ. The autocorrelations of q and of q² are entries of
/// powers M^k of its 2 × 2 and (on q², qv, v²) 3 × 3 matrices of expectations, averaged over the spread of T, and
///
///     1/ESS = 1 + 2 Σ_k ρ_k = 2 [(I − M)⁻¹]₁₁ − 1.
[[nodiscard]] double effective_share(const StepPlan& plan, double acceptance, const TargetGuess& target);

/// What proposals cost in energy on such a target: E ΔH, averaged over the spreads of step sizes and frequencies; infinite where a
/// step is not stable. ΔH is about N(μ, 2μ) in many dimensions, of which erfc(√μ/2) are accepted.
[[nodiscard]] double gaussian_energy_error(const StepPlan& plan, const TargetGuess& target);
[[nodiscard]] double acceptance_of_energy_error(double mean);
[[nodiscard]] double energy_error_of_acceptance(double acceptance);

/// Chooses among plans by trying as few of them as it takes. What a plan yields per gradient is told by effective_share from its
/// acceptance; this is foreseen for those that were not tried: a Gaussian's, and κ (h/s)⁴ more by the κ that tried ones showed, as the
/// energy error of a smooth target has it to leading order. The most promising plan is tried next, until the best of all was tried.
class StepChoice {
 public:
  struct Rules {
    TargetGuess target;
    double time = 1.5;  ///< the longest trajectories, in mean
    double least_acceptance = 0.8;
    std::optional<int> stages{};            ///< none but these
    std::optional<double> momentum_kept{};  ///< none but this
    bool whole_time = false;                ///< trajectories of that time only

    template <class Archive>
    void archive(Archive& fields) {
      fields(target.dim, target.frequency_spread, target.slowest_frequency, time, least_acceptance, stages,
             momentum_kept, whole_time);
    }
  };
  StepChoice() = default;
  explicit StepChoice(const Rules& rules);

  /// The plan to try next; nothing where the best of all has been tried, or none that was not promises enough.
  [[nodiscard]] std::optional<StepPlan> next() const;
  /// What trying it showed: the mean of acceptance probabilities, and whether it got stuck anywhere, which rules it out.
  void observe(const StepPlan& plan, double acceptance, bool is_stuck = false);
  /// The best of those that were tried and reached the acceptance, if there is one.
  [[nodiscard]] std::optional<StepPlan> best() const;
  /// Effective draws per gradient of a plan at an acceptance.
  [[nodiscard]] double worth(const StepPlan& plan, double acceptance) const;
  /// Of trajectories whose number of steps varies, of the tuning's steps, which reach the acceptance.
  [[nodiscard]] double worth_of_search(const Tuning& tuning, double acceptance) const;
  /// Of the best; 0 where there is none.
  [[nodiscard]] double best_worth() const;

  template <class Archive>
  void archive(Archive& fields) {
    fields(rules_, tried_);
    if constexpr (Archive::reads) make_plans();
    for (const Tried& one : tried_) require_sense(one.plan < plans_.size(), "a plan was tried that is none");
  }

 private:
  struct Tried {
    std::size_t plan = 0;
    double acceptance = 0.0;
    bool is_stuck = false;
    template <class Archive>
    void archive(Archive& fields) {
      fields(plan, acceptance, is_stuck);
    }
  };
  void make_plans();
  [[nodiscard]] double excess() const;
  [[nodiscard]] const Tried* best_tried() const;

  Rules rules_;
  std::vector<StepPlan> plans_;
  std::vector<double> energy_errors_;  // of a Gaussian
  std::vector<Tried> tried_;
};

}  // namespace darboux

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "darboux/core/choices.hpp"
#include "darboux/sample/sample_result.hpp"
#include "model/whitened.hpp"
#include "sample/trajectory_rule.hpp"

namespace darboux {

/// How the sampler works, everything decided: what plan_sampling makes of SampleOptions.
struct SamplerSettings {
  Index chains = 4;
  Index first_chain = 0;  ///< how many chains come before these, for random numbers, of a run that is drawn in parts
  int warmup = 1000;
  int draws = 1000;
  std::uint64_t seed = 0;
  int threads = 1;
  IntegratorKind integrator = IntegratorKind::leapfrog;
  int order = 2;         ///< of the integrator
  SolverOptions solver;  ///< of midpoint and split-midpoint
  CopyOptions copies;    ///< of explicit; `doubled` has its binding from the tuning
  /// When absent, the lowest that draws stay exact with, as far as the model's gradients are good enough in it.
  std::optional<GradientPrecision> gradient_precision;
  std::optional<PoissonStructure> structure;  ///< in whitened coordinates; canonical when absent
  Metric metric = Metric::dense;
  /// Whether coordinates are bent by what warm-up finds: none, all, or, when absent, where that makes draws likelier.
  std::optional<MarginalMap> map = MarginalMap::none;
  TrajectoryRule trajectory;
  KernelOptions kernel;
  Tuning first;                             ///< what warm-up starts from or, without warm-up, what is used
  bool chooses_steps = false;               ///< whether warm-up chooses stages, steps and refreshment (StepChoice)
  bool keeps_stages = false;                ///< of those, none but the first tuning's
  bool keeps_refreshment = false;           ///< likewise
  bool keeps_time = false;                  ///< trajectories of the rule's time only
  bool chooses_motion = false;              ///< whether they may move microcanonically (DensityScatter)
  bool tune_copies = true;                  ///< whether warm-up chooses σ and θ of `doubled`
  std::optional<double> target_acceptance;  ///< a sensible one for the integrator when absent
  bool acceptance_may_rise = false;         ///< where warm-up finds that the target narrows somewhere
  /// For warm-up and sampling together. Where it ends a run, the number of draws is the clock's; their values are not.
  std::optional<double> max_seconds;
};
/// Throws InputError naming the setting, its value and the rule.
void validate(const SamplerSettings& settings, Index dim);

/// The integrator of a run, as a tuning has it.
[[nodiscard]] Integrator make_integrator(const SamplerSettings& settings, const PoissonStructure& structure,
                                         const Tuning& tuning);
/// Whether draws have a bias that more of them do not remove: the integrator's claim, and how often it is checked.
[[nodiscard]] bool is_approximate(const SamplerSettings& settings);
/// The tuning of a run without warm-up: the first one, with as many steps as the rule says.
[[nodiscard]] Tuning untuned(const SamplerSettings& settings);

/// The acceptance probability to aim at: where an integrator explores most per gradient, but with smaller steps on densities
/// that are not known to be log-concave, whose narrow parts would diverge.
[[nodiscard]] double default_target_acceptance(IntegratorKind kind, const ModelTraits& traits);

[[nodiscard]] Metric metric_of(const StructuredMatrix& factor) noexcept;
/// A dense preconditioner is worth its while from so many draws on.
[[nodiscard]] constexpr Index fewest_draws_for_dense(Index dim) noexcept { return 2 * dim + 1; }
/// The model in the coordinates of a tuning.
[[nodiscard]] std::shared_ptr<const Whitened> whiten(std::shared_ptr<const Model> model, const Tuning& tuning);

}  // namespace darboux

#pragma once

#include <memory>
#include <optional>

#include "darboux/sample/sample_options.hpp"
#include "sample/sampler.hpp"

namespace darboux {

/// What is to be done, everything decided: automatic choices made, combinations checked.
struct SamplePlan {
  std::shared_ptr<const Model> model;
  SampleOptions asked;
  SamplerSettings settings;
  Starts starts;
  std::optional<Tuning> tuning;  ///< an earlier run's, instead of warm-up
};
/// All decisions that a run leaves open are made here, for every way in. Throws InputError, before any work is done, naming the
/// setting as the command line does.
/// Where chains are to go on from a state, finding starting points would be in vain.
enum class StartsAre { wanted, known };
[[nodiscard]] SamplePlan plan_sampling(std::shared_ptr<const Model> model, SampleOptions asked,
                                       StartsAre starts = StartsAre::wanted);

/// What can be checked before there is a model: the ranges of settings that decisions rest on. plan_sampling does it, too.
void check_ranges(const SampleOptions& asked);
/// The metric of a model of so many dimensions where none is asked for.
[[nodiscard]] Metric default_metric(Index dim) noexcept;
/// The cheapest exact integrator for a structure.
[[nodiscard]] IntegratorKind cheapest_exact_integrator(const PoissonStructure& structure);
/// The starting points that the options ask for, with their seed.
[[nodiscard]] Starts plan_starts(const SampleOptions& asked, const Model& model);
/// The most draws of each chain: `draws`, or more where sampling goes on until a target is reached.
[[nodiscard]] int most_draws(const SampleOptions& asked) noexcept;

/// After how many iterations to see for the first time whether there are enough effective draws. Never early: effective sizes of
/// short chains are too large where chains have not yet been to the tails, and such runs would be the ones to stop.
[[nodiscard]] int first_look(const SampleOptions& asked) noexcept;
/// Throws InputError where a run of so many dimensions has no room in this machine's memory. What is counted is the least that
/// it needs, so nothing is refused that could work. `structure` is what messages call it.
void require_room(const SampleOptions& asked, Index dim, std::string_view structure, bool is_dense);

}  // namespace darboux

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "darboux/model/model.hpp"
#include "darboux/sample/sample_result.hpp"
#include "sample/sampler_settings.hpp"

/// What a run came to, in the words that users read.
namespace darboux {

/// What a preconditioner is and rests on, and why it is simpler than asked for where it is: "dense, from 1700 draws".
[[nodiscard]] std::string metric_in_words(const Tuning& tuning, Metric asked);
/// What trajectories are made of, and why where warm-up had a choice: "1 step of 2 stages, 1.5 ± 20 % long, …".
[[nodiscard]] std::string steps_in_words(const SampleResult& result, const SamplerSettings& settings);
/// Why steps are as they are: chosen, not chosen, or not even tried.
[[nodiscard]] std::string steps_reason(const SampleResult& result, const SamplerSettings& settings);
/// Which motion it was, and why.
[[nodiscard]] std::string motion_in_words(const SampleResult& result, bool is_asked_for);
/// How many coordinates are bent, and all of them in words: "2 of 10 bent, so that draws look Gaussian"; empty where there are none.
[[nodiscard]] Index bent_coordinates(const Tuning& tuning);
[[nodiscard]] std::string coordinates_in_words(const Tuning& tuning);
/// What gradients draws were made with, and why.
[[nodiscard]] std::string_view gradients_in_words(const SampleResult& result) noexcept;

/// Sentences; empty where there is nothing to say. About chains that warm-up brought to the others, about those that are not with
/// the others, about steps that are shorter than usual, about walls, and about a warm-up that took more than three times the gradients that
/// sampling takes for as many iterations, or for as many as were drawn if these were more.
[[nodiscard]] std::string lateness_in_words(const SampleResult& result);
[[nodiscard]] std::string absence_in_words(const SampleResult& result);
[[nodiscard]] std::string care_in_words(const SampleResult& result);
[[nodiscard]] std::string walls_in_words(const SampleResult& result);
/// Of microcanonical motion what E-BFMI says of another: levels of the log density that chains may not reach.
[[nodiscard]] std::string scatter_in_words(const SampleResult& result);
/// Of a step size that is not adapted, where it is beyond what is stable around the starting points.
[[nodiscard]] std::string instability_in_words(double fastest, const Tuning& tuning, int order);
[[nodiscard]] std::string cost_in_words(const SampleResult& result, int warmup);

/// Those of these that there are, in that order.
[[nodiscard]] std::vector<std::string> remarks_on_warm_up(const SampleResult& result, int warmup);

/// What is amiss though draws may not show it: chains that are not with the others, steps that are too long, what the model says of its data.
[[nodiscard]] std::vector<std::string> told_by(const Model& model, const SampleResult& result);

}  // namespace darboux

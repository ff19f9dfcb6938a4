#include "result.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <string_view>

#include "run/draws_content.hpp"
#include "sample/result_in_words.hpp"
#include "settings.hpp"

namespace nb = nanobind;

namespace darboux::python {

ByName facts_of(const Draws& draws) {
  const SampleResult& result = draws.result();
  const SamplePlan& plan = draws.content().plan;
  nb::dict out;
  out["seed"] = plan.asked.seed.value();
  out["integrator"] = std::string(name(plan.settings.integrator));
  out["trajectory"] = std::string(name(plan.settings.trajectory.kind()));
  out["metric"] = std::string(name(metric_of(result.tuning.factor)));
  out["tuning_steps"] = plan.settings.warmup;
  out["target_acceptance"] = result.target_acceptance;
  out["warmup_gradients"] = result.warmup_gradients;
  out["sampling_gradients"] = result.sampling_gradients;
  out["warmup_seconds"] = result.warmup_seconds;
  out["sampling_seconds"] = result.sampling_seconds;
  out["warmup_cpu_seconds"] = result.warmup_cpu_seconds;
  out["sampling_cpu_seconds"] = result.sampling_cpu_seconds;
  out["step_size"] = result.tuning.step_size;
  out["gradient_precision"] = std::string(name(result.gradient_precision));
  out["end"] = std::string(name(result.end));
  const Tuning& tuning = result.tuning;
  if (!plan.settings.trajectory.traits().goes_both_ways) out["steps"] = tuning.steps;
  out["stages"] = tuning.stages;
  out["step_spread"] = tuning.step_spread;
  out["momentum_kept"] = tuning.momentum_kept;
  out["motion"] = std::string(name(tuning.motion));
  out["metric_draws"] = tuning.metric_draws;
  if (tuning.factor.kind() == StructuredMatrix::Kind::low_rank)
    out["metric_directions"] = tuning.factor.low_rank().rank();
  out["coordinates_bent"] = bent_coordinates(tuning);
  return out;
}

TextByName how_of(const Draws& draws, bool is_running) {
  const SampleResult& result = draws.result();
  const SamplePlan& plan = draws.content().plan;
  SamplerSettings settings = plan.settings;
  if (is_running) settings.chooses_steps = false;  // leaves out why they are chosen
  nb::dict out;
  const auto say = [&](const char* what, std::string_view words) {
    if (!words.empty()) out[what] = message_in_python(std::string(words));
  };
  if (!settings.trajectory.traits().goes_both_ways) say("Trajectories", steps_in_words(result, settings));
  if (settings.chooses_steps) say("Motion", motion_in_words(result, plan.asked.motion.has_value()));
  say("Metric", metric_in_words(result.tuning, settings.metric));
  say("Coordinates", coordinates_in_words(result.tuning));
  if (!is_running && plan.model->traits().single_precision_gradients) say("Gradients", gradients_in_words(result));
  return out;
}

std::string repr_of(const Tuning& tuning) {
  std::string text =
      fmt::format("<darboux.Tuning: steps of {:.3g}, {:.3g} to a trajectory", tuning.step_size, tuning.steps);
  if (tuning.stages > 1) text += fmt::format(", of {} stages", tuning.stages);
  if (tuning.momentum_kept > 0.0) text += fmt::format("; {:.0f} % of the momentum kept", 100.0 * tuning.momentum_kept);
  text += fmt::format("; a {} metric", name(metric_of(tuning.factor)));
  if (tuning.metric_draws > 0) text += fmt::format(", from {} draws", tuning.metric_draws);
  text += fmt::format("; {} coordinates", tuning.center.size());
  if (const Index bent = bent_coordinates(tuning); bent > 0) text += fmt::format(", {} of them bent", bent);
  return text + ">";
}

}  // namespace darboux::python

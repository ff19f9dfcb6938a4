#include "sample/result_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "integrate/splitting.hpp"
#include "sample/density_scatter.hpp"
#include "sample/warm_up_plan.hpp"

namespace darboux {

namespace {

/// "Chains 2, 3 were".
std::string chains_in_words(const std::vector<Index>& chains) {
  std::string words = chains.size() == 1 ? "Chain" : "Chains";
  for (std::size_t i = 0; i < chains.size(); ++i) words += fmt::format("{} {}", i == 0 ? "" : ",", chains[i] + 1);
  return words + (chains.size() == 1 ? " was" : " were");
}

}  // namespace

std::string metric_in_words(const Tuning& tuning, Metric asked) {
  const StructuredMatrix& factor = tuning.factor;
  std::string words(name(metric_of(factor)));
  if (factor.kind() == StructuredMatrix::Kind::low_rank)
    words += fmt::format(" with {} direction{}", factor.low_rank().rank(), factor.low_rank().rank() == 1 ? "" : "s");
  if (tuning.metric_draws > 0) words += fmt::format(", from {} draws", tuning.metric_draws);
  if (tuning.metric_draws == 0 && asked != Metric::identity)
    return words + ": there were no draws to find another from";
  if (asked == Metric::dense && factor.is_diagonal() && tuning.metric_draws < fewest_draws_for_dense(factor.dim()))
    words += ": too few for a dense one";
  if (asked == Metric::low_rank && factor.is_diagonal())
    words += ": a low-rank one was looked for, but no direction stands out";
  return words;
}

std::string steps_reason(const SampleResult& result, const SamplerSettings& settings) {
  const bool is_adapted = result.target_acceptance > 0.0;
  if (!is_adapted) return "as they were given: nothing was adapted";
  if (!settings.chooses_steps) return "by acceptance alone: what is asked for leaves nothing else to choose";
  if (!tries_steps(settings))
    return fmt::format(
        "by acceptance alone: a warm-up of {} iterations is too short to try longer ones, 200 are enough",
        settings.warmup);
  if (result.foreseen > 0.0 && result.tuning.step_spread > 0.0)
    return fmt::format(
        "foreseen, were the target Gaussian, {:.2g} effective draws a gradient, {:.2g} with steps by acceptance alone",
        result.foreseen, result.foreseen_otherwise);
  if (result.foreseen > 0.0) return "no fixed number of longer steps was foreseen to give more";
  if (result.refused > 0.0) return "by acceptance alone: no longer ones were tried, since the density ends at a wall";
  if (result.narrow > 0.0)
    return fmt::format(
        "by acceptance alone: no longer ones were tried, since {:.0f} % of warm-up's proposals hardly had a chance",
        100.0 * result.narrow);
  const bool is_microcanonical = result.tuning.motion == MotionKind::microcanonical;
  if (is_microcanonical && result.tuning.step_spread > 0.0)
    return "tried, and accepted often enough; what they give cannot be foreseen in this motion";
  if (is_microcanonical) return "by acceptance alone: longer ones that were tried did not reach it";
  return "by acceptance alone: warm-up ended before longer ones were tried";
}

std::string steps_in_words(const SampleResult& result, const SamplerSettings& settings) {
  const Tuning& tuning = result.tuning;
  const bool steps_vary = tuning.step_spread > 0.0;
  const std::string on_average = fmt::format("{:.3g}", tuning.steps);
  std::string words = steps_vary          ? fmt::format("{:.0f} step{}", tuning.steps, tuning.steps > 1.0 ? "s" : "")
                      : on_average == "1" ? "1 step"
                                          : on_average + " steps on average";
  if (tuning.stages > 1) words += fmt::format(" of {} stages", tuning.stages);
  words += fmt::format(", {}{:.3g}", steps_vary || tuning.stages > 1 ? "each " : "of size ", tuning.step_size);
  if (steps_vary) words += fmt::format(" ± {:.0f} %", 100.0 * tuning.step_spread);
  if (tuning.motion != MotionKind::hamiltonian) words += fmt::format(", in {} motion", name(tuning.motion));
  if (tuning.momentum_kept > 0.0)
    words += fmt::format(", keeping {:.0f} % of the momentum", 100.0 * tuning.momentum_kept);
  return settings.chooses_steps ? words + "; " + steps_reason(result, settings) : words;
}

std::string motion_in_words(const SampleResult& result, bool is_asked_for) {
  const std::string_view motion = name(result.tuning.motion);
  if (is_asked_for) return fmt::format("{}, as asked", motion);
  if (result.scatter == 0.0) return fmt::format("{}; warm-up was too short to choose one (--motion)", motion);
  if (result.tuning.motion == MotionKind::microcanonical)
    return fmt::format(
        "{}: log densities scatter {:.1f} times as widely as a Gaussian's, which hamiltonian motion is slow to cross",
        motion, result.scatter);
  if (result.scatter > DensityScatter::wide)
    return fmt::format(
        "{}, although log densities scatter {:.1f} times as widely as a Gaussian's: where a density narrows, beside "
        "walls and "
        "in fewer than {} dimensions no other is taken (--motion)",
        motion, result.scatter, DensityScatter::fewest_dimensions);
  return fmt::format(
      "{}: log densities scatter about as widely as a Gaussian's ({:.2f} times; it is another from {:g} on)", motion,
      result.scatter, DensityScatter::wide);
}

Index bent_coordinates(const Tuning& tuning) {
  return std::ranges::count_if(tuning.shapes, [](const MarginalShape& shape) { return shape != MarginalShape{}; });
}

std::string coordinates_in_words(const Tuning& tuning) {
  const Index bent = bent_coordinates(tuning);
  if (bent == 0) return {};
  return fmt::format("{} of {} bent (sinh-arcsinh), in which draws look more Gaussian", bent, tuning.shapes.size());
}

std::string_view gradients_in_words(const SampleResult& result) noexcept {
  switch (result.gradient_precision) {
    case GradientPrecision::single: return "in single precision, which steer; acceptance in double, so draws are exact";
    case GradientPrecision::mixed: return "in single precision where solves begin, in double where they end";
    case GradientPrecision::full: break;
  }
  return result.single_precision_is_too_rough ? "in double precision: single would be too rough where the chains were"
                                              : "in double precision";
}

std::string lateness_in_words(const SampleResult& result) {
  if (result.late_chains.empty()) return {};
  return fmt::format(
      "{} far from the others early in warm-up, and began anew where an optimisation path from there led.",
      chains_in_words(result.late_chains));
}

std::string absence_in_words(const SampleResult& result) {
  if (result.absent_chains.empty()) return {};
  return fmt::format(
      "{} not where the others were when warm-up ended: far lower in log density, stuck or in a mode of less weight. "
      "Do not pool them with the others; look at them alone, and start more chains to see whether such places matter.",
      chains_in_words(result.absent_chains));
}

std::string care_in_words(const SampleResult& result) {
  if (result.hopeless == 0.0 || result.tuning.step_spread > 0.0) return {};
  return fmt::format(
      "Steps are shorter than usual, for an acceptance of {:g}: in warm-up {:.0f} % of proposals hardly had a chance, "
      "which happens where a density narrows. If R-hat or divergences are high too, other parameters may help, such as "
      "non-centred ones.",
      result.target_acceptance, 100.0 * result.hopeless);
}

std::string walls_in_words(const SampleResult& result) {
  if (result.refused == 0.0) return {};
  return fmt::format(
      "In warm-up the model refused {:.0f} % of proposals, however short the steps: the density ends at a wall. Step "
      "sizes were "
      "chosen by the others, and draws stay right; declared bounds of parameters, where there are none, would be "
      "faster.",
      100.0 * result.refused);
}

std::string instability_in_words(double fastest, const Tuning& tuning, int order) {
  const double limit = stability_limit(tuning.stages, order);
  if (fastest * tuning.step_size <= limit) return {};
  const std::string_view beyond =
      tuning.motion == MotionKind::hamiltonian
          ? "its energy grows and proposals are refused, or it makes half turns and chains do not mix"
          : "that holds of hamiltonian motion; in microcanonical motion, whose speed does not grow, proposals may be "
            "accepted or not, as the acceptance of the run will tell";
  return fmt::format(
      "step-size = {:g}: steps of {} stage{}{} are stable up to {:.3g}/w, where a direction turns with frequency w, "
      "and around the starting points there is one with w = {:.3g}{} (on a structure, one of canonical motion that is "
      "stable as long). Beyond {:.3g} {}: choose less, or leave it to warm-up, without tuning.",
      tuning.step_size, tuning.stages, tuning.stages == 1 ? "" : "s", order == 2 ? "" : " and order 4", limit, fastest,
      metric_of(tuning.factor) == Metric::identity ? "" : " in the coordinates of the metric", limit / fastest, beyond);
}

std::string cost_in_words(const SampleResult& result, int warmup) {
  constexpr double most = 3.0;
  if (warmup == 0 || result.draws == 0 || result.sampling_gradients == 0) return {};
  const double iterations = std::max(warmup, result.draws);
  const double usual = static_cast<double>(result.sampling_gradients) / result.draws * iterations;
  const double times = static_cast<double>(result.warmup_gradients) / usual;
  if (times <= most) return {};
  const std::int64_t motion = result.warmup_gradients - result.start_gradients - result.late_gradients;
  return fmt::format(
      "Warm-up took {} gradients, {:.1f} times as many as {:.0f} iterations of sampling: {} to find starting points, "
      "{} to "
      "bring late chains to the others, {} to move before step size and metric were right. A later run of this model "
      "can do "
      "without: --tuning FILE.",
      result.warmup_gradients, times, iterations, result.start_gradients, result.late_gradients, motion);
}

std::vector<std::string> remarks_on_warm_up(const SampleResult& result, int warmup) {
  std::vector<std::string> remarks{lateness_in_words(result),
                                   absence_in_words(result),
                                   care_in_words(result),
                                   walls_in_words(result),
                                   instability_in_words(result.fastest, result.tuning, result.order),
                                   cost_in_words(result, warmup)};
  std::erase(remarks, std::string());
  return remarks;
}

std::string scatter_in_words(const SampleResult& result) {
  if (result.tuning.motion != MotionKind::microcanonical || result.scatter <= DensityScatter::slow) return {};
  return fmt::format(
      "In warm-up log densities scattered {:.0f} times as widely as a Gaussian's, as where the E-BFMI of hamiltonian "
      "motion is below 0.3: chains may not reach the tails, or narrow places. Write the model differently (heavy tails "
      "and funnels are the usual causes), or run longer.",
      result.scatter);
}

std::vector<std::string> told_by(const Model& model, const SampleResult& result) {
  std::vector<std::string> told{absence_in_words(result), scatter_in_words(result),
                                instability_in_words(result.fastest, result.tuning, result.order)};
  for (std::string& remark : model.remarks()) told.push_back(std::move(remark));
  std::erase(told, std::string());
  return told;
}

}  // namespace darboux

#include "sample/longest_step.hpp"

#include <algorithm>
#include <limits>

#include "model/fastest_turn.hpp"
#include "sample/trajectory_traits.hpp"
#include "sample/warm_up_plan.hpp"

namespace darboux {

namespace {

constexpr double quarter_turn = TrajectoryLength().time;
constexpr double small = 1e-3;  // part of a step, over which gradients are compared

}  // namespace

LongestStep::LongestStep(const SamplerSettings& settings)
    : settings_(settings), of_integrator_(largest_step_size(settings)) {}

bool LongestStep::is_bounded_by_acceptance(const Circumstances& here) const {
  return traits_of(settings_.integrator).is_explicit && here.stages == 1 && settings_.order == 2;
}

bool LongestStep::depends_on_turns(const Circumstances& here) const {
  const bool is_plain = !settings_.structure || settings_.structure->A().is_identity();
  return settings_.metric == Metric::identity && is_plain && !is_bounded_by_acceptance(here);
}

double LongestStep::in(const Circumstances& here) const {
  if (settings_.metric == Metric::identity)
    return depends_on_turns(here) && turn_ > 0.0 ? std::min(of_integrator_, quarter_turn / turn_) : of_integrator_;
  const bool is_bounded = is_bounded_by_acceptance(here);
  if (!here.has_scales || (is_bounded && !here.has_walls)) return of_integrator_;
  const bool is_implicit = !traits_of(settings_.integrator).is_explicit && here.stages == 1 && settings_.order == 2;
  const double turn = is_bounded || is_implicit ? of_integrator_ : quarter_turn;
  return std::min({of_integrator_, turn, here.time / (here.has_walls ? 3.0 : 1.0)});
}

void LongestStep::look_for_turns(const Model& model, ConstBatch points, double step_size) {
  const FastestTurn found = fastest_turn(model, points, small * step_size);
  turn_ = found.typical;
  gradients_ += found.gradients;
}

void look_for_the_fastest_turn(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                               const std::optional<Tuning>& given, Starts& starts) {
  if ((settings.warmup > 0 && !given) || !settings.structure->A().is_identity()) return;
  const Tuning& tuning = given ? *given : settings.first;
  const IntegratorTraits integrator = make_integrator(settings, *settings.structure, tuning).traits();
  if (!integrator.is_explicit || integrator.doubled_space) return;  // not kicks and drifts of one space
  const std::shared_ptr<const Whitened> whitened = whiten(model, tuning);
  OwnedBatch points(starts.q.rows(), starts.q.lanes());
  std::vector<double> q(at(points.rows()));
  for (Index l = 0; l < points.lanes(); ++l) {
    for (Index j = 0; j < points.rows(); ++j) q[at(j)] = starts.q(j, l);
    const std::vector<double> y = whitened->from_inner(q);
    for (Index j = 0; j < points.rows(); ++j) points(j, l) = y[at(j)];
  }
  const FastestTurn found = fastest_turn(*whitened, points.view(), small * tuning.step_size);
  starts.fastest = given ? found.typical : found.frequency;  // of a tuning chains begin at draws, some of them far out
  starts.gradients += found.gradients;
}

}  // namespace darboux

#include "sample/longest_step.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "integrate/splitting.hpp"
#include "model/fastest_turn.hpp"
#include "sample/stable_step.hpp"
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
  const double longest = whatever_the_time(here);
  return settings_.keeps_time && here.has_scales ? std::min(longest, here.time) : longest;
}

double LongestStep::whatever_the_time(const Circumstances& here) const {
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

namespace {

/// Where chains start, in the coordinates in which they move.
OwnedBatch points_of(const Starts& starts, const Whitened& whitened) {
  OwnedBatch points(starts.q.rows(), starts.q.lanes());
  std::vector<double> q(at(points.rows()));
  for (Index l = 0; l < points.lanes(); ++l) {
    for (Index j = 0; j < points.rows(); ++j) q[at(j)] = starts.q(j, l);
    const std::vector<double> y = whitened.from_inner(q);
    for (Index j = 0; j < points.rows(); ++j) points(j, l) = y[at(j)];
  }
  return points;
}

bool is_canonical(const PoissonStructure& structure) {
  return structure.A().is_identity() && structure.E().is_zero() && structure.G().is_zero();
}

/// How fast the fastest direction would turn if motion were canonical and steps were stable up to where they are on this structure; 0 where
/// they are stable as they are. At the first few points, and of these at the worst or the median one.
FastestTurn as_if_canonical(const Model& model, const OwnedBatch& points, const SamplerSettings& settings,
                            const Tuning& tuning) {
  constexpr Index few = 4;
  const double limit = stability_limit(tuning.stages, settings.order);
  const auto integrator = [&](double step_size) {
    Tuning tried = tuning;
    tried.step_size = step_size;
    return make_integrator(settings, *settings.structure, tried);
  };
  FastestTurn found;
  std::vector<double> turns;
  for (Index l = 0; l < std::min(few, points.lanes()); ++l) {
    std::vector<double> point(at(points.rows()));
    for (Index j = 0; j < points.rows(); ++j) point[at(j)] = points(j, l);
    const StableStep here = longest_stable_step(model, point, small * tuning.step_size, tuning.step_size, integrator);
    turns.push_back(here.step_size < tuning.step_size ? limit / here.step_size : 0.0);
    found.gradients += here.gradients;
  }
  std::sort(turns.begin(), turns.end());
  found.frequency = turns.back();
  found.typical = turns[turns.size() / 2];
  return found;
}

}  // namespace

void look_for_the_fastest_turn(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                               const std::optional<Tuning>& given, Starts& starts) {
  if (settings.warmup > 0 && !given) return;
  const Tuning& tuning = given ? *given : settings.first;
  const IntegratorTraits integrator = make_integrator(settings, *settings.structure, tuning).traits();
  if (settings.integrator == IntegratorKind::midpoint || integrator.doubled_space) return;
  const std::shared_ptr<const Whitened> whitened = whiten(model, tuning);
  const OwnedBatch points = points_of(starts, *whitened);
  const FastestTurn found = is_canonical(*settings.structure)
                                ? fastest_turn(*whitened, points.view(), small * tuning.step_size)
                                : as_if_canonical(*whitened, points, settings, tuning);
  starts.fastest = given ? found.typical : found.frequency;  // of a tuning chains begin at draws, some of them far out
  starts.gradients += found.gradients;
}

}  // namespace darboux

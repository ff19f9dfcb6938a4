#include "model/pathfinder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/importance.hpp"

namespace darboux {

namespace {

constexpr int most_steps = 100;        // of a path
constexpr double enough = 1e-3;        // a step that promises to gain less ends a path
constexpr Index most_candidates = 12;  // waypoints of a path that are judged
constexpr Index few_draws = 5, more_draws = 10;
constexpr int most_sharpenings = 3;
constexpr double probe = 0.5;          // standard deviations, for differences of gradients
constexpr double exact = 0.1;          // log ratios that vary less need no sharpening
constexpr double gain_to_go_on = 0.5;  // of the lower bound
constexpr double same_mode = 1.0;      // squared distance between the ends of Newton's steps

bool is_worse(const PathGaussian& a, const PathGaussian& b) { return a.lower_bound < b.lower_bound; }

/// Equal ones stay in their order.
std::vector<PathGaussian> best_first(std::vector<PathGaussian> all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].lower_bound != all[b].lower_bound ? is_worse(all[b], all[a]) : a < b;
  });
  std::vector<PathGaussian> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(all[i]));
  return sorted;
}

}  // namespace

std::vector<PathGaussian> Pathfinder::find(std::uint64_t seed, Index paths) {
  std::vector<PathGaussian> found;
  for (std::optional<PathGaussian>& one : find_from(draw_feet(seed, paths).q))
    if (one) found.push_back(*std::move(one));
  found = best_first(std::move(found));
  std::vector<PathGaussian> distinct;
  for (PathGaussian& one : found) {
    const auto leads_there = [&](const PathGaussian& known) {
      return known.gaussian.squared_distance(known.gaussian.newton(one.gaussian.waypoint())) < same_mode;
    };
    if (std::any_of(distinct.begin(), distinct.end(), leads_there)) continue;
    sharpen(one);
    distinct.push_back(std::move(one));
  }
  return best_first(std::move(distinct));
}

/// Where paths begin. Those for which no finite point was found end there.
FiniteDraws Pathfinder::draw_feet(std::uint64_t seed, Index paths) {
  const StartLaw law = widest_law(model_);
  FiniteDraws feet = seek_finite(model_, {.seed = seed, .lanes = paths, .first_iteration = for_paths}, law.draw);
  evaluation_.count_gradients(feet.gradients);
  if (std::count(feet.open.begin(), feet.open.end(), 0) == 0) require_found(model_, feet, law.what);
  return feet;
}

std::vector<std::optional<PathGaussian>> Pathfinder::find_from(ConstBatch feet) {
  std::vector<Path> paths(at(feet.lanes()));
  const ClimbOptions options{.most_steps = most_steps, .memory = memory(), .tolerance = enough};
  const auto summits =
      climb(model_, feet, options, [&](Index lane, const Waypoint& reached) { paths[at(lane)].push_back(reached); });
  for (const Summit& summit : summits) evaluation_.count_gradients(summit.gradients);
  std::vector<std::optional<PathGaussian>> out(paths.size());
  for (std::size_t lane = 0; lane < paths.size(); ++lane) {
    if (paths[lane].empty()) continue;
    std::vector<PathGaussian> judged = judge(candidates(paths[lane]), few_draws);
    out[lane] = std::move(*std::max_element(judged.begin(), judged.end(), is_worse));
  }
  return out;
}

/// Where there is room, steps for all directions.
int Pathfinder::memory() const {
  constexpr Index few = 8, many = 20;
  return static_cast<int>(model_.dim() > most_dense_dimensions ? few : std::clamp(model_.dim(), few, many));
}

/// The Gaussians of waypoints that are spread evenly over the path, its last among them and its first only where there is no
/// other.
std::vector<LocalGaussian> Pathfinder::candidates(const Path& path) const {
  const Index last = std::ssize(path) - 1, count = std::clamp<Index>(last, 1, most_candidates);
  std::vector<double> variances(at(model_.dim()), 1.0);
  std::vector<CurvaturePair> pairs;
  std::vector<LocalGaussian> out;
  for (Index k = 0, judged = 0; k <= last; ++k) {
    if (auto pair = k > 0 ? curvature_between(path[at(k - 1)], path[at(k)]) : std::nullopt) {
      update_variances(variances, *pair);
      pairs.push_back(*std::move(pair));
      if (std::ssize(pairs) > memory()) pairs.erase(pairs.begin());
    }
    if (k < (judged + 1) * last / count) continue;
    ++judged;
    out.emplace_back(path[at(k)], variances, pairs);
    if (!out.back().is_finite()) out.pop_back();
  }
  if (out.empty())
    out.emplace_back(path.front(), std::vector<double>(variances.size(), 1.0), std::span<CurvaturePair>());
  return out;
}

/// From the same standard normal numbers for all, so that they can be compared.
std::vector<PathGaussian> Pathfinder::judge(std::vector<LocalGaussian> gaussians, Index draws) {
  std::vector<std::vector<double>> z(at(draws), std::vector<double>(at(model_.dim())));
  for (auto& one : z) random_.fill_normal(one);
  OwnedBatch q(model_.dim(), draws * std::ssize(gaussians));
  for (Index lane = 0; lane < q.lanes(); ++lane)
    set_point(gaussians[at(lane / draws)].draw(z[at(lane % draws)]), lane, q);
  const std::vector<double> log_p = evaluation_.log_densities(q);
  std::vector<PathGaussian> out;
  for (Index k = 0; k < std::ssize(gaussians); ++k) {
    std::vector<double> log_ratios;
    for (Index lane = k * draws; lane < (k + 1) * draws; ++lane)
      log_ratios.push_back(log_ratio(log_p[at(lane)], gaussians[at(k)].log_density(point_of(q, lane))));
    const EvidenceBound bound(log_ratios);
    out.push_back({.gaussian = std::move(gaussians[at(k)]), .lower_bound = bound.value, .sd = bound.sd});
  }
  return out;
}

void Pathfinder::sharpen(PathGaussian& one) {
  if (model_.dim() > most_dense_dimensions) return;
  for (int round = 0; round < most_sharpenings && one.sd > exact; ++round) {
    const std::optional<LocalGaussian> sharper = sharpened(one.gaussian);
    if (!sharper || !sharper->is_finite()) return;
    std::vector<PathGaussian> both = judge({one.gaussian, *sharper}, more_draws);
    const double gain = both[1].lower_bound - both[0].lower_bound;
    if (!(gain > 0.0)) return;
    one = std::move(both[1]);
    if (gain < gain_to_go_on) return;
  }
}

/// With the Hessian that differences of gradients along the Gaussian's axes tell, at its mean or, where that is lower, at its
/// waypoint. Nothing if the model refuses a point that this needs.
std::optional<LocalGaussian> Pathfinder::sharpened(const LocalGaussian& gaussian) {
  const Index n = model_.dim();
  OwnedBatch middle(n, 1), around(n, 2 * n);
  set_point(gaussian.mean(), 0, middle);
  const std::vector<Waypoint> at_mean = evaluation_.waypoints(middle);
  const bool is_higher = !at_mean.empty() && at_mean[0].log_density > gaussian.waypoint().log_density;
  const Waypoint& center = is_higher ? at_mean[0] : gaussian.waypoint();
  for (Index k = 0; k < 2 * n; ++k) {
    std::vector<double> z(at(n), 0.0);
    z[at(k / 2)] = k % 2 == 0 ? probe : -probe;
    set_point(gaussian.around(center.q, std::move(z)), k, around);
  }
  const std::vector<Waypoint> probes = evaluation_.waypoints(around);
  if (std::ssize(probes) < 2 * n) return std::nullopt;
  Matrix hessian(n, n);
  for (Index k = 0; k < n; ++k) {
    std::vector<double> fall = probes[at(2 * k + 1)].gradient;
    for (Index j = 0; j < n; ++j) fall[at(j)] -= probes[at(2 * k)].gradient[at(j)];
    fall = gaussian.whiten_gradient(std::move(fall));
    for (Index j = 0; j < n; ++j) hessian(j, k) = fall[at(j)] / (2.0 * probe);
  }
  return gaussian.sharpened(center, 0.5 * (hessian + hessian.transposed()));
}

}  // namespace darboux

#include "model/path_starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/dense.hpp"
#include "model/finite_draws.hpp"
#include "model/importance.hpp"
#include "model/pathfinder.hpp"

namespace darboux {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr Index most_paths = 8, least_paths = 4, log_concave_paths = 2;
constexpr Index many_dimensions = 1000;               // waypoints take memory
constexpr Index least_draws = 50, most_draws = 1000;  // of a Gaussian
constexpr double least_effective = 5.0;               // draws, for weights to tell masses
constexpr double negligible = 20.0;                   // in log mass
constexpr double least_share = 1e-3;                  // of a Gaussian that is part of the shape

Index count_paths(const Model& model, Index chains) {
  if (model.traits().log_concave) return log_concave_paths;
  if (model.dim() > many_dimensions) return least_paths;
  return std::clamp(2 * chains, least_paths, most_paths);
}

/// Draws from one of the Gaussians.
struct Weighted {
  OwnedBatch q;
  std::vector<double> log_weights;  // −∞ where the model refuses
};

std::vector<Weighted> weighted_draws(const std::vector<PathGaussian>& found, Index count, CountedEvaluation& evaluation,
                                     RandomStream& random) {
  std::vector<Weighted> out;
  for (const PathGaussian& one : found) {
    const Index n = std::ssize(one.gaussian.mean());
    Weighted draws{.q = OwnedBatch(n, count), .log_weights = {}};
    std::vector<double> z(at(n)), log_proposals(found.size());
    for (Index i = 0; i < count; ++i) {
      random.fill_normal(z);
      set_point(one.gaussian.draw(z), i, draws.q);
    }
    draws.log_weights = evaluation.log_densities(draws.q);
    for (Index i = 0; i < count; ++i) {
      const std::vector<double> q = point_of(draws.q, i);
      std::transform(found.begin(), found.end(), log_proposals.begin(),
                     [&](const PathGaussian& other) { return other.gaussian.log_density(q); });
      draws.log_weights[at(i)] = log_ratio(draws.log_weights[at(i)], log_sum(log_proposals));
    }
    out.push_back(std::move(draws));
  }
  return out;
}

/// The logarithms of lower bounds' exponentials, for Gaussians whose masses the weights do not tell.
std::vector<double> log_masses_by_lower_bounds(const std::vector<Weighted>& draws) {
  std::vector<double> out;
  double temperature = 1.0;
  for (const Weighted& one : draws) {
    const EvidenceBound bound(one.log_weights);
    out.push_back(bound.value);
    if (std::isfinite(bound.standard_error)) temperature = std::max(temperature, bound.standard_error);
  }
  const double best = *std::max_element(out.begin(), out.end());
  for (double& x : out) x = x < best - negligible ? -infinity : x / temperature;
  return out;
}

/// Of the chains, for each Gaussian.
std::vector<double> shares_of(const std::vector<Weighted>& draws) {
  std::vector<double> all, log_masses;
  for (const Weighted& one : draws) {
    all.insert(all.end(), one.log_weights.begin(), one.log_weights.end());
    log_masses.push_back(log_sum(one.log_weights));
  }
  if (effective_size(all) < least_effective) log_masses = log_masses_by_lower_bounds(draws);
  const double total = log_sum(log_masses);
  if (total == -infinity) return std::vector<double>(draws.size(), 1.0 / static_cast<double>(draws.size()));
  std::vector<double> shares;
  for (const double x : log_masses) shares.push_back(std::exp(x - total));
  return shares;
}

/// Where a chain starts: a point that was drawn or, where there are no more, a new one from its Gaussian.
struct Place {
  const LocalGaussian* gaussian = nullptr;
  std::vector<double> drawn{};
};

std::vector<Place> places_for(const std::vector<PathGaussian>& found, const std::vector<Weighted>& draws,
                              const std::vector<Index>& chains, RandomStream& random) {
  std::vector<Place> out;
  for (std::size_t c = 0; c < found.size(); ++c) {
    std::vector<double> log_weights = draws[c].log_weights;
    const auto finite = std::ssize(log_weights) - std::count(log_weights.begin(), log_weights.end(), -infinity);
    const double power =
        power_for_size(log_weights, std::min(2.0 * static_cast<double>(chains[c]), 0.5 * static_cast<double>(finite)));
    for (double& x : log_weights)
      if (x > -infinity) x *= power;
    const std::vector<Index> chosen = choose_different(log_weights, chains[c], random);
    for (const Index i : chosen) out.push_back({&found[c].gaussian, point_of(draws[c].q, i)});
    out.resize(out.size() + at(chains[c] - std::ssize(chosen)), {&found[c].gaussian});
  }
  return out;
}

FiniteDraws finite_points(const Model& model, std::uint64_t seed, const std::vector<Place>& places) {
  const FiniteRequest request{.seed = seed, .lanes = std::ssize(places), .first_iteration = for_chains_of_paths};
  return draw_until_finite(
      model, request, "points that optimisation paths lead to", [&](const RandomKey& key, std::span<double> q) {
        const Place& place = places[key.chain];
        const std::uint64_t attempt = key.iteration - for_chains_of_paths;
        std::vector<double> z(q.size());
        RandomStream(key).fill_normal(z);
        for (double& x : z) x *= std::pow(0.8, static_cast<double>(attempt));
        if (attempt > 0)
          std::ranges::copy(place.gaussian->around(place.gaussian->waypoint().q, std::move(z)), q.begin());
        else
          std::ranges::copy(place.drawn.empty() ? place.gaussian->draw(std::move(z)) : place.drawn, q.begin());
      });
}

/// The variances of a Gaussian, from its draws.
std::vector<double> variances_of(const LocalGaussian& gaussian, ConstBatch draws) {
  std::vector<double> out(at(draws.rows()), 0.0);
  for (Index j = 0; j < draws.rows(); ++j)
    for (Index i = 0; i < draws.lanes(); ++i)
      out[at(j)] += std::pow(draws(j, i) - gaussian.mean()[at(j)], 2) / static_cast<double>(draws.lanes());
  return out;
}

/// Mean and covariance of the mixture, of the Gaussians that have a share worth mentioning.
Shape pooled(const std::vector<PathGaussian>& found, const std::vector<Weighted>& draws, std::vector<double> shares) {
  const Index n = std::ssize(found.front().gaussian.mean());
  double total = 0.0;
  for (double& share : shares) total += share = share < least_share ? 0.0 : share;
  std::vector<double> center(at(n), 0.0), variances(at(n), 0.0);
  for (std::size_t c = 0; c < found.size(); ++c)
    for (Index j = 0; j < n; ++j) center[at(j)] += shares[c] / total * found[c].gaussian.mean()[at(j)];
  const bool is_dense = n <= most_dense_dimensions;
  Matrix covariance = is_dense ? Matrix(n, n) : Matrix();
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (shares[c] == 0.0) continue;
    const LocalGaussian& one = found[c].gaussian;
    const double share = shares[c] / total;
    if (is_dense) {
      const Matrix factor = one.factor();
      covariance += share * (factor * factor.transposed());
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          covariance(i, j) += share * (one.mean()[at(i)] - center[at(i)]) * (one.mean()[at(j)] - center[at(j)]);
    } else {
      const std::vector<double> own = variances_of(one, draws[c].q);
      for (Index j = 0; j < n; ++j)
        variances[at(j)] += share * (own[at(j)] + std::pow(one.mean()[at(j)] - center[at(j)], 2));
    }
  }
  if (is_dense) {
    if (auto factor = cholesky(0.5 * (covariance + covariance.transposed())))
      return {.center = std::move(center), .factor = StructuredMatrix::from(*std::move(factor))};
    for (Index j = 0; j < n; ++j) variances[at(j)] = covariance(j, j);
  }
  for (double& x : variances) x = std::sqrt(x);
  return {.center = std::move(center), .factor = StructuredMatrix::diagonal(std::move(variances))};
}

}  // namespace

Starts path_starts(const Model& model, const StartOptions& options) {
  CountedEvaluation evaluation(model);
  RandomStream random({.seed = options.seed, .purpose = Purpose::start, .iteration = for_draws_of_paths});
  const std::vector<PathGaussian> found =
      Pathfinder(model, evaluation, random).find(options.seed, count_paths(model, options.chains));
  const Index draws_each = std::clamp(2 * options.chains, least_draws, most_draws);
  const std::vector<Weighted> draws = weighted_draws(found, draws_each, evaluation, random);
  const std::vector<double> shares = shares_of(draws);
  const std::vector<Index> chains = systematic_counts(shares, options.chains, random.uniform());
  FiniteDraws points = finite_points(model, options.seed, places_for(found, draws, chains, random));
  return {.q = std::move(points.q),
          .gradients = evaluation.gradients() + points.gradients,
          .densities = evaluation.densities(),
          .shape = pooled(found, draws, shares)};
}

Starts follow_paths(const Model& model, ConstBatch from, ConstBatch others, std::uint64_t seed) {
  CountedEvaluation evaluation(model);
  RandomStream random({.seed = seed, .purpose = Purpose::start, .iteration = for_late_chains});
  Pathfinder paths(model, evaluation, random);
  const auto own = paths.find_from(from), theirs = paths.find_from(others);
  const std::optional<PathGaussian>* best = nullptr;
  for (const auto& one : theirs)
    if (one && (best == nullptr || one->lower_bound > (*best)->lower_bound)) best = &one;
  Starts out{.q = OwnedBatch(from.rows(), from.lanes())};
  std::vector<double> z(at(from.rows()));
  for (Index lane = 0; lane < from.lanes(); ++lane) {
    const std::optional<PathGaussian>* chosen = &own[at(lane)];
    if (best != nullptr && !(*chosen && (*chosen)->lower_bound > (*best)->lower_bound - negligible)) chosen = best;
    set_point(point_of(from, lane), lane, out.q);
    if (!*chosen) continue;
    random.fill_normal(z);
    OwnedBatch drawn(from.rows(), 1);
    set_point((*chosen)->gaussian.draw(z), 0, drawn);
    const auto seen = evaluation.waypoints(drawn);
    set_point(seen.empty() ? (*chosen)->gaussian.waypoint().q : seen.front().q, lane, out.q);
  }
  out.gradients = evaluation.gradients();
  out.densities = evaluation.densities();
  return out;
}

}  // namespace darboux

#include "model/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "model/optimise.hpp"

namespace darboux {

namespace {

constexpr std::uint64_t most_attempts = 100;
constexpr Index searches = 64;       // from 12 prior starts, 5 reach the main mode of FitzHugh-Nagumo
constexpr double mode_spread = 2.0;  // in posterior standard deviations
constexpr double fallback_sd = 0.1;  // where the curvature at the mode is of no use
constexpr Index most_chains = 1'000'000;

/// Iterations of the keys under which random numbers are looked up: the attempt, plus one of these.
enum : std::uint64_t { for_chains = 0, for_searches = 1000, around_mode = 2000 };

/// Fills q with the candidate of this attempt.
using Draw = std::function<void(const RandomKey& key, std::span<double> q)>;

struct Request {
  std::uint64_t seed = 0;
  Index lanes = 0;
  std::uint64_t first_iteration = 0;
  double least_log_density = -std::numeric_limits<double>::infinity();
};

/// The first candidate of every lane at which the model is well-behaved, or an InputError that says what was tried.
OwnedBatch draw_until_finite(const Model& model, const Request& request, std::string_view what, const Draw& draw) {
  const Index n = model.dim();
  const auto lanes = static_cast<std::size_t>(request.lanes);
  OwnedBatch q(n, request.lanes), gradient(n, request.lanes);
  std::vector<double> log_density(lanes), candidate(static_cast<std::size_t>(n));
  std::vector<Status> status(lanes, Status::ok);
  std::vector<std::uint8_t> open(lanes, 1);
  const auto evaluator = model.make_evaluator();
  for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (open[l] == 0) continue;
      draw(
          {.seed = request.seed, .purpose = Purpose::start, .chain = l, .iteration = request.first_iteration + attempt},
          candidate);
      for (Index j = 0; j < n; ++j) q(j, static_cast<Index>(l)) = candidate[static_cast<std::size_t>(j)];
    }
    evaluator->evaluate({.q = q, .active = open}, {.log_density = log_density, .gradient = gradient, .status = status});
    for (std::size_t l = 0; l < lanes; ++l) {
      if (open[l] == 0) continue;
      bool good =
          status[l] == Status::ok && std::isfinite(log_density[l]) && log_density[l] >= request.least_log_density;
      for (Index j = 0; j < n; ++j) good = good && std::isfinite(gradient(j, static_cast<Index>(l)));
      if (good) open[l] = 0;
    }
    if (std::find(open.begin(), open.end(), 1) == open.end()) return q;
  }
  const auto chain = std::find(open.begin(), open.end(), 1) - open.begin();
  throw InputError(
      fmt::format("no starting point for chain {}: at none of {} {} are the log density and its gradient finite; give "
                  "starting values in a file, or check the model there",
                  chain + 1, most_attempts, what));
}

void draw_uniform(const RandomKey& key, std::span<double> q) {
  RandomStream random(key);
  for (double& x : q) x = 4.0 * random.uniform() - 2.0;
}

OwnedBatch uniform_starts(const Model& model, const Request& request) {
  return draw_until_finite(model, request, "points drawn uniformly from (−2, 2)", draw_uniform);
}

OwnedBatch prior_starts(const Model& model, const Request& request) {
  return draw_until_finite(model, request, "draws from the prior", [&](const RandomKey& key, std::span<double> q) {
    if (!model.draw_prior(key, q))
      throw InputError("init = prior: the model has no prior to draw from; must be uniform, mode or a file");
  });
}

bool has_prior(const Model& model) {
  std::vector<double> q(static_cast<std::size_t>(model.dim()));
  return model.draw_prior({}, q);
}

/// The lower L with L Lᵀ = (negative Hessian)⁻¹, or a modest multiple of the identity where that is no covariance.
Matrix mode_factor(const Model& model, const std::vector<double>& mode) {
  if (const auto precision = negative_hessian(model, mode))
    if (const auto covariance = cholesky(*precision) ? inverse(*precision) : std::nullopt)
      if (auto factor = cholesky(0.5 * (*covariance + covariance->transposed()))) return *std::move(factor);
  return fallback_sd * Matrix::identity(model.dim());
}

OwnedBatch mode_starts(const Model& model, const StartOptions& options) {
  const Request search{
      .seed = options.seed, .lanes = model.traits().log_concave ? 1 : searches, .first_iteration = for_searches};
  const Summit mode = best_climb(model, has_prior(model) ? prior_starts(model, search) : uniform_starts(model, search));
  const Matrix factor = mode_factor(model, mode.q);
  const auto around = [&](const RandomKey& key, std::span<double> q) {
    std::vector<double> z(q.size());
    RandomStream(key).fill_normal(z);
    // Narrower with every attempt, so that there is one that succeeds.
    const double spread = mode_spread * std::pow(0.9, static_cast<double>(key.iteration - around_mode));
    for (std::size_t i = 0; i < q.size(); ++i) {
      q[i] = mode.q[i];
      for (std::size_t j = 0; j <= i; ++j) q[i] += spread * factor(static_cast<Index>(i), static_cast<Index>(j)) * z[j];
    }
  };
  // In a Gaussian mode the log density drops by spread²/2 · χ²ₙ: on average by 2n, hardly ever by more than this.
  const auto n = static_cast<double>(model.dim());
  const double drop = 0.5 * mode_spread * mode_spread * (n + 5.0 * std::sqrt(2.0 * n) + 10.0);
  return draw_until_finite(model,
                           {.seed = options.seed,
                            .lanes = options.chains,
                            .first_iteration = around_mode,
                            .least_log_density = mode.log_density - drop},
                           "points around the mode", around);
}

}  // namespace

OwnedBatch draw_starts(const Model& model, const StartOptions& options) {
  check::dimension("chains", options.chains);
  if (options.chains > most_chains)
    throw InputError(fmt::format("chains = {}: must be at most {}", options.chains, most_chains));
  const Request request{.seed = options.seed, .lanes = options.chains, .first_iteration = for_chains};
  switch (options.method.value_or(model.traits().start)) {
    case StartMethod::prior: return prior_starts(model, request);
    case StartMethod::mode: return mode_starts(model, options);
    case StartMethod::uniform: break;
  }
  return uniform_starts(model, request);
}

OwnedBatch gaussian_starts(const Whitened& around, const StartOptions& options) {
  const Request request{.seed = options.seed, .lanes = options.chains, .first_iteration = for_chains};
  return draw_until_finite(around.inner(), request, "points of the preconditioner's Gaussian",
                           [&](const RandomKey& key, std::span<double> q) {
                             std::vector<double> z(q.size());
                             RandomStream(key).fill_normal(z);
                             std::ranges::copy(around.to_inner(z), q.begin());
                           });
}

void require_finite_starts(const Model& model, ConstBatch starts, std::string_view source) {
  OwnedBatch gradient(starts.rows(), starts.lanes());
  std::vector<double> log_density(at(starts.lanes()));
  std::vector<Status> status(log_density.size(), Status::ok);
  model.make_evaluator()->evaluate({.q = starts, .active = {}},
                                   {.log_density = log_density, .gradient = gradient, .status = status});
  for (Index lane = 0; lane < starts.lanes(); ++lane) {
    bool good = status[at(lane)] == Status::ok && std::isfinite(log_density[at(lane)]);
    for (Index j = 0; j < starts.rows(); ++j) good = good && std::isfinite(gradient(j, lane));
    if (!good)
      throw InputError(
          fmt::format("{}the log density or its gradient is not finite at the starting point of chain {}: it must be",
                      source, lane + 1));
  }
}

}  // namespace darboux

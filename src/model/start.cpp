#include "model/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checks.hpp"
#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"
#include "model/finite_draws.hpp"
#include "model/optimise.hpp"
#include "model/path_starts.hpp"

namespace darboux {

namespace {

constexpr Index searches = 64;       // from 12 prior starts, 5 reach the main mode of FitzHugh-Nagumo
constexpr double mode_spread = 2.0;  // in posterior standard deviations
constexpr double fallback_sd = 0.1;  // where the curvature at the mode is of no use
constexpr Index most_chains = 1'000'000;

/// The lower L with L Lᵀ = (negative Hessian)⁻¹, or a modest multiple of the identity where that is no covariance.
Matrix mode_factor(const Model& model, const std::vector<double>& mode) {
  if (const auto precision = negative_hessian(model, mode))
    if (const auto covariance = cholesky(*precision) ? inverse(*precision) : std::nullopt)
      if (auto factor = cholesky(0.5 * (*covariance + covariance->transposed()))) return *std::move(factor);
  return fallback_sd * Matrix::identity(model.dim());
}

Starts as_starts(FiniteDraws found, std::int64_t gradients_before = 0) {
  return {.q = std::move(found.q), .gradients = gradients_before + found.gradients};
}

Starts starts_from(const Model& model, const FiniteRequest& request, const StartLaw& law) {
  return as_starts(draw_until_finite(model, request, law.what, law.draw));
}

Starts mode_starts(const Model& model, const StartOptions& options) {
  const FiniteRequest search{
      .seed = options.seed, .lanes = model.traits().log_concave ? 1 : searches, .first_iteration = for_searches};
  const Starts feet = starts_from(model, search, widest_law(model));
  const Summit mode = best_climb(model, feet.q);
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
  const FiniteRequest request{.seed = options.seed,
                              .lanes = options.chains,
                              .first_chain = options.first_chain,
                              .first_iteration = around_mode,
                              .least_log_density = mode.log_density - drop};
  return as_starts(draw_until_finite(model, request, "points around the mode", around),
                   feet.gradients + mode.gradients + hessian_gradients(model.dim()));
}

}  // namespace

Starts find_starts(const Model& model, const StartOptions& options) {
  check::dimension("chains", options.chains);
  if (options.chains > most_chains)
    throw InputError(fmt::format("chains = {}: must be at most {}", options.chains, most_chains));
  const FiniteRequest request{
      .seed = options.seed, .lanes = options.chains, .first_chain = options.first_chain, .first_iteration = for_chains};
  switch (options.method.value_or(model.traits().start)) {
    case StartMethod::prior: return starts_from(model, request, prior_law(model));
    case StartMethod::mode: return mode_starts(model, options);
    case StartMethod::paths: return path_starts(model, options);
    case StartMethod::uniform: break;
  }
  return starts_from(model, request, uniform_law());
}

OwnedBatch draw_starts(const Model& model, const StartOptions& options) { return find_starts(model, options).q; }

OwnedBatch gaussian_starts(const Whitened& around, const StartOptions& options) {
  const FiniteRequest request{
      .seed = options.seed, .lanes = options.chains, .first_chain = options.first_chain, .first_iteration = for_chains};
  const auto draw = [&](const RandomKey& key, std::span<double> q) {
    std::vector<double> z(q.size());
    RandomStream(key).fill_normal(z);
    std::ranges::copy(around.to_inner(z), q.begin());
  };
  return draw_until_finite(around.inner(), request, "points of the preconditioner's Gaussian", draw).q;
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
          fmt::format("{}the log density or its gradient is not finite at the starting point of chain {}: it must be{}",
                      source, lane + 1, reasons_of(model)));
  }
}

}  // namespace darboux

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/stopwatch.hpp"
#include "darboux/core/batch.hpp"
#include "darboux/linalg/structured_matrix.hpp"
#include "darboux/model/model.hpp"
#include "model/whitened.hpp"

namespace darboux {

struct StartOptions {
  std::uint64_t seed = 0;
  Index chains = 4;
  Index first_chain = 0;                             ///< of a run in parts: how many come before these
  std::optional<StartMethod> method = std::nullopt;  ///< when absent, the one that the model names in its traits
};

/// A Gaussian as a preconditioner takes it: q = center + factor · x with x standard normal.
struct Shape {
  std::vector<double> center;
  StructuredMatrix factor;
};

struct Starts {
  OwnedBatch q;                  ///< dim × chains
  std::int64_t gradients = 0;    ///< that finding them took
  std::int64_t densities = 0;    ///< log densities without a gradient, beside those
  Elapsed taken{};               ///< likewise
  std::optional<Shape> shape{};  ///< what is known of the target's location and covariance, where the method tells
  double fastest = 0.0;          ///< frequency of the fastest direction around them, where it was looked for
};

/// A starting point for every chain, each with a finite log density and gradient:
///   uniform  every coordinate uniform on (−2, 2);
///   prior    a draw from the model's prior;
///   mode     q̂ + 2 L z with q̂ the best of 64 climbs (of one, where the model is log-concave) from the prior, or uniform
///            where there is none, L Lᵀ the inverse of the negative Hessian at q̂, z standard normal. That is twice as wide as
///            the mode, but in it: points from which the log density drops by far more than in a Gaussian are drawn again.
///   paths    by weight over what several optimisation paths find (pathfinder.hpp).
/// Refused points are drawn again, up to 100 times, then InputError says what to do. The points are a function of the seed
/// and the number of the chain; those of `paths` also of how many chains there are.
[[nodiscard]] Starts find_starts(const Model& model, const StartOptions& options);
/// The points alone.
[[nodiscard]] OwnedBatch draw_starts(const Model& model, const StartOptions& options);

/// Points from the Gaussian that a preconditioner stands for, q = μ + L z, each with a finite log density and gradient.
[[nodiscard]] OwnedBatch gaussian_starts(const Whitened& around, const StartOptions& options);

/// Throws InputError, beginning with `source`, unless log density and gradient are finite at every point.
void require_finite_starts(const Model& model, ConstBatch starts, std::string_view source);

/// Starting points from a JSON file, by the names of the model's parameters and in natural units: {"a": 0.2, "b": 0.2,
/// "c": 3} for all chains, or a list of such objects, one per chain. A list stands for its entries: "x": [1, 2] for x[1] and
/// x[2]. Throws InputError naming file, name and rule, also where the log density is not finite.
[[nodiscard]] OwnedBatch read_starts(const Model& model, const std::filesystem::path& file, Index chains);

}  // namespace darboux

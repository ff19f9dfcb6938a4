#pragma once

#include <darboux/model/model.hpp>
#include <memory>

/// Densities that methods are compared on and that are not among the named models: for experiments and benchmarks.
namespace darboux {

/// A Gaussian whose variances are spread evenly in their logarithm, in coordinates turned by Householder reflections
/// H = I − 2 v vᵀ with random unit vectors v: log π = −½ Σ y_i²/λ_i, y = H₁ H₂ H₃ H₄ q.
[[nodiscard]] std::shared_ptr<const Model> correlated_gaussian(Index dim, double condition);

/// q_i = q_{i−1} + ξ_i from q_0 = 0: a path whose covariance has eigenvalues like 1/k², not a few large ones.
[[nodiscard]] std::shared_ptr<const Model> random_walk(Index dim);

/// Eight schools, non-centred: θ_j = μ + τ η_j with η_j standard normal, μ ~ N(0, 5), τ half-Cauchy(0, 5), y_j ~ N(θ_j, σ_j).
[[nodiscard]] std::shared_ptr<const Model> eight_schools();

/// Log variances of made-up returns y_t are an autoregression, written by its standard normal innovations z:
///     y_t ~ N(0, e^{h_t}),   h_t = μ + s_t,   s_t = φ s_{t−1} + σ z_t,   s_1 = σ z_1/√(1 − φ²),
/// with μ ~ N(0, 5), φ = tanh r, (φ + 1)/2 ~ Beta(20, 1.5), σ = eˡ half-normal(0, ½). Coordinates are (μ, r, l, z).
[[nodiscard]] std::shared_ptr<const Model> stochastic_volatility(Index days);

/// y_i ~ N(a_g + b_g x_i, s), ten rows of made-up data in each group g, with a_g = m₁ + t₁ u_g and b_g = m₂ + t₂ v_g, u and v standard
/// normal; m ~ N(0, 2), t and s half-normal(0, 1). Coordinates are (m, log t, log s, u, v).
[[nodiscard]] std::shared_ptr<const Model> grouped_regression(Index groups);

}  // namespace darboux

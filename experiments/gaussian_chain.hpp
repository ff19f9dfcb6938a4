#pragma once

#include <darboux/structure/poisson_structure.hpp>

/// What a chain on a Gaussian target can give at most, whatever the constant structure of its phase space.
///
/// In whitened coordinates z = (q, p) has the stationary distribution N(0, I) and H = ½ zᵀz, so that the exact flow is Φ = exp(t𝔹),
/// orthogonal since 𝔹 is skew. With any linear refreshment p ← C p + (I − C Cᵀ)^½ ξ before it,
///     z_{k+1} = M z_k + noise,   M = Φ diag(I, C),
/// and a stationary (z_0, z_k) is jointly Gaussian with Cov(z_k, z_0) = Mᵏ. So every q_i, and every other linear function of q in the
/// same way, has the autocorrelations
///     ρ_k = (Mᵏ)_ii for its value,   ρ_k² for its square (Isserlis),
/// and, since ρ_k² ≥ 0, 1/(1 + 2 Σ ρ_k²) ≤ 1 effective squares per draw. If t varies independently of z, ρ_k² is an
/// expectation of squares, and still not negative. The canonical quarter turn, t = π/2 with C = 0, has ρ_k = 0: it attains the bound.
/// For values there is no such bound: ρ_1 < 0 gives more than one effective draw per draw.
namespace darboux::experiments {

struct GaussianChain {
  PoissonStructure structure;
  Matrix kept;  ///< C, n × n, with no singular value above 1
  double time = 1.0;
};

/// M, of size 2n × 2n.
[[nodiscard]] Matrix transition(const GaussianChain& chain);

/// Effective draws per draw, of the worst coordinate.
struct EffectiveShares {
  double values = 0.0;
  double squares = 0.0;
};
[[nodiscard]] EffectiveShares effective_shares(const GaussianChain& chain);

}  // namespace darboux::experiments

#pragma once

// Effective sample sizes.

#include "darboux/core/export.hpp"
#include "darboux/diagnose/chain_draws.hpp"

/// Effective sample sizes: how many independent draws would estimate something as well as these draws do.
///
/// All are one estimate, on m chains of n draws, S = mn together, of this or that function of the draws:
///   ρ_t = 1 − (W − mean over chains of c(t)) / var⁺,
/// with c(t) a chain's autocovariance (divisor n), W = n/(n − 1) · mean of c(0), and var⁺ = (n − 1)/n · W plus the variance
/// of the chains' means: chains that disagree count as correlation. Sums of neighbours ρ_2k + ρ_2k+1 are positive and
/// decreasing in truth; the sum over t stops where they are no longer (Geyer's initial positive sequence) and lowers those
/// that increase (initial monotone sequence). Then τ = −1 + 2 Σ ρ_t and ESS = S/τ.
/// NaN for draws that do not vary (chain_draws.hpp) and for n < 3. Where n < 6 leaves no pair to look at, τ = 2.
namespace darboux {

/// τ is bounded below, as its estimate may be near zero or negative where draws are anticorrelated.
enum class EssLimit {
  antithetic,  ///< τ ≥ 1/log10(S): more than S allowed, up to S·log10(S), as in Stan, posterior and ArviZ
  draws        ///< τ ≥ 1: never more than the number of draws
};

/// For the centre of the distribution: of the normal scores of the ranks, of split chains.
[[nodiscard]] DARBOUX_API double ess_bulk(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// For the tails: the smaller of those of the quantiles 5 % and 95 %. NaN if either is.
[[nodiscard]] DARBOUX_API double ess_tail(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// For the estimate of the mean: of the draws themselves, split.
[[nodiscard]] DARBOUX_API double ess_mean(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// For the estimate of the standard deviation: of (x − mean)², split.
[[nodiscard]] DARBOUX_API double ess_sd(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// For the estimate of a quantile: of the indicator x ≤ quantile, split; NaN if that is constant, as it may be for discrete
/// draws. For probability 1, where it would always be, half a draw less. Throws InputError unless it is in [0, 1].
[[nodiscard]] DARBOUX_API double ess_quantile(const ChainDraws& draws, double probability,
                                              EssLimit limit = EssLimit::antithetic);

/// For the mean, of chains that are not split.
[[nodiscard]] DARBOUX_API double ess_unsplit(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

}  // namespace darboux

#pragma once

// R̂, which tells whether chains agree.

#include "darboux/core/export.hpp"
#include "darboux/diagnose/chain_draws.hpp"

/// R̂: how much wider the draws of all chains together are than those of one chain. 1 if all chains have found the same
/// distribution. All variants share one formula, on m chains of n draws, with W the mean of the chains' variances (divisor
/// n − 1) and B/n the variance of the chains' means (divisor m − 1):
///   R̂ = √[((n − 1)/n · W + B/n) / W].
/// NaN for draws that do not vary (chain_draws.hpp) and where m or n is less than 2; infinite if every chain stands still,
/// each elsewhere.
namespace darboux {

/// The larger of the next two, or the first if only that is a number: the one to look at. Vehtari, Gelman, Simpson, Carpenter and Bürkner, "Rank-normalization,
/// folding, and localization: an improved R̂", Bayesian Analysis 16 (2021).
[[nodiscard]] DARBOUX_API double rhat(const ChainDraws& draws);

/// R̂ of the normal scores of the ranks, of split chains: sees chains at different places, heavy tails or not.
[[nodiscard]] DARBOUX_API double rhat_bulk(const ChainDraws& draws);

/// The same of |x − median(x)|: sees chains of different widths around the same place. NaN if that distance is constant, as
/// for a symmetric quantity of two values.
[[nodiscard]] DARBOUX_API double rhat_folded(const ChainDraws& draws);

/// R̂ of split chains, without ranks: as in "Bayesian Data Analysis", third edition.
[[nodiscard]] DARBOUX_API double rhat_split(const ChainDraws& draws);

/// R̂ of whole chains, without ranks: the formula above, and so that of Gelman and Rubin (1992) without the two
/// corrections that the paper makes for the sampling variation of its estimates, the term B/(mn) in
/// the numerator and the factor d/(d − 2) of the degrees of freedom d. They vanish as m and n grow.
[[nodiscard]] DARBOUX_API double rhat_1992(const ChainDraws& draws);

}  // namespace darboux

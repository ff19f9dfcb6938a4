#pragma once

#include "darboux/diagnose/ess.hpp"

/// Monte Carlo standard errors: the part of the uncertainty of an estimate that more draws would remove. NaN where the
/// effective sample size is.
namespace darboux {

/// sd / √ess_mean.
[[nodiscard]] double mcse_mean(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// √[(E4 − E2²) / ess_sd / E2] / 2 with the central moments E2 and E4: the error of a variance (Kenney and Keeping,
/// "Mathematics of Statistics", 1951), carried over to its root by the delta method. Nothing need be normal.
[[nodiscard]] double mcse_sd(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

/// Half the distance between two order statistics, those of the shares of draws at 16 % and 84 % of a
/// Beta(e p + 1, e(1 − p) + 1) distribution, with e = ess_quantile(p): an interval of one standard error to both sides
/// that needs no density. Throws InputError unless the probability is in [0, 1].
[[nodiscard]] double mcse_quantile(const ChainDraws& draws, double probability, EssLimit limit = EssLimit::antithetic);

}  // namespace darboux

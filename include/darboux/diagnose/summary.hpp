#pragma once

// The row of a summary table: mean, quantiles, effective sizes, R̂.

#include <limits>
#include <optional>
#include <vector>

#include "darboux/core/export.hpp"
#include "darboux/diagnose/ess.hpp"

namespace darboux {

/// What a summary shows beside, or in place of, what it always has: nothing of it unless asked. The names are those of the flags
/// of `darboux summary`, and of what Python's `trace.darboux.summary()` takes.
struct SummaryExtras {
  std::vector<double>
      quantiles{};  ///< probabilities in [0, 1], in the order of the columns that take the place of 5, 50 and 95 %
  std::optional<double> hdi{};  ///< the share of the draws that a highest-density interval holds, in (0, 1)
  bool above_zero = false;      ///< P(> 0), the share of the draws that are positive
  /// exp of the quantiles: of coefficients of a logistic regression these are quantiles of odds ratios, for one unit more of the
  /// predictor. Not of lp__ and intercept.
  bool odds_ratios = false;
};
/// Throws InputError for a number that is none of that kind, with its name.
DARBOUX_API void validate(const SummaryExtras& extras);

/// The row of a summary table. Each number is that of the function of the same name.
struct Summary {
  double mean;
  double mcse_mean;
  double sd;
  double q5;
  double median;
  double q95;
  double ess_bulk;
  double ess_tail;
  double rhat;
  /// The share of the draws that are positive: of a coefficient, how sure its sign is. NaN where a draw is.
  double above_zero = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> quantiles{};  ///< of SummaryExtras::quantiles
  /// The ends of the narrowest interval that holds SummaryExtras::hdi of the draws: with n draws in order, the first of the narrowest
  /// from x_(i) to x_(i + ⌊hdi n⌋). One interval, which also spans what lies between two modes.
  double hdi_low = std::numeric_limits<double>::quiet_NaN();
  double hdi_high = std::numeric_limits<double>::quiet_NaN();
};

/// All of it at once, with one sort and one set of transform tables. The limit also applies to the ESS behind mcse_mean.
[[nodiscard]] DARBOUX_API Summary summarise(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic,
                                            const SummaryExtras& extras = {});

}  // namespace darboux

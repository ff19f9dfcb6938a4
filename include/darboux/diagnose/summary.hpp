#pragma once

// The row of a summary table: mean, quantiles, effective sizes, R̂.

#include "darboux/core/export.hpp"
#include "darboux/diagnose/ess.hpp"

namespace darboux {

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
};

/// All of it at once, with one sort and one set of transform tables. The limit also applies to the ESS behind mcse_mean.
[[nodiscard]] DARBOUX_API Summary summarise(const ChainDraws& draws, EssLimit limit = EssLimit::antithetic);

}  // namespace darboux

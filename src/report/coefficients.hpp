#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/regression.hpp"
#include "report/run_report.hpp"

/// The coefficients of a logistic regression in units that a reader understands.
namespace darboux {

/// Where draws lie: heights at points that are `width` apart, from `low` on. They enclose an area of 1, but for what lies beyond.
struct Density {
  double low = 0.0, width = 1.0;
  std::vector<double> heights{};
};

/// Smoothed over 0.9 min(sd, 0.746 interquartile range) n^(−1/5), Silverman's rule of thumb, with n the effective size; between the
/// quantiles 0.1 % and 99.9 %, and two such widths beyond. Nothing of draws that do not vary.
[[nodiscard]] std::optional<Density> density_of(std::vector<double> draws, double effective_size);

struct CoefficientView {
  std::string name{};
  std::string step{};                        ///< what it is the effect of, in words
  double unit = 1.0;                         ///< what is reported, times this, is the effect of the step
  double q5 = 0.0, median = 0.0, q95 = 0.0;  ///< of the effect
  double above_zero = 0.0;
  const Summary* values = nullptr;  ///< of what is reported; null of the intercept, which is moved
  double prior_sd = 0.0;            ///< of the effect, about 0; 0 where it is not known
  std::optional<Density> density{};
};

/// The intercept at the mean of the predictors, then the predictors, in the order of the table. Those that the summary leaves out are
/// left out here. `columns` are what was kept of the draws.
[[nodiscard]] std::vector<CoefficientView> coefficients_of(const RegressionFacts& facts, const ReportedRun& run,
                                                           const RunColumns& columns);

/// Effects with their intervals, of numbers on one scale: nobody needs to divide them by anything.
[[nodiscard]] std::optional<Figure> effects_figure(const std::vector<CoefficientView>& coefficients);

/// What is estimated, in both units; and each posterior before its prior.
[[nodiscard]] ReportSection coefficient_section(const RegressionFacts& facts,
                                                const std::vector<CoefficientView>& coefficients);

/// Rows, outcomes, baselines, scales.
[[nodiscard]] ReportSection data_section(const RegressionFacts& facts);

}  // namespace darboux

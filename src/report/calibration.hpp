#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "draws/observation_file.hpp"
#include "report/report.hpp"

/// Whether predicted probabilities of outcomes that are 0 or 1 are the frequencies with which these happened.
namespace darboux {

/// Observations with similar predicted probabilities.
struct CalibrationBin {
  std::int64_t count = 0, ones = 0;
  double predicted = 0.0;        ///< mean of the predicted probabilities of 1
  double low = 0.0, high = 1.0;  ///< interval for the probability of 1, by Clopper and Pearson
  [[nodiscard]] double frequency() const { return static_cast<double>(ones) / static_cast<double>(count); }
  [[nodiscard]] bool agrees() const { return low <= predicted && predicted <= high; }
};

/// Up to ten bins, of equal numbers of observations as far as equal predictions allow, in the order of predictions; none where
/// outcomes are others than 0 and 1, probabilities are not known, or observations are too few. Intervals are as wide as it takes for
/// calibrated predictions to lie in all of them in 99 of 100 data sets (Bonferroni).
[[nodiscard]] std::vector<CalibrationBin> calibration_bins(const ObservationSummary& observations);

[[nodiscard]] std::optional<ReportSection> calibration_section(const ObservationSummary& observations);

}  // namespace darboux

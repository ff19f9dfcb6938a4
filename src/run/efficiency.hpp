#pragma once

#include <memory>
#include <vector>

#include "sample/sampler.hpp"

namespace darboux {

/// What a run gave for what it cost.
struct Efficiency {
  double bulk_ess = 0.0;    ///< the smallest of any quantity
  double square_ess = 0.0;  ///< the smallest for a squared deviation from the mean, which periodic motion can spoil
  double rhat = 0.0;        ///< the largest
  SampleResult cost;        ///< gradients and seconds, with and without warm-up
  std::int64_t failures =
      0;  ///< transitions that diverged, whose solves failed, or that met what the model refuses, after warm-up

  /// The smaller of the two effective sizes: what can be relied on whatever is estimated.
  [[nodiscard]] double ess() const noexcept { return bulk_ess < square_ess ? bulk_ess : square_ess; }
  [[nodiscard]] double gradients() const noexcept { return static_cast<double>(cost.sampling_gradients); }
  [[nodiscard]] double gradients_with_warmup() const noexcept {
    return static_cast<double>(cost.warmup_gradients + cost.sampling_gradients);
  }
  /// Whether effective sizes mean anything: R̂ < 1.05 and ess() ≥ 100.
  [[nodiscard]] bool converged() const noexcept { return rhat < 1.05 && ess() >= 100.0; }
};

/// Samples and keeps the draws in memory, of all quantities that vary, only to measure them.
[[nodiscard]] Efficiency measure_efficiency(const std::shared_ptr<const Model>& model, const SamplerSettings& settings,
                                            const Starts& starts);

/// An estimate of a positive quantity from several runs: the geometric mean and its 95 % interval, by Student's t on the
/// logarithms. The interval is (0, ∞) for a single run.
struct IntervalEstimate {
  double low = 0.0, center = 0.0, high = 0.0;
};
[[nodiscard]] IntervalEstimate interval_of(const std::vector<double>& values);

}  // namespace darboux

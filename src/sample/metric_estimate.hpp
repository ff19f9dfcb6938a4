#pragma once

#include <optional>
#include <span>
#include <variant>

#include "sample/low_rank_estimate.hpp"
#include "sample/running_covariance.hpp"
#include "sample/sampler_settings.hpp"

namespace darboux {

/// A preconditioner from a window of draws, of the kind that was asked for or of a simpler one where there are too few of them.
class MetricEstimate {
 public:
  MetricEstimate(Metric metric, Index dim);

  [[nodiscard]] static bool uses_gradients(Metric metric) noexcept { return metric == Metric::low_rank; }
  /// Draws one after the other, and the gradients there where they are used.
  void add(std::span<const double> positions, std::span<const double> gradients);
  /// Sets centre, factor and the number of draws that they rest on, the factor with a view to the one that is there.
  void put_into(Tuning& tuning) const;
  /// Of what it saw; its kind is a setting.
  template <class Archive>
  void archive(Archive& fields) {
    std::visit([&](auto& draws) { fields(draws); }, draws_);
  }

 private:
  void put_into(const RunningCovariance& covariance, Tuning& tuning) const;
  static void put_into(const LowRankEstimate& estimate, Tuning& tuning);

  Metric metric_;
  Index dim_;
  std::variant<RunningCovariance, LowRankEstimate> draws_;
};

}  // namespace darboux

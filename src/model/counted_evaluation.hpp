#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/optimise.hpp"

namespace darboux {

[[nodiscard]] std::vector<double> point_of(ConstBatch q, Index lane);
void set_point(std::span<const double> from, Index lane, Batch to);

/// A model's answers, counted.
class CountedEvaluation {
 public:
  explicit CountedEvaluation(const Model& model) : evaluator_(model.make_evaluator()) {}

  /// −∞ where the model refuses, or answers with what is not finite.
  [[nodiscard]] std::vector<double> log_densities(ConstBatch q);
  /// The lanes at which log density and gradient are finite.
  [[nodiscard]] std::vector<Waypoint> waypoints(ConstBatch q);

  void count_gradients(std::int64_t more) noexcept { gradients_ += more; }
  [[nodiscard]] std::int64_t gradients() const noexcept { return gradients_; }
  [[nodiscard]] std::int64_t densities() const noexcept { return densities_; }  ///< without gradient

 private:
  std::unique_ptr<Evaluator> evaluator_;
  std::int64_t gradients_ = 0, densities_ = 0;
};

}  // namespace darboux

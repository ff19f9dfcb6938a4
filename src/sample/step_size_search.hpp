#pragma once

#include <cstdint>
#include <functional>

namespace darboux {

/// Finds the step size at which a statistic (mostly the acceptance probability, pooled over all chains) has a target value, by
/// dual averaging (Nesterov 2009; Hoffman and Gelman 2014): with x = log ε and the running mean h of target − statistic,
///
///     x_{t+1} = μ − (√t/γ) h_t,     x̄_{t+1} = t^{−κ} x_{t+1} + (1 − t^{−κ}) x̄_t.
///
/// x is what the next round should use; the smooth x̄ is the result.
class StepSizeSearch {
 public:
  StepSizeSearch(double first_step_size, double target);

  /// The statistic observed at current(). Values that are not finite count as 0.
  void observe(double statistic);
  [[nodiscard]] double current() const noexcept { return current_; }
  /// The smoothed step size; the first one before anything was observed.
  [[nodiscard]] double result() const noexcept { return result_; }

  template <class Archive>
  void archive(Archive& fields) {
    fields(target_, anchor_, mean_error_, current_, result_, count_);
  }

 private:
  double target_;
  double anchor_;  // μ = log(10 ε₀): steps are tried large rather than small
  double mean_error_ = 0.0;
  double current_, result_;
  std::int64_t count_ = 0;
};

/// Doubles or halves from where it stands, up to the largest, until the acceptance of single steps crosses 0.8.
[[nodiscard]] double first_good_step_size(double step_size, double largest,
                                          const std::function<double(double step_size)>& acceptance);

}  // namespace darboux

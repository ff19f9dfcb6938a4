#pragma once

// An evaluator of many chains from a function of one.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "darboux/core/error.hpp"
#include "darboux/core/export.hpp"
#include "darboux/model/model.hpp"

namespace darboux {

/// Thrown by a log density that refuses a point (outside its support, a failed inner solve, …): that chain gets
/// Status::model_error and the run goes on. Any other exception stops the run.
class DARBOUX_API Reject : public Error {
 public:
  using Error::Error;
  Reject() : Error("the log density refused a point") {}
};

/// The shape of every model that is written for one point at a time: a function object
///     double f(std::span<const double> q, std::span<double> gradient)
/// that returns the log density and, unless `gradient` is empty, fills in its gradient. It is called for active lanes only.
/// Each evaluator owns its copy of f, so f may keep scratch memory.
template <class LogDensity>
class LaneEvaluator final : public Evaluator {
 public:
  LaneEvaluator(Index dim, LogDensity f)
      : f_(std::move(f)), q_(static_cast<std::size_t>(dim)), gradient_(static_cast<std::size_t>(dim)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(std::ssize(q_), query, answer);
    for (Index lane = 0; lane < query.q.lanes(); ++lane) {
      if (!is_on(query.active, lane)) continue;
      const auto l = static_cast<std::size_t>(lane);
      for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = query.q(static_cast<Index>(j), lane);
      double log_density = 0.0;
      try {
        log_density =
            f_(std::span<const double>(q_), query.gradient ? std::span<double>(gradient_) : std::span<double>());
        answer.status[l] = Status::ok;
      } catch (const Reject&) {
        // No number of an earlier point may pass for an answer.
        log_density = std::numeric_limits<double>::quiet_NaN();
        gradient_.assign(gradient_.size(), log_density);
        answer.status[l] = Status::model_error;
      }
      if (query.value) answer.log_density[l] = log_density;
      if (query.gradient)
        for (std::size_t j = 0; j < q_.size(); ++j) answer.gradient(static_cast<Index>(j), lane) = gradient_[j];
    }
  }

 private:
  LogDensity f_;
  std::vector<double> q_, gradient_;
};

/// An evaluator of a model of dimension dim from the log density of one point.
template <class LogDensity>
[[nodiscard]] std::unique_ptr<Evaluator> evaluate_by_lane(Index dim, LogDensity f) {
  return std::make_unique<LaneEvaluator<LogDensity>>(dim, std::move(f));
}

}  // namespace darboux

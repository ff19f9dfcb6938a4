#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "darboux/model/model.hpp"

namespace darboux::testing {

/// Something wrong that an InstrumentedModel makes happen once, in one lane.
struct Fault {
  enum class Kind { nan_gradient, infinite_gradient, nan_value, infinite_value, model_error, exception };
  Kind kind = Kind::nan_gradient;
  Index lane = 0;
  std::int64_t call = 1;  ///< which of the lane's gradient evaluations (for nan_value: which of its values), from 1
};

/// Counts, per lane, what was asked of the model where that lane was active, and injects faults. Counts of all its
/// evaluators run together, so it is for one thread only.
class InstrumentedModel final : public Model {
 public:
  explicit InstrumentedModel(std::shared_ptr<const Model> inner) : inner_(std::move(inner)) {}

  /// Evaluations with a gradient, with or without the value.
  [[nodiscard]] std::int64_t gradients(Index lane) const { return count(log_->gradients, lane); }
  /// Of these, in single precision.
  [[nodiscard]] std::int64_t single_gradients(Index lane) const { return count(log_->single_gradients, lane); }
  /// Whether the last one was.
  [[nodiscard]] bool ended_in_single(Index lane) const { return count(log_->last_was_single, lane) != 0; }
  /// Evaluations of the value alone.
  [[nodiscard]] std::int64_t values_only(Index lane) const { return count(log_->values_only, lane); }
  /// Evaluations that wanted the value, with or without the gradient.
  [[nodiscard]] std::int64_t values(Index lane) const { return count(log_->values, lane); }
  /// Calls of evaluate, whatever the lanes.
  [[nodiscard]] std::int64_t calls() const { return log_->calls; }

  void inject(const Fault& fault) { log_->faults.push_back(fault); }
  /// Forgets all counts and faults.
  void reset() { *log_ = {}; }

  [[nodiscard]] Index dim() const noexcept override { return inner_->dim(); }
  [[nodiscard]] ModelTraits traits() const noexcept override { return inner_->traits(); }
  [[nodiscard]] std::vector<std::string> names() const override { return inner_->names(); }
  void constrain(std::span<const double> q, const DrawKey& key, std::span<double> out) const override {
    inner_->constrain(q, key, out);
  }
  [[nodiscard]] std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<Counting>(inner_, log_);
  }

 private:
  using Counts = std::vector<std::int64_t>;
  struct Log {
    Counts gradients, single_gradients, last_was_single, values_only, values;
    std::int64_t calls = 0;
    std::vector<Fault> faults;
  };

  static std::int64_t count(const Counts& counts, Index lane) {
    return lane < std::ssize(counts) ? counts[static_cast<std::size_t>(lane)] : 0;
  }

  class Counting final : public Evaluator {
   public:
    Counting(std::shared_ptr<const Model> model, std::shared_ptr<Log> log)
        : model_(std::move(model)), inner_(model_->make_evaluator()), log_(std::move(log)) {}

    void evaluate(const Query& query, const Answer& answer) override {
      inner_->evaluate(query, answer);
      ++log_->calls;
      for (Index lane = 0; lane < query.q.lanes(); ++lane) {
        if (!is_on(query.active, lane)) continue;
        if (query.gradient) {
          increment(log_->gradients, lane);
          if (query.single_precision) increment(log_->single_gradients, lane);
          at(log_->last_was_single, lane) = query.single_precision ? 1 : 0;
        }
        if (query.value) increment(log_->values, lane);
        if (query.value && !query.gradient) increment(log_->values_only, lane);
        for (const Fault& fault : log_->faults)
          if (fault.lane == lane) apply(fault, query, answer);
      }
    }

   private:
    static std::int64_t& at(Counts& counts, Index lane) {
      if (lane >= std::ssize(counts)) counts.resize(static_cast<std::size_t>(lane) + 1);
      return counts[static_cast<std::size_t>(lane)];
    }
    static void increment(Counts& counts, Index lane) { ++at(counts, lane); }

    void apply(const Fault& fault, const Query& query, const Answer& answer) const {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      const auto lane = static_cast<std::size_t>(fault.lane);
      if (fault.kind == Fault::Kind::nan_value || fault.kind == Fault::Kind::infinite_value) {
        const double wrong = fault.kind == Fault::Kind::nan_value ? nan : std::numeric_limits<double>::infinity();
        if (query.value && count(log_->values, fault.lane) == fault.call) answer.log_density[lane] = wrong;
        return;
      }
      if (!query.gradient || count(log_->gradients, fault.lane) != fault.call) return;
      if (fault.kind == Fault::Kind::exception) throw std::runtime_error("the licence server is down");
      const bool infinite = fault.kind == Fault::Kind::infinite_gradient;
      for (Index j = 0; j < query.q.rows(); ++j)
        answer.gradient(j, fault.lane) = infinite ? std::numeric_limits<double>::infinity() : nan;
      if (fault.kind == Fault::Kind::model_error) {
        if (query.value) answer.log_density[lane] = nan;
        answer.status[lane] = Status::model_error;
      }
    }

    std::shared_ptr<const Model> model_;
    std::unique_ptr<Evaluator> inner_;
    std::shared_ptr<Log> log_;
  };

  std::shared_ptr<const Model> inner_;
  std::shared_ptr<Log> log_ = std::make_shared<Log>();
};

}  // namespace darboux::testing

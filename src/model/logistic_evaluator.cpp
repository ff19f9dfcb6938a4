#include <algorithm>
#include <array>
#include <utility>

#include "checks.hpp"
#include "logistic_rows.hpp"

namespace darboux {

namespace {

/// What the chains that are asked for are at, in one precision, and their gradients.
template <class Number>
class LaneArrays {
 public:
  /// A task for the lanes, without rows and log likelihood. β has room, and so has the gradient.
  LogisticTask<Number> task(std::size_t columns, std::size_t lanes) {
    if (lanes * columns > beta_.size()) {
      beta_.resize(lanes * columns);
      gradient_.resize(lanes * columns);
    }
    return {.panels = nullptr,
            .signs = nullptr,
            .panel_count = 0,
            .columns = columns,
            .lanes = lanes,
            .beta = beta_.data(),
            .gradient = gradient_.data(),
            .log_likelihood = nullptr,
            .scratch = nullptr};
  }
  [[nodiscard]] Number& beta(std::size_t at) { return beta_[at]; }
  [[nodiscard]] double gradient(std::size_t at) const { return gradient_[at]; }

 private:
  std::vector<Number> beta_, gradient_;
};

/// Gathers the lanes that are asked for: what a lane gets does not depend on those beside it, so the others cost nothing.
class LogisticEvaluator final : public Evaluator {
 public:
  LogisticEvaluator(std::unique_ptr<LogisticRows> rows, std::vector<double> precisions)
      : rows_(std::move(rows)), precisions_(std::move(precisions)) {}

  void evaluate(const Query& query, const Answer& answer) override {
    check_shapes(std::ssize(precisions_), query, answer);
    lanes_.clear();
    for (Index lane = 0; lane < query.q.lanes(); ++lane)
      if (is_on(query.active, lane)) lanes_.push_back(lane);
    if (query.single_precision && !query.value)
      evaluate_in_single_precision(query.q, answer.gradient);
    else
      evaluate_in_double_precision(query, answer);
    set_ok(query.active, answer.status);
  }

 private:
  [[nodiscard]] std::size_t columns() const noexcept { return precisions_.size(); }
  [[nodiscard]] double precision(Index j) const noexcept { return precisions_[static_cast<std::size_t>(j)]; }

  void evaluate_in_double_precision(const Query& query, const Answer& answer) {
    LogisticTask<double> task = arrays_.task(columns(), lanes_.size());
    for_each_coefficient([&](std::size_t at, Index j, Index lane) { arrays_.beta(at) = query.q(j, lane); });
    if (!query.gradient) task.gradient = nullptr;
    if (query.value) {
      value_.resize(std::max(value_.size(), lanes_.size()));
      task.log_likelihood = value_.data();
    }
    rows_->sum(task);
    if (query.value) store_value(answer.log_density);
    if (query.gradient) store_gradient(arrays_, query.q, answer.gradient);
  }

  void evaluate_in_single_precision(ConstBatch q, Batch gradient) {
    const LogisticTask<float> task = single_arrays_.task(columns(), lanes_.size());
    for_each_coefficient(
        [&](std::size_t at, Index j, Index lane) { single_arrays_.beta(at) = static_cast<float>(q(j, lane)); });
    rows_->sum(task);
    store_gradient(single_arrays_, q, gradient);
  }

  /// visit(place in the kernel's arrays, coordinate, lane)
  template <class Visit>
  void for_each_coefficient(Visit visit) const {
    LogisticTask<double>::for_each_group(
        lanes_.size(), [&]<std::size_t width>(std::size_t first) { for_each_coefficient_of<width>(first, visit); });
  }
  template <std::size_t width, class Visit>
  void for_each_coefficient_of(std::size_t first, const Visit& visit) const {
    std::array<Index, width> lanes;
    std::copy_n(lanes_.begin() + static_cast<Index>(first), width, lanes.begin());
    for (std::size_t j = 0; j < columns(); ++j)
      for (std::size_t l = 0; l < width; ++l) visit(first * columns() + j * width + l, static_cast<Index>(j), lanes[l]);
  }

  template <class Arrays>
  void store_gradient(const Arrays& arrays, ConstBatch q, Batch gradient) const {
    for_each_coefficient([&](std::size_t at, Index j, Index lane) {
      gradient(j, lane) = arrays.gradient(at) - precision(j) * q(j, lane);
    });
  }

  void store_value(std::span<double> log_density) {
    for (std::size_t k = 0; k < lanes_.size(); ++k) log_density[static_cast<std::size_t>(lanes_[k])] = value_[k];
    for_each_coefficient([&](std::size_t at, Index j, Index lane) {
      log_density[static_cast<std::size_t>(lane)] -= 0.5 * precision(j) * arrays_.beta(at) * arrays_.beta(at);
    });
  }

  std::unique_ptr<LogisticRows> rows_;
  std::vector<double> precisions_;  // of the prior
  std::vector<Index> lanes_;        // that are asked for
  LaneArrays<double> arrays_;
  LaneArrays<float> single_arrays_;
  std::vector<double> value_;
};

class RowsHere final : public LogisticRows {
 public:
  explicit RowsHere(std::shared_ptr<const LogisticRegression::Data> data) : data_(std::move(data)) {}
  void sum(const LogisticTask<double>& task) override { sum_rows(*data_, task, scratch_); }
  void sum(const LogisticTask<float>& task) override { sum_rows(*data_, task, single_scratch_); }

 private:
  std::shared_ptr<const LogisticRegression::Data> data_;
  LogisticScratch<double> scratch_;
  LogisticScratch<float> single_scratch_;
};

template <class Number>
void make_room(LogisticTask<Number>& task, LogisticScratch<Number>& scratch) {
  scratch.resize(std::max(scratch.size(), LogisticTask<Number>::scratch_size(task.columns, task.lanes)));
  task.scratch = scratch.data();
}

}  // namespace

void sum_rows(const LogisticRegression::Data& data, LogisticTask<double> task, LogisticScratch<double>& scratch) {
  make_room(task, scratch);
  task.panels = data.panels.data();
  task.signs = data.signs.data();
  task.panel_count = data.signs.size() / LogisticTask<double>::panel_rows;
  DARBOUX_KERNEL(evaluate_logistic)(task);
}

void sum_rows(const LogisticRegression::Data& data, LogisticTask<float> task, LogisticScratch<float>& scratch) {
  const auto& panels = data.single->panels(data);
  make_room(task, scratch);
  task.panels = panels.data();
  task.panel_count = panels.size() / task.columns / LogisticTask<float>::panel_rows;
  DARBOUX_KERNEL(evaluate_logistic_in_single_precision)(task);
}

std::unique_ptr<LogisticRows> rows_here(std::shared_ptr<const LogisticRegression::Data> data) {
  return std::make_unique<RowsHere>(std::move(data));
}

std::unique_ptr<Evaluator> logistic_evaluator(std::unique_ptr<LogisticRows> rows,
                                              std::vector<double> prior_precisions) {
  return std::make_unique<LogisticEvaluator>(std::move(rows), std::move(prior_precisions));
}

}  // namespace darboux

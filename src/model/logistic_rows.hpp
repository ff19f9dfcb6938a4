#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "darboux/model/logistic_regression.hpp"
#include "model/logistic_kernel.hpp"

/// What a logistic regression needs of its rows: their sums, wherever they are computed.
namespace darboux {

/// The rows of a design, with their outcomes, behind what they are asked for. Each evaluator has its own.
class LogisticRows {
 public:
  LogisticRows() = default;
  LogisticRows(const LogisticRows&) = delete;
  LogisticRows& operator=(const LogisticRows&) = delete;
  virtual ~LogisticRows() = default;
  /// The log likelihood and its gradient over all rows, where the task wants them. Its panels, signs and scratch are left open.
  virtual void sum(const LogisticTask<double>& task) = 0;
  /// The gradient alone.
  virtual void sum(const LogisticTask<float>& task) = 0;
};

/// All of them are here.
[[nodiscard]] std::unique_ptr<LogisticRows> rows_here(std::shared_ptr<const LogisticRegression::Data> data);

/// Adds the prior.
[[nodiscard]] std::unique_ptr<Evaluator> logistic_evaluator(std::unique_ptr<LogisticRows> rows,
                                                            std::vector<double> prior_precisions);

/// What a regression on so many features says of itself without its rows. The options must be good.
[[nodiscard]] std::vector<std::string> coefficient_names(const LogisticOptions& options, Index features);
[[nodiscard]] std::vector<double> prior_precisions(const LogisticOptions& options, Index coefficients);
bool draw_normal_prior(std::span<const double> precisions, const RandomKey& key, std::span<double> q);

/// The design of some rows as kernels read it; `signs` are 2y − 1. Without prior precisions.
[[nodiscard]] LogisticRegression::Data design_of(const Matrix& features, std::span<const double> signs, bool intercept);

/// What a kernel works in.
template <class Number>
using LogisticScratch = std::vector<Number, CacheLineAllocator<Number>>;

/// Sums over the rows of a design.
void sum_rows(const LogisticRegression::Data& data, LogisticTask<double> task, LogisticScratch<double>& scratch);
void sum_rows(const LogisticRegression::Data& data, LogisticTask<float> task, LogisticScratch<float>& scratch);

}  // namespace darboux

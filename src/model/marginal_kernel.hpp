#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "darboux/model/marginal_shape.hpp"

namespace darboux {

/// One coordinate of a block of chains, bent: x(y) = a + b sinh w with w = (asinh y + ε)/δ, and what a change of variables needs,
///     x' = b cosh w/(δ √(1 + y²)),   log x',   (log x')' = tanh w/(δ √(1 + y²)) − y/(1 + y²).
struct BendTask {
  MarginalShape shape;
  std::size_t lanes = 0;
  const double* y = nullptr;
  double* x = nullptr;               ///< may be y
  double* slope = nullptr;           ///< x'; null where no derivative is wanted
  double* bend = nullptr;            ///< (log x')'; likewise
  double* sum_log_slopes = nullptr;  ///< log x' is added; null where it is not wanted
};

/// The likelihood of draws of one coordinate under y ~ N(0, 1), with parameters (a, log b, ε, log δ).
struct ScoreTask {
  MarginalShape shape;
  std::size_t draws = 0;
  const double* x = nullptr;
  double log_likelihood = 0.0;  ///< the sum over draws, but for −½ log 2π of each
  double score[4] = {};         ///< its derivatives
  double information[10] = {};  ///< sums of products of the draws' own derivatives: the lower triangle, by rows
};

/// The same of every draw by itself.
struct LikelihoodTask {
  MarginalShape shape;
  std::size_t draws = 0;
  const double* x = nullptr;
  double* out = nullptr;
};

/// Lanes do not depend on each other, nor on how many there are; sums have the same order on every processor.
DARBOUX_DECLARE_KERNEL(void bend(const BendTask& task); void score(ScoreTask& task);
                       void log_likelihoods(const LikelihoodTask& task);)

}  // namespace darboux

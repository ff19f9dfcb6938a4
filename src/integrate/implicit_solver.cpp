#include "integrate/implicit_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "darboux/core/error.hpp"
#include "linalg/dense.hpp"

namespace darboux {

void validate(const SolverOptions& options, Index dim) {
  if (!(options.tolerance > 0.0 && std::isfinite(options.tolerance)))
    throw InputError(fmt::format("tolerance = {}: must be a positive number", options.tolerance));
  if (options.max_iterations < 1)
    throw InputError(fmt::format("max_iterations = {}: must be at least 1", options.max_iterations));
  if (!(options.reverse_threshold >= 100.0 * options.tolerance && std::isfinite(options.reverse_threshold)))
    throw InputError(
        fmt::format("reverse_threshold = {}: must be at least 100 times the tolerance, {}; raise it, or lower "
                    "the tolerance",
                    options.reverse_threshold, options.tolerance));
  const Matrix& h = options.precision;
  if (!h.empty() && (h.rows() != dim || h.cols() != dim))
    throw InputError(fmt::format("precision is {} × {}: must be {} × {}, as the model", h.rows(), h.cols(), dim, dim));
  if (!h.empty() && !cholesky(h)) throw InputError("precision must be symmetric and positive definite");
}

namespace {

/// (I − K H₀)⁻¹ K
Matrix newton_matrix(const Matrix& k, const Matrix& precision) {
  const Matrix jacobian = Matrix::identity(k.rows()) - (precision.empty() ? k : k * precision);
  const auto inverted = inverse(jacobian);
  if (!inverted)
    throw InputError("I − K H₀ is singular for this step size, structure and precision; change the step size");
  return *inverted * k;
}

}  // namespace

ImplicitSolver::ImplicitSolver(const DirectedMatrix& k, const SolverOptions& options)
    : method_(options.method),
      precision_(options.precision),
      tolerance_(options.tolerance),
      max_iterations_(options.max_iterations) {
  validate(options, k.forward().rows());
  gain_ = method_ == SolverMethod::fixed_point
              ? k
              : DirectedMatrix(newton_matrix(k.forward(), precision_), newton_matrix(k.backward(), precision_));
}

/// Newton's step leads to next_ = c + N (∇U + H₀ (c − q)) with N = (I − K H₀)⁻¹ K, so that it takes a single product where
/// H₀ = I. With H₀ = 0 and N = K it is the fixed point's.
void ImplicitSolver::find_next(const Problem& problem) {
  if (method_ == SolverMethod::fixed_point) return gain_.multiply_add(problem.gradient, pending_, problem.c, next_);
  if (precision_.empty()) {
    add_difference(problem.gradient, problem.c, problem.q, force_);
  } else {
    copy(problem.c, next_);
    add_where(problem.q, pending_, next_, -1.0);
    copy(problem.gradient, force_);
    multiply_add(precision_, next_, force_);
  }
  gain_.multiply_add(force_, pending_, problem.c, next_);
}

void ImplicitSolver::evaluate(const Problem& problem, Potential& u) {
  for (std::size_t l = 0; l < pending_.size(); ++l) {
    if (pending_[l] == 0.0) rough_[l] = 0.0;
    exact_[l] = rough_[l] == 0.0 ? pending_[l] : 0.0;
  }
  u.rough_gradient(problem.q, rough_, problem.status, problem.gradient);
  u.gradient(problem.q, exact_, problem.status, problem.gradient);
}

void ImplicitSolver::solve(const Problem& problem, LaneSteps dt, Potential& u) {
  const Index n = problem.q.rows();
  const Index lanes = problem.q.lanes();
  fit(force_, n, lanes);
  fit(next_, n, lanes);
  for (auto* scratch : {&excess_, &exact_}) scratch->resize(static_cast<std::size_t>(lanes));
  last_excess_.assign(static_cast<std::size_t>(lanes), std::numeric_limits<double>::infinity());
  pending_.assign(dt.begin(), dt.end());
  rough_.assign(static_cast<std::size_t>(lanes), 0.0);
  if (u.precision() != GradientPrecision::full) rough_ = pending_;
  const auto drop_failed = [&] {
    for (std::size_t l = 0; l < pending_.size(); ++l)
      if (problem.status[l] != Status::ok) pending_[l] = 0.0;
    return std::any_of(pending_.begin(), pending_.end(), [](double h) { return h != 0.0; });
  };
  // A solve that is worth its while shrinks updates tenfold: ten tolerances away, the next one ends it. Rounding in single
  // precision leaves about 1e-6.
  const double rough_enough = std::max(10.0 * tolerance_, 1e-6);

  for (int iteration = 0; iteration < max_iterations_ && drop_failed(); ++iteration) {
    evaluate(problem, u);
    if (!drop_failed()) return;
    find_next(problem);
    largest_excess(problem.q, next_, tolerance_, excess_);
    assign_where(next_, pending_, problem.q);
    for (std::size_t l = 0; l < pending_.size(); ++l) {
      if (pending_[l] == 0.0) continue;
      ++problem.iterations[l];
      if (std::isnan(excess_[l])) problem.status[l] = Status::not_converged;
      if (rough_[l] == 0.0) {
        if (excess_[l] <= 0.0) pending_[l] = 0.0;
      } else if (excess_[l] <= rough_enough || excess_[l] >= last_excess_[l]) {
        rough_[l] = 0.0;
      }
      last_excess_[l] = excess_[l];
    }
  }
  for (std::size_t l = 0; l < pending_.size(); ++l)
    if (pending_[l] != 0.0 && problem.status[l] == Status::ok) problem.status[l] = Status::not_converged;
}

}  // namespace darboux

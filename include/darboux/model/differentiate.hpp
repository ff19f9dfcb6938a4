#pragma once

// A model from a log density alone, with its exact gradient.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "darboux/model/dual.hpp"
#include "darboux/model/function_model.hpp"
#include "darboux/model/recorded.hpp"

namespace darboux {

/// The type of number that a generic log density computes with: double, Dual or Recorded.
template <class Point>
using ScalarOf = std::remove_cvref_t<decltype(std::declval<const Point&>()[0])>;

/// Turns a log density that is generic in the type of its numbers into one with a gradient, by ⌈n/8⌉ evaluations with
/// dual numbers that carry eight directions each.
template <class F>
class Differentiated {
 public:
  static constexpr std::size_t chunk = 8;
  using Number = Dual<chunk>;
  static_assert(std::convertible_to<std::invoke_result_t<F&, std::span<const double>>, double>);
  static_assert(std::convertible_to<std::invoke_result_t<F&, std::span<const Number>>, Number>);

  explicit Differentiated(F f) : f_(std::move(f)) {}

  double operator()(std::span<const double> q, std::span<double> gradient) {
    if (gradient.empty()) return f_(q);
    point_.assign(q.begin(), q.end());
    Number log_density;
    for (std::size_t first = 0; first < q.size(); first += chunk) {
      const std::size_t count = std::min(chunk, q.size() - first);
      for (std::size_t k = 0; k < count; ++k) point_[first + k] = Number(q[first + k], k);
      log_density = f_(std::span<const Number>(point_));
      for (std::size_t k = 0; k < count; ++k) {
        gradient[first + k] = log_density.derivative(k);
        point_[first + k] = q[first + k];
      }
    }
    return log_density.value();
  }

 private:
  F f_;
  std::vector<Number> point_;
};

/// A model from a log density alone, with its exact gradient:
///
///     const auto model = differentiate(2, [](const auto& q) {
///       using std::exp;                       // finds exp for doubles; those for other numbers are found by themselves
///       return -0.5 * q[0] * q[0] - exp(q[1]) + q[1];
///     });
///
/// `q` has q.size() and q[i]; ScalarOf<decltype(q)> names its type, for a sum that starts at zero. The function must depend on q
/// alone: it is recorded, once for every way that it takes at its branches, and what was recorded is replayed. One that takes another
/// way at every point is called with dual numbers instead, unless there are many dimensions. docs/own-models.md tells more.
template <class F>
[[nodiscard]] FunctionModel differentiate(Index dim, F f, FunctionModelOptions options = {}) {
  LogDensityFunction forward = Differentiated<F>(f);
  return FunctionModel::recorded(dim, std::move(f), std::move(forward), std::move(options));
}

}  // namespace darboux

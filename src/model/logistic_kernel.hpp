#pragma once

#include <cstddef>

#include "core/dispatch.hpp"

namespace darboux {

/// What a logistic kernel computes, and from what, in double or single precision.
template <class Number>
struct LogisticTask {
  /// Rows of the design matrix are stored in panels of this many, column by column within each: so much fills three
  /// registers of any processor, or a multiple of that. Rows beyond the last are 0.
  static constexpr std::size_t panel_rows = 3 * 64 / sizeof(Number);
  /// Chains are taken in groups of this many, the rest two together or alone.
  static constexpr std::size_t group = 4;
  /// visit<width>(first) for all groups, in the order of their chains.
  template <std::size_t width = group, class Visit>
  static void for_each_group(std::size_t lanes, const Visit& visit, std::size_t first = 0) {
    for (; first + width <= lanes; first += width) visit.template operator()<width>(first);
    if constexpr (width > 1) for_each_group<width / 2>(lanes, visit, first);
  }

  /// Of so many panels and columns together, the design stays in the last-level cache.
  static constexpr std::size_t columns_in_last_cache = 87'000;

  const Number* panels;  ///< of −s_i x_i: what counts is t_i = −s_i x_iβ
  const double* signs;   ///< s_i = 2y_i − 1 for every row, and 0 for those beyond the last
  std::size_t panel_count;
  std::size_t columns;
  std::size_t lanes;
  const Number* beta;      ///< group after group; coordinate j of the chains of a group is one run
  Number* gradient;        ///< of the log likelihood, in the same order; null if not wanted
  double* log_likelihood;  ///< lane by lane, or row by row; null if not wanted
  Number* scratch;         ///< scratch_size numbers, on a cache line

  static constexpr std::size_t panels_at_once = 21, widest_vector = 64 / sizeof(Number);
  [[nodiscard]] static constexpr std::size_t scratch_size(std::size_t columns, std::size_t lanes) {
    return panels_at_once * panel_rows * group + columns * lanes * widest_vector;
  }
};

/// The logistic log likelihood and its gradient. A chain's numbers do not depend on the others, nor on how many there are.
DARBOUX_DECLARE_KERNEL(void evaluate_logistic(const LogisticTask<double>& task);
                       /// log_likelihood[i] = log σ(−t_i) of every row, those beyond the last too, of one chain.
                       void evaluate_logistic_by_rows(const LogisticTask<double>& task);
                       /// Gradients only.
                       void evaluate_logistic_in_single_precision(const LogisticTask<float>& task);)

}  // namespace darboux

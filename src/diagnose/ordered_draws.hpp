#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"

/// The draws in order: what quantiles and ranks share.
namespace darboux {

/// Where a draw came from: chain · length + index. A table of one number per draw has the same places.
using Place = std::uint32_t;

/// Draws, or their distances from a point, in ascending order. Holds their places and looks up their values: four bytes for each draw.
class OrderedDraws {
 public:
  OrderedDraws() = default;
  /// All of them; they must outlive it. None may be NaN.
  explicit OrderedDraws(const ChainDraws& draws);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] bool empty() const noexcept { return places_.empty(); }
  [[nodiscard]] Place place(std::size_t i) const noexcept { return places_[i]; }
  [[nodiscard]] double value(std::size_t i) const noexcept { return value_at(places_[i]); }
  /// Behind the last of those that equal draw i, for i from the first to the last.
  [[nodiscard]] std::size_t end_of_equals(std::size_t i) const noexcept;

  friend OrderedDraws folded(const OrderedDraws& ordered, double centre);
  friend void drop_unsplit(OrderedDraws& ordered, std::size_t length);

 private:
  [[nodiscard]] double value_at(Place place) const noexcept {
    return centre_ ? std::abs(values_[place] - *centre_) : values_[place];
  }

  std::span<const double> values_;                   // by place
  std::shared_ptr<const std::vector<double>> copy_;  // of draws that do not lie one after another
  std::optional<double> centre_;                     // that distances are from
  std::vector<Place> places_;
};

/// The quantile (describe.hpp) of draws in ascending order; NaN if there are none.
[[nodiscard]] double quantile(const OrderedDraws& ordered, double probability);

/// The narrowest interval that holds a share of draws in ascending order (summary.hpp); NaN if there are none.
struct DensestInterval {
  double low, high;
};
[[nodiscard]] DensestInterval densest_interval(const OrderedDraws& ordered, double share);

/// How many of the draws lie above a threshold, by bisection.
[[nodiscard]] std::size_t count_above(const OrderedDraws& ordered, double threshold);

/// The distances |x − centre| of the draws, ascending again: two ordered halves are merged, not sorted once more.
[[nodiscard]] OrderedDraws folded(const OrderedDraws& ordered, double centre);

/// Leaves out the draws in the middle that splitting chains of odd length leaves out.
void drop_unsplit(OrderedDraws& ordered, std::size_t length);

/// A table of normal scores Φ⁻¹((r − 3/8)/(S + 1/4)), with r the rank from 1 to S of each draw, and of equal draws their mean
/// rank. Places of draws that are not there hold 0.
[[nodiscard]] std::vector<double> normal_scores(const OrderedDraws& ordered, std::size_t table_size);

/// A table of 1 where x ≤ threshold and 0 elsewhere.
[[nodiscard]] std::vector<double> indicators(const ChainDraws& draws, double threshold);

}  // namespace darboux

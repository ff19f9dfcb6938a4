#pragma once

#include <cstddef>
#include <vector>

#include "darboux/diagnose/chain_draws.hpp"

/// The draws in order: what quantiles and ranks share.
namespace darboux {

/// A draw and where it came from: chain · length + index. A table of one number per draw has the same places.
struct PlacedDraw {
  double value;
  std::size_t place;
};

/// All draws, ascending. None may be NaN.
[[nodiscard]] std::vector<PlacedDraw> ascending(const ChainDraws& draws);

/// The quantile (describe.hpp) of draws in ascending order; NaN if there are none.
[[nodiscard]] double quantile(const std::vector<PlacedDraw>& ordered, double probability);

/// The distances |x − centre| of the draws, ascending again: two ordered halves are merged, not sorted once more.
[[nodiscard]] std::vector<PlacedDraw> folded(const std::vector<PlacedDraw>& ordered, double centre);

/// Leaves out the draws in the middle that splitting chains of odd length leaves out.
void drop_unsplit(std::vector<PlacedDraw>& ordered, std::size_t length);

/// A table of normal scores Φ⁻¹((r − 3/8)/(S + 1/4)), with r the rank from 1 to S of each draw, and of equal draws their mean
/// rank. Places of draws that are not there hold 0.
[[nodiscard]] std::vector<double> normal_scores(const std::vector<PlacedDraw>& ordered, std::size_t table_size);

/// A table of 1 where x ≤ threshold and 0 elsewhere.
[[nodiscard]] std::vector<double> indicators(const ChainDraws& draws, double threshold);

}  // namespace darboux

#include "sample/trajectory_search.hpp"

#include <algorithm>
#include <cmath>

namespace darboux {

JumpSums& JumpSums::operator+=(const JumpSums& other) noexcept {
  linear += other.linear;
  radial += other.radial;
  norm += other.norm;
  norm_squared += other.norm_squared;
  gradients += other.gradients;
  count += other.count;
  undefined += other.undefined;
  return *this;
}

/// Averages over transitions of about this duration.
TrajectorySearch::Point TrajectorySearch::near(double duration, const JumpSums& all) const {
  constexpr double width = 0.15;  // of log duration
  JumpSums sums;
  for (const JumpSums& s : seen_) {
    const double distance = std::log(s.duration / duration) / width;
    const double weight = std::exp(-0.5 * distance * distance);
    sums.linear += weight * s.linear;
    sums.radial += weight * s.radial;
    sums.gradients += weight * s.gradients;
    sums.count += weight * s.count;
  }
  const double mean_norm = all.norm / all.count;
  const double norm_variance = all.norm_squared / all.count - mean_norm * mean_norm;
  return {.linear = sums.linear / sums.count / (2.0 * all.norm_squared / all.count),
          .radial = sums.radial / sums.count / (2.0 * norm_variance),
          .gradients = sums.gradients / sums.count,
          .count = sums.count};
}

/// Effective draws per gradient; 0 where too few transitions tell.
double TrajectorySearch::score(double length, const DurationRange& range, const JumpSums& all) const {
  constexpr int places = 12;
  constexpr double enough = 40.0;
  double linear = 0.0, radial = 0.0, gradients = 0.0;
  for (int i = 0; i < places; ++i) {
    const Point p = near(length * range.at((i + 0.5) / places), all);
    if (!(p.count >= enough)) return 0.0;
    linear += p.linear / places;
    radial += p.radial / places;
    gradients += p.gradients / places;
  }
  const double forgotten = std::min({linear, radial, 1.9});  // 1 − ρ of the one that is remembered longer
  return forgotten / (2.0 - forgotten) / gradients;
}

double TrajectorySearch::best(const DurationRange& range, double present) const {
  JumpSums all;
  double shortest = present, longest = present;
  for (const JumpSums& s : seen_) {
    all += s;
    shortest = std::min(shortest, s.duration);
    longest = std::max(longest, s.duration);
  }
  double best = present;
  const double worth_it = 1.0 + 6.0 / std::sqrt(all.count);  // a change must promise more than noise would
  double best_score = worth_it * score(present, range, all);
  constexpr double finer = 1.06;
  for (double length = shortest; length <= longest; length *= finer) {
    const double here = score(length, range, all);
    if (!(here > best_score)) continue;
    best_score = here;
    best = length;
  }
  return best;
}

}  // namespace darboux

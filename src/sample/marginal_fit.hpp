#pragma once

#include <span>

#include "darboux/model/marginal_shape.hpp"

namespace darboux {

/// How far a shape may go. With x ∝ |y|^(1/tail) far out, a potential that grows like |x|^k grows like |y|^(k/tail):
/// - up to a tail of 2, one with Gaussian tails keeps exponential ones, whose gradients do not vanish;
/// - down to ½, exponential tails become at most Gaussian ones, which leapfrog is stable in: lighter ones it is not.
/// The sides differ by exp(2 skew/tail) in scale. What would need more than e⁴ is a wall, not a shape.
struct ShapeBounds {
  static constexpr double least_tail = 0.5, most_tail = 2.0, most_lean = 2.0;  // lean: |skew|/tail
};

/// The shape within these bounds under which draws x are likeliest, y being standard normal, to about 2·10⁻⁴ in the mean log
/// likelihood (all but for −½ log 2π): far less than any sampling error. `first` is where to begin.
struct FittedShape {
  MarginalShape shape;
  double mean_log_likelihood = 0.0;
};
[[nodiscard]] FittedShape fit_shape(std::span<const double> x, const MarginalShape& first);
/// One step of it: as good as any estimate for draws of the same law as those that `near` was fitted to.
[[nodiscard]] MarginalShape fit_near(std::span<const double> x, const MarginalShape& near);
/// The same without bending: mean and standard deviation; and the mean log likelihood of the draws they are of.
[[nodiscard]] MarginalShape fit_straight(std::span<const double> x);
/// Where to begin if moments are those of a few draws far out: the heaviest tails, with the draws' median and quartiles.
[[nodiscard]] MarginalShape first_shape(std::span<const double> x);
[[nodiscard]] double straight_log_likelihood(const MarginalShape& straight);

/// About how much the mean log likelihood of draws would gain by bending, from their third and fourth cumulants (those of the
/// Edgeworth series): γ₁²/12 + γ₂²/48.
[[nodiscard]] double bend_expected(std::span<const double> x, const MarginalShape& straight);

/// How much a shape gains over a straight one in the log likelihood of draws, draw by draw.
void gains_of(std::span<const double> x, const MarginalShape& shape, const MarginalShape& straight,
              std::span<double> gains);
/// The mean, and its error. Draws are in the order of chains and, within one, of time: means of 16 runs of them, in a row, are
/// nearly independent even where draws are not; and where chains hardly move, those of 4 are more so.
struct Gain {
  double mean = 0.0, error = 0.0;
};
[[nodiscard]] Gain gain_of(std::span<const double> gains);

}  // namespace darboux

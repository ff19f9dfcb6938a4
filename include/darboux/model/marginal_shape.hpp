#pragma once

// How a coordinate is bent so that its draws are nearly Gaussian.

namespace darboux {

/// A coordinate x of the preconditioner as a function of the one that chains move in, y:
///     x = place + scale · sinh((asinh y + skew)/tail),
/// which is y itself for (0, 1, 0, 1). Skewed to the right where skew > 0, with heavier tails than y's where tail < 1.
struct MarginalShape {
  double place = 0.0, scale = 1.0, skew = 0.0, tail = 1.0;

  bool operator==(const MarginalShape&) const = default;
};

}  // namespace darboux

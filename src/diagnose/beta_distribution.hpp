#pragma once

namespace darboux {

/// The cumulative distribution function I_x(a, b) of Beta(a, b), for a, b > 0 and x in [0, 1]; NaN elsewhere. Relative error
/// below 1e-12 for parameters up to 1e7.
[[nodiscard]] double beta_cdf(double x, double a, double b);

/// The x with I_x(a, b) = p, for p in [0, 1] and a, b ≥ 1, so that there is no pole; NaN elsewhere.
[[nodiscard]] double beta_quantile(double p, double a, double b);

}  // namespace darboux

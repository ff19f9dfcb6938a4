#pragma once

namespace darboux {

// Quantiles of distributions, to 14 digits or more: the x below which a share p lies. At 0 and 1 they are the ends
// of the distribution's range; outside [0, 1] and for parameters that are not positive, NaN. Those of draws are in describe.hpp.

/// Of the standard normal: Φ⁻¹(p).
[[nodiscard]] double normal_quantile(double p) noexcept;

/// Of Beta(a, b).
[[nodiscard]] double beta_quantile(double p, double a, double b) noexcept;

/// Of Student's t with so many degrees of freedom.
[[nodiscard]] double student_t_quantile(double p, double freedom) noexcept;

}  // namespace darboux

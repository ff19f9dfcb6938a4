#pragma once

namespace darboux {

/// The standard normal's quantile Φ⁻¹(p), to a few units in the last place over the whole range of double: Wichura's
/// algorithm AS 241 (PPND16), Applied Statistics 37 (1988). −∞ and ∞ at 0 and 1, NaN outside.
[[nodiscard]] double normal_quantile(double p) noexcept;

}  // namespace darboux

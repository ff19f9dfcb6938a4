#pragma once

// What can be chosen about the integration of trajectories: which integrator, and in what precision gradients are.

#include <array>
#include <cstdint>
#include <string_view>

namespace darboux {

enum class IntegratorKind { leapfrog, magnetic_leapfrog, midpoint, split_midpoint, explicit_copies, doubled };
inline constexpr std::array all_integrators{IntegratorKind::leapfrog,        IntegratorKind::magnetic_leapfrog,
                                            IntegratorKind::midpoint,        IntegratorKind::split_midpoint,
                                            IntegratorKind::explicit_copies, IntegratorKind::doubled};
/// As on the command line: "magnetic-leapfrog", "explicit", …
[[nodiscard]] std::string_view name(IntegratorKind kind) noexcept;

/// In what precision a model that offers both computes gradients. Values, by which proposals are accepted, are always in double.
enum class GradientPrecision : std::uint8_t {
  full,  ///< all in double
  mixed,  ///< implicit solves begin in single precision and end in double: the roots are those of the gradients in double
  single  ///< they only steer: for integrators that are exact with any deterministic field (accepts_any_field)
};
[[nodiscard]] std::string_view name(GradientPrecision precision) noexcept;

}  // namespace darboux

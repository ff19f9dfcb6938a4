#pragma once

// What can be chosen about the integration of trajectories: which integrator, and in what precision gradients are.

#include <cstdint>

#include "darboux/core/enumeration.hpp"

namespace darboux {

enum class IntegratorKind { leapfrog, magnetic_leapfrog, midpoint, split_midpoint, explicit_copies, doubled };
template <>
inline constexpr auto names_of<IntegratorKind> =
    std::to_array<Named<IntegratorKind>>({{IntegratorKind::leapfrog, "leapfrog"},
                                          {IntegratorKind::magnetic_leapfrog, "magnetic-leapfrog"},
                                          {IntegratorKind::midpoint, "midpoint"},
                                          {IntegratorKind::split_midpoint, "split-midpoint"},
                                          {IntegratorKind::explicit_copies, "explicit"},
                                          {IntegratorKind::doubled, "doubled"}});

/// In what precision a model that offers both computes gradients. Values, by which proposals are accepted, are always in double.
enum class GradientPrecision : std::uint8_t {
  full,  ///< all in double
  mixed,  ///< implicit solves begin in single precision and end in double: the roots are those of the gradients in double
  single  ///< they only steer: for integrators that are exact with any deterministic field (accepts_any_field)
};
template <>
inline constexpr auto names_of<GradientPrecision> = std::to_array<Named<GradientPrecision>>(
    {{GradientPrecision::full, "full"}, {GradientPrecision::mixed, "mixed"}, {GradientPrecision::single, "single"}});

}  // namespace darboux

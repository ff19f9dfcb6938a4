#pragma once

#include <cstddef>
#include <cstdint>

#include "core/dispatch.hpp"

namespace darboux {

/// Standard normal numbers of pairs of uniform ones, u of a radius and v of an angle, by the transform of Box and Muller:
///     √(−2 log u) cos 2πv   and   √(−2 log u) sin 2πv.
/// The uniform numbers are those of RandomStream, made of the random bits that are given.
struct NormalsTask {
  const std::uint64_t *of_radius, *of_angle;
  double *cosines, *sines;
  std::size_t pairs;  // a multiple of `normals_together`
};
inline constexpr std::size_t normals_together = 8;

/// What becomes of a pair does not depend on its place.
DARBOUX_DECLARE_KERNEL(void normals(const NormalsTask& task);)

}  // namespace darboux

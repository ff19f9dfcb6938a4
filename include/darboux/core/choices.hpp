#pragma once

// What can be chosen about sampling, by name: integrator, precision, preconditioner, coordinates, motion, trajectories, directions.

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

/// The shape of the preconditioner that warm-up finds.
enum class Metric { identity, diagonal, low_rank, dense };
template <>
inline constexpr auto names_of<Metric> = std::to_array<Named<Metric>>({{Metric::identity, "identity"},
                                                                       {Metric::diagonal, "diagonal"},
                                                                       {Metric::low_rank, "low-rank"},
                                                                       {Metric::dense, "dense"}});

/// How long trajectories are.
enum class TrajectoryKind {
  jittered,  ///< of a given length, on average
  chees,     ///< as warm-up finds best
  nuts       ///< each until it turns back
};
template <>
inline constexpr auto names_of<TrajectoryKind> = std::to_array<Named<TrajectoryKind>>(
    {{TrajectoryKind::jittered, "jittered"}, {TrajectoryKind::chees, "chees"}, {TrajectoryKind::nuts, "nuts"}});
template <>
inline constexpr auto former_names_of<TrajectoryKind> =
    std::to_array<Named<TrajectoryKind>>({{TrajectoryKind::jittered, "static"}});

/// What carries proposals through phase space.
enum class MotionKind {
  hamiltonian,    ///< positions and momenta, with energy U(q) + ½ pᵀp
  microcanonical  ///< positions and directions of unit length, which the gradient turns: the faster, the lower U
};
template <>
inline constexpr auto names_of<MotionKind> = std::to_array<Named<MotionKind>>(
    {{MotionKind::hamiltonian, "hamiltonian"}, {MotionKind::microcanonical, "microcanonical"}});

/// How coordinates are bent, one by one, after they were scaled and turned by the preconditioner.
enum class MarginalMap { none, sinh_arcsinh };
template <>
inline constexpr auto names_of<MarginalMap> =
    std::to_array<Named<MarginalMap>>({{MarginalMap::none, "none"}, {MarginalMap::sinh_arcsinh, "sinh-arcsinh"}});

/// What happens to a chain's direction in time.
enum class DirectionMode {
  persistent,  ///< kept while proposals are accepted, turned round on rejection: a lifted, non-reversible chain
  random,      ///< drawn anew, fairly, before every transition
  alternating  ///< turned round on acceptance, kept on rejection: reversible, and for comparison only, as it goes to and fro
};
template <>
inline constexpr auto names_of<DirectionMode> =
    std::to_array<Named<DirectionMode>>({{DirectionMode::persistent, "persistent"},
                                         {DirectionMode::random, "random"},
                                         {DirectionMode::alternating, "alternating"}});

}  // namespace darboux

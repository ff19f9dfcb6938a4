#pragma once

// What can be chosen about sampling itself: preconditioner, lengths of trajectories, directions.

#include "darboux/core/enumeration.hpp"

namespace darboux {

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

/// What happens to a chain's direction in time.
enum class DirectionMode {
  persistent,  ///< kept while proposals are accepted, turned round on rejection: a lifted, non-reversible chain
  random       ///< drawn anew, fairly, before every transition
};
template <>
inline constexpr auto names_of<DirectionMode> =
    std::to_array<Named<DirectionMode>>({{DirectionMode::persistent, "persistent"}, {DirectionMode::random, "random"}});

}  // namespace darboux

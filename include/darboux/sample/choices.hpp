#pragma once

// What can be chosen about sampling itself: preconditioner, lengths of trajectories, directions.

#include <string_view>

namespace darboux {

/// The shape of the preconditioner that warm-up finds.
enum class Metric { identity, diagonal, low_rank, dense };
[[nodiscard]] std::string_view name(Metric metric) noexcept;

/// How long trajectories are.
enum class TrajectoryKind {
  jittered,  ///< of a given length, on average
  chees,     ///< as warm-up finds best
  nuts       ///< each until it turns back
};
[[nodiscard]] std::string_view name(TrajectoryKind kind) noexcept;

/// What happens to a chain's direction in time.
enum class DirectionMode {
  persistent,  ///< kept while proposals are accepted, turned round on rejection: a lifted, non-reversible chain
  random       ///< drawn anew, fairly, before every transition
};
[[nodiscard]] std::string_view name(DirectionMode mode) noexcept;

}  // namespace darboux

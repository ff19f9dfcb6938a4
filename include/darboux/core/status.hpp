#pragma once

// What may become of a chain in a transition.

#include <cstdint>

#include "darboux/core/enumeration.hpp"

namespace darboux {

/// What became of a lane. Anything but `ok` makes the transition a rejected, counted one; it never stops the run.
enum class Status : std::uint8_t {
  ok,
  diverged,        ///< a gradient, an energy or a state stopped being finite, or the energy error is absurd
  not_converged,   ///< an implicit solve reached its iteration limit
  not_reversible,  ///< solving back from the end of a step did not lead to its start
  model_error      ///< the model refused the point (outside its support, a failed inner solve, …)
};

template <>
inline constexpr auto names_of<Status> = std::to_array<Named<Status>>({{Status::ok, "ok"},
                                                                       {Status::diverged, "diverged"},
                                                                       {Status::not_converged, "not_converged"},
                                                                       {Status::not_reversible, "not_reversible"},
                                                                       {Status::model_error, "model_error"}});

}  // namespace darboux

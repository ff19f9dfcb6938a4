#pragma once

#include <cstdint>
#include <string_view>

namespace darboux {

/// What became of a lane. Anything but `ok` makes the transition a rejected, counted one; it never stops the run.
enum class Status : std::uint8_t {
  ok,
  diverged,        ///< a gradient, an energy or a state stopped being finite, or the energy error is absurd
  not_converged,   ///< an implicit solve reached its iteration limit
  not_reversible,  ///< solving back from the end of a step did not lead to its start
  model_error      ///< the model refused the point (outside its support, a failed inner solve, …)
};

/// The name as it appears in files and messages, e.g. "not_converged".
[[nodiscard]] std::string_view name(Status status) noexcept;

}  // namespace darboux

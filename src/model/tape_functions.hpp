#pragma once

#include "model/tape_kernel.hpp"

namespace darboux {

/// `count` nodes from `first` on, with the function that they call if the kernel has none of its own. Values and slopes of
/// called functions are those of Dual numbers.
[[nodiscard]] TapeRun run_of(Operation operation, std::uint32_t first, std::uint32_t count, std::uint32_t first_slope);

/// The value of a function at a plain number, or at two.
[[nodiscard]] double value_at(Operation operation, double x);
[[nodiscard]] double value_at(Operation operation, double x, double y);

}  // namespace darboux

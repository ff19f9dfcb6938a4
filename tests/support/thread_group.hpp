#pragma once

#include <functional>

#include "cluster/group.hpp"

namespace darboux::testing {

/// Runs task(group) in `size` threads that are a group, as processes would be. What one throws, of the lowest rank, passes through
/// when all have ended; the others' calls throw from then on, as they would never end.
void in_group(int size, const std::function<void(Group&)>& task);

}  // namespace darboux::testing

#pragma once

#include <functional>

#include "cluster/group.hpp"

namespace darboux {

/// Does something on every process of a group, and what goes wrong on one goes wrong on all: throws, everywhere, what the lowest of the
/// ranks threw where it could not do its part, with its rank. InputError stays InputError.
void together(Group& group, const std::function<void()>& action);

}  // namespace darboux

#pragma once

#include <functional>

#include "cluster/group.hpp"

namespace darboux {

/// Does the same on every process, which may go well on some of them only: then all throw, InputError where that is what was thrown,
/// and the message says on which process it was, unless it is the same everywhere. Actions make no calls to the group.
void on_all(Group& group, const std::function<void()>& action);

/// Throws InputError where a process has another value of something than the first one: "data = a.csv: …".
void require_same(Group& group, const std::string& what, const std::string& mine);

}  // namespace darboux

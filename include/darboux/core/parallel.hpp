#pragma once

#include <functional>

#include "darboux/core/batch.hpp"

namespace darboux {

/// Calls task(0), …, task(count − 1), on up to `threads` threads; each index exactly once, in no particular order. Returns when
/// all are done. If tasks throw, the others still finish, and the exception of the smallest index is thrown again: what is
/// reported does not depend on the number of threads.
void parallel_for(int threads, Index count, const std::function<void(Index)>& task);

}  // namespace darboux

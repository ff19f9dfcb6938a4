#pragma once

#include <functional>
#include <optional>

#include "model/sharded_logistic.hpp"

namespace darboux::cli {

/// Of the processes that a launcher started, of which each has some of the rows: the first one does something, with so many threads of its
/// own, and the others their part of its sums until it is done. `threads` are those that somebody asked for. Returns the exit status.
int lead_or_follow(std::optional<int> threads, const std::function<int(const Lead& lead, int threads)>& task);

}  // namespace darboux::cli

#pragma once

#include <exception>
#include <functional>

#include "cluster/group.hpp"

namespace darboux::cli {

/// A launcher of parallel programs starts as many processes as it is told. Of a command that does not know of the others, each would
/// do all the work and write over what the others write: throws InputError, which says what to do instead. Only the first process
/// speaks; the others wait a little, so that the launcher does not end it before, and leave.
void refuse_copies();

/// The processes that a launcher started together with this one, or this one by itself. Throws as above where the program was built
/// without MPI.
[[nodiscard]] Group& started_group();
/// Draws a part of a run, which knows nothing of others that a launcher may have started with it. Where a folder is taken, copies of one
/// part may be what it started: what is thrown says how to start parts.
int as_part(const std::function<int()>& draw);
/// Before this process ends, for whatever reason: waits for those it works with.
void leave_started_group() noexcept;

/// Whether this process tells of what ends it: of those that a launcher started one is enough. Where they do not work together yet, the
/// others tell it a little later, unless the launcher has ended them by then, because each met the same.
[[nodiscard]] bool is_to_tell(const std::exception& trouble);

}  // namespace darboux::cli

#pragma once

#include "cluster/group.hpp"

namespace darboux::cli {

/// A launcher of parallel programs starts as many processes as it is told. Of a command that does not know of the others, each would
/// do all the work and write over what the others write: throws InputError, which says what to do instead. Only the first process
/// speaks; the others wait a little, so that the launcher does not end it before, and leave.
void refuse_copies();

/// The processes that a launcher started together with this one, or this one by itself. Throws as above where the program was built
/// without MPI.
[[nodiscard]] Group& started_group();

}  // namespace darboux::cli

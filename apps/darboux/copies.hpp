#pragma once

namespace darboux::cli {

/// A launcher of parallel programs starts as many processes as it is told. Of a program that does not know of the others, each would
/// do all the work and write over what the others write: throws InputError, which says what to do instead. Only the first process
/// speaks; the others wait a little, so that the launcher does not end it before, and leave.
void refuse_copies();

}  // namespace darboux::cli

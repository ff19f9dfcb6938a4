#pragma once

#include <darboux/stan/stan_model.hpp>

namespace darboux::cli {

/// Tells on standard error what is being compiled: on a terminal in one line that counts the seconds, elsewhere in a line when it
/// begins and one when it is done.
[[nodiscard]] CompilationWatch compilation_told();

}  // namespace darboux::cli

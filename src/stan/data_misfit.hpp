#pragma once

#include <string>
#include <string_view>

namespace darboux {

/// Why a program does not take its data, in terms of these data: from what Stan says, e.g.
///
///     mismatch in number dimensions declared and found in context; …; variable name=y; dims declared=(3); dims found=() (in …)
///
/// becomes: there is no "y", which the program declares; there are: N, Y (in …). What is not of a known form stays as Stan says it,
/// on one line. `data` is JSON, or empty.
[[nodiscard]] std::string misfit_in_words(std::string_view said, std::string_view data);

}  // namespace darboux

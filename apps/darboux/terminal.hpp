#pragma once

#include "report/text_table.hpp"

namespace darboux::cli {

/// How to write to standard output: as it is for files and pipes, to size and in colours for terminals.
[[nodiscard]] TableStyle style_of_output();

}  // namespace darboux::cli

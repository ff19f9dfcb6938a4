#pragma once

#include <string>

#include "run/run_config.hpp"

namespace darboux::cli {

/// The command that draws the same again, to another folder: all settings that differ from their defaults, quoted for a shell.
[[nodiscard]] std::string rerun_command(const RunConfig& config);

/// A word as a shell takes it: in quotes, where it needs them.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace darboux::cli

#pragma once

#include <functional>
#include <string>
#include <vector>

namespace darboux {

/// How a program ended, and what it printed.
struct ProgramEnd {
  int status = 0;      ///< 0 if all went well; 128 + the signal's number where one ended it, as shells have it
  std::string output;  ///< on standard output and standard error, as it came
};

/// Runs a program (looked for as a shell does, but without one: arguments are passed as they are) and waits for its end.
/// `waiting` is told a few times a second how many seconds have passed. Throws Error if it cannot be started.
[[nodiscard]] ProgramEnd run_program(const std::vector<std::string>& program_and_arguments,
                                     const std::function<void(double seconds)>& waiting = {});

}  // namespace darboux

#include "stan/step.hpp"

#include <chrono>

namespace darboux {

ProgramEnd watched(const std::vector<std::string>& program_and_arguments, const std::string& what,
                   const CompilationWatch& watch) {
  if (!watch) return run_program(program_and_arguments);
  watch({.what = what});
  const auto begin = std::chrono::steady_clock::now();
  ProgramEnd end =
      run_program(program_and_arguments, [&](double seconds) { watch({.what = what, .seconds = seconds}); });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  watch({.what = what, .seconds = taken.count(), .done = true});
  return end;
}

}  // namespace darboux

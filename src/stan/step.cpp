#include "stan/step.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "darboux/core/error.hpp"

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

ScratchFolder::ScratchFolder(const std::filesystem::path& beside) {
  std::error_code failure;
  std::filesystem::create_directories(beside, failure);
  std::string name = (beside / "unfinished-XXXXXX").string();
  if (failure || ::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("cannot make a folder in {}: {}", beside.string(),
                            failure ? failure.message() : std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace darboux

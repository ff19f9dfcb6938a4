#include "io/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "darboux/core/error.hpp"

namespace darboux {

ScratchFolder::ScratchFolder(const std::filesystem::path& in) {
  std::error_code failure;
  std::filesystem::create_directories(in, failure);
  std::string name = (in / "unfinished-XXXXXX").string();
  if (failure || ::mkdtemp(name.data()) == nullptr)
    throw Error(
        fmt::format("cannot make a folder in {}: {}", in.string(), failure ? failure.message() : std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace darboux

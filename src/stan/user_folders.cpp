#include "stan/user_folders.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "darboux/core/error.hpp"

namespace darboux {

namespace {

namespace fs = std::filesystem;

fs::path folder(const char* variable, const char* below_home) {
  if (const char* given = std::getenv(variable); given != nullptr && fs::path(given).is_absolute())
    return fs::path(given) / "darboux";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / below_home / "darboux";
  throw Error(fmt::format("neither {} nor HOME is set: there is no folder to keep compiled programs in", variable));
}

}  // namespace

fs::path user_cache_folder() { return folder("XDG_CACHE_HOME", ".cache"); }
fs::path user_data_folder() { return folder("XDG_DATA_HOME", ".local/share"); }

}  // namespace darboux

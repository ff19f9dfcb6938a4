#pragma once

#include <filesystem>

namespace darboux {

/// Where a user's things are kept, by the rules of XDG: what can be made again, and what was installed on request. Throws Error
/// where neither the variable of XDG nor HOME is set.
[[nodiscard]] std::filesystem::path user_cache_folder();
[[nodiscard]] std::filesystem::path user_data_folder();

}  // namespace darboux

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace darboux::cli {

/// A file or folder that is installed with the program. It lies where it was installed, or in the build tree; both look alike
/// from the program.
[[nodiscard]] std::filesystem::path installed(std::string_view name);
/// Likewise a library that only this program loads.
[[nodiscard]] std::filesystem::path installed_library(std::string_view name);

/// The page that reports are filled into: `file`, or where that is empty the installed one. Throws Error, saying how to get
/// it, where there is none.
[[nodiscard]] std::string report_page(const std::string& file);

}  // namespace darboux::cli

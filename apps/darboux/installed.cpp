#include "installed.hpp"

#include <fmt/format.h>

#include <darboux/core/error.hpp>

#include "io/file.hpp"

namespace darboux::cli {

namespace {

std::filesystem::path from_program(std::string_view folder, std::string_view name) {
  return (std::filesystem::canonical("/proc/self/exe").parent_path() / folder / name).lexically_normal();
}

}  // namespace

std::filesystem::path installed(std::string_view name) { return from_program(DARBOUX_SHARE_FROM_PROGRAM, name); }
std::filesystem::path installed_library(std::string_view name) {
  return from_program(DARBOUX_LIBRARIES_FROM_PROGRAM, name);
}

std::string report_page(const std::string& file) {
  if (!file.empty()) return read_text(file);
  const std::filesystem::path page = installed("report.html");
  if (std::filesystem::exists(page)) return read_text(page);
  throw Error(fmt::format(
      "the page for reports is missing: {}. It is made with Node.js (18 or later) and npm, and this darboux was built "
      "where they, or npm's registry, could not be reached. Install nodejs and npm, build again, and try once more; "
      "darboux summary shows the numbers without it, and --json - the contents of the report",
      page.string()));
}

}  // namespace darboux::cli

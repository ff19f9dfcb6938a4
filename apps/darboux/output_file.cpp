#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <darboux/core/error.hpp>
#include <filesystem>

#include "io/file.hpp"

namespace darboux::cli {

namespace fs = std::filesystem;

namespace {

void require_folder(std::string_view flag, const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{} {}: there is no folder {}; make it first, or choose another name", flag,
                                 file.string(), folder.string()));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(fmt::format("{} {}: the folder {} cannot be written to: {}", flag, file.string(), folder.string(),
                                 std::strerror(errno)));
}

}  // namespace

void require_writable(std::string_view flag, const std::string& file, std::string_view kind,
                      std::string_view beginning) {
  if (file.empty() || file == "-") return;
  require_folder(flag, file);
  if (!fs::exists(file)) return;
  if (!fs::is_regular_file(file))
    throw InputError(fmt::format("{} {}: this is no file; choose another name, or - for standard output", flag, file));
  if (!read_text(file).starts_with(beginning))
    throw InputError(
        fmt::format("{} {}: the file exists and is no {}; choose another name, or remove it first", flag, file, kind));
}

void require_new(std::string_view flag, const std::string& file) {
  if (file.empty() || file == "-") return;
  require_folder(flag, file);
  if (fs::exists(file))
    throw InputError(fmt::format("{} {}: the file exists; choose another name, or remove it first", flag, file));
}

void write_output(const std::string& file, const std::string& text) {
  if (file == "-")
    fmt::print("{}", text);
  else if (!file.empty())
    write_text(file, text);
}

}  // namespace darboux::cli

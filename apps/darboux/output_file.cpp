#include "output_file.hpp"

#include <fmt/format.h>

#include <darboux/core/error.hpp>
#include <darboux/io/file.hpp>
#include <filesystem>

namespace darboux::cli {

namespace fs = std::filesystem;

void require_writable(std::string_view flag, const std::string& file, std::string_view kind,
                      std::string_view beginning) {
  if (file.empty() || file == "-" || !fs::exists(file)) return;
  if (!fs::is_regular_file(file))
    throw InputError(fmt::format("{} {}: this is no file; choose another name, or - for standard output", flag, file));
  if (!read_text(file).starts_with(beginning))
    throw InputError(
        fmt::format("{} {}: the file exists and is no {}; choose another name, or remove it first", flag, file, kind));
}

void write_output(const std::string& file, const std::string& text) {
  if (file == "-")
    fmt::print("{}", text);
  else if (!file.empty())
    write_text(file, text);
}

}  // namespace darboux::cli

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace darboux {

/// The whole file. Throws InputError naming the file and the reason.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

/// Writes the file completely or not at all: into a temporary neighbour, flushed to disk, then renamed over the target.
/// Throws Error naming the file and the reason; a previous file is then still whole. A link is followed; what is neither a
/// file nor a link to one (a directory, a device) is refused.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace darboux

#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace darboux {

/// What an exception says; of one of std::filesystem the file and the reason, as our own have them.
[[nodiscard]] std::string in_words(const std::exception& thrown);

/// Whether a name from elsewhere is that of something below a folder: no absolute path, none that leads up and out.
[[nodiscard]] bool stays_below(const std::filesystem::path& name);

/// The whole file. Throws InputError naming the file and the reason.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

/// Writes the file completely or not at all: into a temporary neighbour, flushed to disk, then renamed over the target.
/// Throws Error naming the file and the reason; a previous file is then still whole. A link is followed; what is neither a
/// file nor a link to one (a directory, a device) is refused.
void write_text(const std::filesystem::path& file, std::string_view text);

/// The same of a file that begins with another text now, and goes on with as many bytes of the one that there was, from a place in it on.
void replace_beginning(const std::filesystem::path& file, std::string_view text, std::int64_t from, std::int64_t size);

/// The same, by way of a temporary file in another folder of the same file system, and without waiting for the disk: after a
/// power cut the file may be the previous one, or damaged. For many small files whose folders others list meanwhile.
void replace_file(const std::filesystem::path& file, std::string_view bytes, const std::filesystem::path& by_way_of);

/// Waits until what was written to these files is on the disk, and survives a power cut. Of what is no file (a pipe, a device)
/// there is nothing to wait for. Throws Error naming the file and the reason.
void flush_to_disk(std::span<const std::filesystem::path> files);

/// The same of all that was written to the file system that a folder is in, names included: for more files than one could wait for one
/// by one.
void flush_file_system(const std::filesystem::path& folder);

}  // namespace darboux

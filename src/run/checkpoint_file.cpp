#include "run/checkpoint_file.hpp"

#include <fmt/format.h>

#include "core/archive.hpp"
#include "core/shown.hpp"
#include "darboux/core/error.hpp"
#include "io/checksum.hpp"
#include "io/file.hpp"

namespace darboux {

namespace {

/// Counts up with what states consist of, too: sample/resume_test.cpp tells.
constexpr std::string_view schema = "darboux-checkpoint/8";

std::string first_line(std::string_view bytes) {
  return fmt::format("{}, {} bytes, crc32 {:08x}\n", schema, bytes.size(), checksum(bytes));
}

}  // namespace

void write_checkpoint(Checkpoint& checkpoint, RunDirectory& directory) {
  const std::string bytes = bytes_of(checkpoint);
  const std::filesystem::path newest = directory.file(newest_checkpoint);
  if (std::filesystem::exists(newest)) std::filesystem::rename(newest, directory.file(earlier_checkpoint));
  write_text(newest, first_line(bytes) + bytes);
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  const auto refuse = [&](std::string_view why) { throw Error(fmt::format("{} {}", file.string(), why)); };
  const std::string text = read_text(file);
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) refuse("is damaged: its first line is missing");
  const std::string_view line = std::string_view(text).substr(0, end + 1);
  const std::string_view bytes = std::string_view(text).substr(end + 1);
  const std::string_view named = line.substr(0, line.find(','));
  if (named != schema) refuse(fmt::format("has the schema {}, and this darboux reads {}", shown(named), schema));
  if (line != first_line(bytes)) refuse("is damaged: its checksum is wrong");
  Checkpoint checkpoint;
  try {
    read_bytes(bytes, checkpoint);
  } catch (const Error& e) {
    refuse(fmt::format("is damaged: {}", e.what()));
  }
  return checkpoint;
}

}  // namespace darboux

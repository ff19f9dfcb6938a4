#include "io/checksum.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "io/file.hpp"

namespace darboux {

std::uint32_t checksum(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // zlib would take it for a beginning
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string checksum_of_file(const std::filesystem::path& file) {
  return fmt::format("crc32 {:08x}", checksum(read_text(file)));
}

}  // namespace darboux

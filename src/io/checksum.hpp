#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace darboux {

/// CRC-32 of bytes that come after others with the checksum `before`.
[[nodiscard]] std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0);
/// Of a whole file, as it is written in manifests: "crc32 0a1b2c3d". Throws InputError where it cannot be read.
[[nodiscard]] std::string checksum_of_file(const std::filesystem::path& file);

}  // namespace darboux

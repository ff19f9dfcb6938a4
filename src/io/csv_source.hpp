#pragma once

#include <cstdint>
#include <filesystem>

#include "csv_records.hpp"

namespace darboux {

/// The bytes of a file; of a gzipped one, what it unpacks to. Throws InputError naming the file and the reason.
[[nodiscard]] TextSource file_source(const std::filesystem::path& file);

/// Whether it is gzipped.
[[nodiscard]] bool is_gzipped(const std::filesystem::path& file);

/// Whole lines of a file that is not: those that begin in [first, end).
[[nodiscard]] TextSource range_source(const std::filesystem::path& file, std::int64_t first, std::int64_t end);

}  // namespace darboux

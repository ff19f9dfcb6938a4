#pragma once

#include <filesystem>

#include "csv_records.hpp"

namespace darboux {

/// The bytes of a file; of a gzipped one, what it unpacks to. Throws InputError naming the file and the reason.
[[nodiscard]] TextSource file_source(const std::filesystem::path& file);

}  // namespace darboux

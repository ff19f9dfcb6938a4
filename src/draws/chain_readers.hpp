#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"

namespace darboux {

/// A chain's draws and, where they are known, what else is known about them, row by row.
struct ChainReaders {
  StanCsvReader draws;
  std::optional<StanCsvReader> statistics;
};

/// Whether a path is a Zarr store.
[[nodiscard]] bool is_zarr(const std::filesystem::path& path);
/// All chains of a store that ZarrSink wrote, as their Stan CSV files would look.
[[nodiscard]] std::vector<ChainReaders> open_zarr(const std::filesystem::path& store);
/// A chain of a run, in whatever format.
[[nodiscard]] ChainReaders open_chain(const std::filesystem::path& folder, const DrawFile& file);

/// The rows of a chain that can be read, whatever the manifest says: of a process that was killed it does not know.
struct ReadableRows {
  std::int64_t warmup = 0, sampling = 0;
  std::string trouble{};  ///< why there are no more, where that is so
};
[[nodiscard]] ReadableRows count_readable_rows(const std::filesystem::path& folder, const DrawFile& file);

}  // namespace darboux

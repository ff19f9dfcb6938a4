#pragma once

#include <filesystem>
#include <optional>
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

}  // namespace darboux

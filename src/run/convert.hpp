#pragma once

#include <filesystem>
#include <optional>

#include "darboux/sample/tuning.hpp"
#include "report/run_summary.hpp"

namespace darboux {

/// The draws of a run as a Zarr store that did not exist before, as ZarrSink writes it; columns theta.1, theta.2 are an array theta.
void convert_to_zarr(const RunInput& run, const std::filesystem::path& store);

/// The draws of a run as Stan CSV files in a folder that did not exist before, as StanCsvSink writes them. What warm-up found goes
/// into them where it is known.
void convert_to_csv(const RunInput& run, const std::optional<Tuning>& tuning, const std::filesystem::path& folder);

}  // namespace darboux

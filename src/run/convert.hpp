#pragma once

#include <filesystem>
#include <optional>

#include "darboux/sample/tuning.hpp"
#include "report/run_summary.hpp"
#include "run/run_content.hpp"

namespace darboux {

/// The columns of a file that are no statistics of the sampler.
[[nodiscard]] std::vector<std::string> quantities(const StanCsvReader& file);

// What is made did not exist before, and gets its name when it is whole: what a process that is killed leaves is called
// unfinished-….

/// The draws of a run as a Zarr store, as ZarrSink writes it, with what else is known of them; columns theta.1, theta.2 are an array
/// theta where no other name is known.
void convert_to_zarr(const RunInput& run, const std::filesystem::path& store, const RunContent& content = {});
/// A copy of a store, with all of its groups: of one that grows, what could be read when it began.
void copy_zarr(const std::filesystem::path& from, const std::filesystem::path& store);

/// The draws of a run as Stan CSV files in a folder, as StanCsvSink writes them. What warm-up found goes into them where it is known.
void convert_to_csv(const RunInput& run, const std::optional<Tuning>& tuning, const std::filesystem::path& folder);

}  // namespace darboux

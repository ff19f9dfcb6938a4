#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "draws/run_manifest.hpp"
#include "draws/stan_csv_writer.hpp"
#include "draws/zarr_sink.hpp"
#include "run/run_config.hpp"

/// What the files of a run say about it, beside its draws.
namespace darboux {

/// Where `decided` of a manifest keeps how many draws of each chain a run that is gone on with had.
inline constexpr const char* least_draws_key = "least_draws";
/// Where it keeps whether the run has left checkpoints: without them nobody can tell, later, a short run from one that has lost them.
inline constexpr const char* left_checkpoints_key = "left_checkpoints";
/// And where it keeps the folders that a run was merged of.
inline constexpr const char* merged_key = "merged_of";

/// What is known before the first draw.
[[nodiscard]] RunManifest begin_manifest(const RunPlan& plan, const std::string& started);
[[nodiscard]] StanCsvHeader csv_header(const RunPlan& plan, const std::string& started);
[[nodiscard]] ZarrContent zarr_content(const RunPlan& plan, const std::string& started);
/// The files that settings name, by setting: data, init, structure, tuning, and the model where it is one, with what it includes.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> input_files(const RunConfig& config);

/// A checksum of the seed and of all settings on which the state of the sampler depends: a checkpoint is good for no other run.
/// Neither what ends a run nor where results go is among them, which may be told anew.
[[nodiscard]] std::uint32_t identity_of(const RunManifest& manifest);

/// What the last bits of draws depend on beside seed and settings, where it is not the same in two manifests.
struct OtherBits {
  std::string_view what;  ///< "darboux", as in "with darboux 1.2"
  std::string one, other;
};
[[nodiscard]] std::vector<OtherBits> compare_bits(const RunManifest& one, const RunManifest& other);

/// How the run ended, what it cost, and what to know about it. Whether the target was reached counts where there is one.
void describe_result(const RunPlan& plan, const SampleResult& result, bool target_reached, RunManifest& manifest);
/// What warm-up found, where it got to its end.
void describe_tuning(const RunPlan& plan, const SampleResult& result, RunManifest& manifest);

}  // namespace darboux

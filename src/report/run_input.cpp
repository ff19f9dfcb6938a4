#include "report/run_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "darboux/core/error.hpp"
#include "draws/chain_readers.hpp"
#include "draws/run_directory.hpp"
#include "draws/run_manifest.hpp"
#include "draws/zarr_sink.hpp"
#include "report/run_differences.hpp"

namespace darboux {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view advice =
    "give the directory that darboux sample wrote (its --out), or Stan CSV files of draws";

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw InputError(fmt::format("{}: {}; {}", path.string(), why, advice));
}

/// Where a run keeps what else is known about the draws of a file.
std::optional<StanCsvReader> statistics_beside(const fs::path& draws) {
  const fs::path file = draws.parent_path() / "statistics" / draws.filename();
  return fs::exists(file) ? std::optional(StanCsvReader(file)) : std::nullopt;
}

void add_chain(RunInput& input, ChainReaders chain) {
  input.statistics.push_back(std::move(chain.statistics));
  input.draws.push_back(std::move(chain.draws));
}

void add_file(RunInput& input, StanCsvReader file) {
  std::optional<StanCsvReader> statistics = statistics_beside(file.path());
  add_chain(input, {.draws = std::move(file), .statistics = std::move(statistics)});
}

void add_manifest(RunInput& input, const RunManifest& manifest) {
  input.interrupted = input.interrupted || manifest.status != RunStatus::complete;
  if (manifest.status == RunStatus::failed) input.failure = manifest.message;
  const ValueTree* const integrator = manifest.decided.find("integrator");
  if (const auto* name = integrator == nullptr ? nullptr : std::get_if<std::string>(&integrator->value()))
    input.integrator = *name;
  for (const std::string& words : manifest.told)
    if (std::ranges::find(input.told, words) == input.told.end()) input.told.push_back(words);
}

std::optional<MixedRuns> mixed_runs(const fs::path& first, const RunManifest& of_first, const fs::path& second,
                                    const RunManifest& of_second) {
  const std::vector<RunDifference> found = differences(of_first, of_second);
  std::string settings = target_differences(found);
  if (settings.empty()) return std::nullopt;
  return MixedRuns{.first = first.string(),
                   .second = second.string(),
                   .kinds = different_targets(found),
                   .settings = std::move(settings)};
}

bool is_in_zarr_alone(const RunManifest& manifest) {
  return !manifest.files.empty() && manifest.files.front().file == zarr_name;
}

}  // namespace

RunInput open_runs(std::span<const fs::path> paths) {
  RunInput input;
  std::int64_t gradients = 0;
  bool all_counted = true;
  std::optional<std::pair<fs::path, RunManifest>> first;
  for (const fs::path& path : paths) {
    if (!fs::exists(path)) refuse(path, "there is no such file or directory");
    const bool is_run = fs::exists(path / manifest_name);
    if (is_run) {
      const RunManifest manifest = read_manifest(path / manifest_name);
      add_manifest(input, manifest);
      if (first && !input.mixed) input.mixed = mixed_runs(first->first, first->second, path, manifest);
      if (!first) first = {path, manifest};
      gradients += manifest.sampling.gradients;
      all_counted = all_counted && manifest.status == RunStatus::complete;
    }
    all_counted = all_counted && is_run;
    if (is_zarr(path)) {
      for (ChainReaders& chain : open_zarr(path)) add_chain(input, std::move(chain));
      continue;
    }
    if (!fs::is_directory(path)) {
      add_file(input, StanCsvReader(path));
      continue;
    }
    if (is_run && is_zarr(path / zarr_name) && is_in_zarr_alone(read_manifest(path / manifest_name))) {
      for (ChainReaders& chain : open_zarr(path / zarr_name)) add_chain(input, std::move(chain));
      continue;
    }
    std::vector<fs::path> files;
    try {
      files = find_draw_files(path);
    } catch (const InputError&) {
      if (is_run) throw;
      refuse(path, "there are no files of draws (*.csv) in this directory");
    }
    const std::size_t before = input.draws.size();
    for (const fs::path& file : files)
      if (StanCsvReader reader(file); is_run || looks_like_stan_csv(reader)) add_file(input, std::move(reader));
    if (input.draws.size() == before)
      refuse(path, "none of the .csv files in this directory is a Stan CSV file of draws");
  }
  if (all_counted && gradients > 0) input.gradients = gradients;
  return input;
}

}  // namespace darboux

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive.hpp"
#include "draws/run_directory.hpp"
#include "draws/zarr_rows.hpp"

namespace darboux {

/// What it takes to go on with a run: how far its files had got, and what the sampler knew then.
struct Checkpoint {
  Phase phase = Phase::warmup;
  int iterations = 0;  ///< of each chain in this phase
  std::vector<StanCsvMark> files;
  std::string state;             ///< of the sampler
  std::vector<ZarrMark> zarr{};  ///< of the Zarr store, where there is one
  std::uint32_t run = 0;         ///< which it is of: identity_of (run_record.hpp)

  template <class Archive>
  void archive(Archive& fields) {
    fields(run, phase, iterations, files, state, zarr);
    require_sense(iterations >= 0, "it is of less than no iterations");
  }
  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

/// A run keeps the two newest: a damaged one costs the time between them.
inline constexpr std::string_view newest_checkpoint = "checkpoint.bin";
inline constexpr std::string_view earlier_checkpoint = "checkpoint-before.bin";

/// Writes the newest one, whole or not at all; what was the newest becomes the earlier one. A line of text comes first, with
/// the schema, which counts up where the meaning of the bytes changes, their number and their checksum.
void write_checkpoint(Checkpoint& checkpoint, RunDirectory& directory);
/// Throws Error naming the file and what is wrong with it.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

}  // namespace darboux

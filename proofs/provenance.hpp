#pragma once

#include <cstdint>
#include <experiments/table.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "proof.hpp"

namespace darboux::proofs {

/// Where, when and of what a proof was made.
struct Provenance {
  std::string begun;  ///< when the first of its parts was computed; empty where only the last is known
  std::string date;   ///< and the last
  std::string machine, processor, compiler, version;
  std::string commit;   ///< that the program was built from; empty where nobody said
  std::string program;  ///< its checksum
  std::uint64_t seed = 1;
  double cpu_hours = 0.0;  ///< of all cells
};
[[nodiscard]] Provenance provenance_here(const Scale& scale);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);
[[nodiscard]] Provenance provenance_from_json(const nlohmann::ordered_json& json);

/// "crc32 0a1b2c3d" of the program that runs: all that draws is in it. Every cell has it among its settings, so that what another
/// build has drawn is not taken for this one's.
[[nodiscard]] const std::string& checksum_of_program();

/// The processor's model as the system tells it, or "unknown processor".
[[nodiscard]] std::string processor_model();

/// Of the calling thread, which computes a cell alone.
[[nodiscard]] double cpu_seconds();

}  // namespace darboux::proofs

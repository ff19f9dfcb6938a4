#pragma once

#include <experiments/table.hpp>
#include <string>

#include "proof.hpp"

namespace darboux::proofs {

/// Where and when a proof was made.
struct Provenance {
  std::string date, machine, compiler, version;
  std::uint64_t seed = 1;
  double cpu_hours = 0.0;
};
[[nodiscard]] Provenance provenance_here(const Scale& scale);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);
[[nodiscard]] Provenance provenance_from_json(const nlohmann::ordered_json& json);

/// What a proof found, each part empty where nothing was computed of it.
struct Findings {
  experiments::Tables exactness, traces, calibration;
  Provenance provenance;
};
/// docs/trust-exactness.md.
[[nodiscard]] std::string to_page(const Findings& findings);

/// Whether nothing speaks against a claim: no exact method, no trace and no calibration is rejected.
[[nodiscard]] bool holds(const Findings& findings);

}  // namespace darboux::proofs

#pragma once

#include <experiments/table.hpp>
#include <string>
#include <utility>

#include "provenance.hpp"

namespace darboux::proofs {

/// What a proof found, each part empty where nothing was computed of it.
struct Findings {
  experiments::Tables exactness, traces, calibration;
  Provenance provenance;
};
/// docs/trust-exactness.md.
[[nodiscard]] std::string to_page(const Findings& findings);

/// The law that exact methods have made the fewest draws of, and how many.
[[nodiscard]] std::pair<std::string, double> fewest_draws(const experiments::Tables& exactness);

/// Whether nothing speaks against a claim: no exact method, no trace and no calibration is rejected.
[[nodiscard]] bool holds(const Findings& findings);

}  // namespace darboux::proofs

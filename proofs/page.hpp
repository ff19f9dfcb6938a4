#pragma once

#include <string>

#include "findings.hpp"

namespace darboux::proofs {

/// docs/trust-exactness.md.
[[nodiscard]] std::string to_page(const Findings& findings);

}  // namespace darboux::proofs

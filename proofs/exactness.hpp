#pragma once

#include <experiments/cell.hpp>
#include <span>

#include "proof.hpp"

namespace darboux::proofs {

/// Every family of methods on every known law, in rounds: a round adds draws to all of them.
[[nodiscard]] std::vector<experiments::Cell> exactness_cells(const Scale& scale);

/// What is there of these cells, in four tables:
///   families   of a law: draws, rejected proposals, and the worst of its tests;
///   pooled     of a law and an integrator, over rules, refreshments and directions: the worst of its tests;
///   laws       of a law and a quantity, over all that is exact: its z;
///   rejected   the tests that Holm's correction rejects.
[[nodiscard]] experiments::Tables reduce_exactness(const Scale& scale, const std::filesystem::path& folder);

}  // namespace darboux::proofs

#pragma once

#include <experiments/cell.hpp>

#include "proof.hpp"

namespace darboux::proofs {

/// Short runs whose chains begin with exact draws of the law, with all that a run does: what warm-up adapts, how a run ends, how it
/// is gone on with. If that leaves no trace, draws after warm-up have the law, too.
[[nodiscard]] std::vector<experiments::Cell> trace_cells(const Scale& scale);

/// What is there of these cells, in two tables:
///   traces   of a law, a way to run and a draw (the first after warm-up, the last, the mean of all): runs, and the worst of its tests;
///   rejected the tests that Holm's correction rejects.
[[nodiscard]] experiments::Tables reduce_traces(const Scale& scale, const std::filesystem::path& folder);

}  // namespace darboux::proofs

#pragma once

#include <optional>

#include "report/run_summary.hpp"

/// One rule per concern: a warning, or none.
namespace darboux {

// About the files and how they were made: file_warnings.cpp.
[[nodiscard]] std::optional<Warning> about_method(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_interruption(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_lengths(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_copies(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_seeds(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_models(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_chain_count(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_integrator(const RunSummary& run);

// About what the draws look like: draw_warnings.cpp.
[[nodiscard]] std::optional<Warning> about_standing_chains(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_not_finite(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_divergences(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_rhat(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_ess(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_energy(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_tree_depth(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_failed_proposals(const RunSummary& run);
[[nodiscard]] std::optional<Warning> about_constants(const RunSummary& run);

}  // namespace darboux

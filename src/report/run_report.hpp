#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "draws/observation_file.hpp"
#include "draws/run_manifest.hpp"
#include "report/report.hpp"
#include "report/run_summary.hpp"
#include "structure/structure_facts.hpp"

namespace darboux {

// Each {} lets designated initialisers leave the member out without a warning.
// NOLINTBEGIN(readability-redundant-member-init)

/// A run and what is known about it beside its draws; all but the first three may be missing.
struct ReportedRun {
  std::string name;  ///< how the reader calls it: its folder
  RunInput input;
  RunSummary summary;  ///< of the same input
  std::optional<RunManifest> manifest{};
  std::optional<StructureFacts> structure{};         ///< of the phase space
  std::string rerun{};                               ///< the command that draws the same again
  std::optional<ObservationSummary> observations{};  ///< that the model was fitted to
  /// What the reading for the summary left of the draws; where there is none, the files are read again.
  std::shared_ptr<const RunColumns> columns{};
};

// NOLINTEND(readability-redundant-member-init)

struct ReportOptions {
  std::size_t memory = default_memory;  ///< bytes for draws
};

/// First what was sampled, whether it worked, the table, and the figure that matters most; then the details. Its size does not
/// grow with the number of draws: those are thinned and binned.
[[nodiscard]] Report run_report(const ReportedRun& run, const ReportOptions& options = {});

/// Whether two runs agree, and what they cost; then the details of both.
[[nodiscard]] Report comparison_report(const ReportedRun& first, const ReportedRun& second,
                                       const ReportOptions& options = {});

}  // namespace darboux

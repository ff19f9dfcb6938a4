#pragma once

#include "report/run_view.hpp"

/// The sections of a report on one run.
namespace darboux {

/// Verdict, table, and the figure that matters most.
[[nodiscard]] std::vector<ReportSection> first_sections(const ReportedRun& run, const RunView& view);
/// All else; figures that are among the first sections are left out.
[[nodiscard]] std::vector<ReportSection> detail_sections(const ReportedRun& run, const RunView& view,
                                                         const std::vector<ReportSection>& first);

// first_sections.cpp
[[nodiscard]] std::vector<std::string> run_facts(const ReportedRun& run);
[[nodiscard]] std::string model_of(const ReportedRun& run);

// run_tables.cpp
[[nodiscard]] ReportTable summary_table(const RunSummary& summary);
[[nodiscard]] ReportTable chain_table(const RunSummary& summary);
[[nodiscard]] ReportTable transition_table(const RunView& view, const RunSummary& summary);
/// Settings as names and values, from the manifest or else from the comments of the first file.
[[nodiscard]] ReportTable configuration_table(const ReportedRun& run);

/// What the manifest, or else the first file, says about a setting; empty if nothing.
[[nodiscard]] std::string setting_of(const ReportedRun& run, std::string_view key);

}  // namespace darboux

#pragma once

#include <experiments/table.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "provenance.hpp"

namespace darboux::proofs {

/// What a proof found, each part empty where nothing was computed of it.
struct Findings {
  experiments::Tables exactness, traces, calibration;
  Provenance provenance{};
};
/// A folder with a file for each part. Nothing where there is no such folder.
[[nodiscard]] Findings read_findings(const std::filesystem::path& folder);
void write_findings(const Findings& findings, const std::filesystem::path& folder);

/// How much is there of one part, and of how many.
struct Amount {
  std::string each, what;              ///< of every law: draws of exact methods
  double promised = 0.0, least = 0.0;  ///< least: what the poorest of them has
  std::string poorest{};
  std::size_t rows = 0;
  std::vector<std::string> absent{};  ///< rows that this program makes, and that are not there
};
[[nodiscard]] Amount amount_of_exactness(const experiments::Tables& exactness);
[[nodiscard]] Amount amount_of_traces(const experiments::Tables& traces);
[[nodiscard]] Amount amount_of_calibration(const experiments::Tables& calibration);

/// What would be there no more, or less of, if these findings took the place of those that are kept.
[[nodiscard]] std::vector<std::string> losses(const Findings& kept, const Findings& fresh);

/// Whether nothing speaks against a claim: no exact method, no trace and no calibration is rejected.
[[nodiscard]] bool holds(const Findings& findings);
/// Rejected tests of exact methods.
[[nodiscard]] std::size_t rejected_exact(const experiments::Tables& exactness);

/// The table of this name, or one without rows.
[[nodiscard]] const experiments::Table& table(const experiments::Tables& tables, const char* name);
/// A number of draws, runs or replications, for people.
[[nodiscard]] std::string count(double x);

}  // namespace darboux::proofs

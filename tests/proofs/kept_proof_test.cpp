#include <gtest/gtest.h>

#include <filesystem>
#include <proofs/page.hpp>

#include "io/file.hpp"

namespace darboux::proofs {
namespace {

const std::filesystem::path docs = std::filesystem::path(DARBOUX_SOURCE_FOLDER) / "docs";

Findings kept() {
  const auto tables = [](const char* name) {
    return experiments::tables_from_json(nlohmann::ordered_json::parse(read_text(docs / "proofs" / name)));
  };
  return {.exactness = tables("exactness.json"),
          .traces = tables("warm-up.json"),
          .calibration = tables("calibration.json"),
          .provenance =
              provenance_from_json(nlohmann::ordered_json::parse(read_text(docs / "proofs" / "provenance.json")))};
}

TEST(KeptProofs, PageFollowsFromTheTables) {
  EXPECT_EQ(to_page(kept()), read_text(docs / "trust-exactness.md")) << "make it again: ./dev prove --keep";
}

TEST(KeptProofs, SayThatExactMethodsAreExactAndThatABiasIsSeen) {
  const Findings findings = kept();
  EXPECT_TRUE(holds(findings));
  double draws = 0.0;
  for (const double each : experiments::numbers(findings.exactness.at("families"), "draws")) draws += each;
  EXPECT_GE(draws, 1e7);
  const std::vector<double> exact = experiments::numbers(findings.exactness.at("rejected"), "exact");
  EXPECT_GT(exact.size(), 100U);  // those of approximate methods
}

}  // namespace
}  // namespace darboux::proofs

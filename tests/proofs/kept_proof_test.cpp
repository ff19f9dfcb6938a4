#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <proofs/known_law.hpp>
#include <proofs/page.hpp>

#include "io/file.hpp"

namespace darboux::proofs {
namespace {

const std::filesystem::path docs = std::filesystem::path(DARBOUX_SOURCE_FOLDER) / "docs";

Findings kept() { return read_findings(docs / "proofs"); }

TEST(KeptProofs, PageFollowsFromTheTables) {
  EXPECT_EQ(to_page(kept()), read_text(docs / "trust-exactness.md")) << "write it anew: ./dev prove --page";
}

TEST(KeptProofs, SayThatExactMethodsAreExactAndThatABiasIsSeen) {
  const Findings findings = kept();
  EXPECT_TRUE(holds(findings));
  const std::vector<double> exact = experiments::numbers(findings.exactness.at("rejected"), "exact");
  EXPECT_GT(exact.size(), 100U);  // those of approximate methods
}

/// The page may say that it is short of what is promised, and of what; it may not say that it is not.
TEST(KeptProofs, HaveTheDrawsOfEveryLawThatThePageTells) {
  const experiments::Table families = kept().exactness.at("families");
  std::map<std::string, double> draws;
  for (const KnownLaw& law : known_laws())
    for (const double each : experiments::numbers_where(families, "draws", {{"law", law.name}, {"exact", 1}}))
      draws[law.name] += each;
  EXPECT_EQ(draws.size(), known_laws().size());
  const auto fewest = std::ranges::min_element(draws, {}, [](const auto& of) { return of.second; });
  const bool are_all_there =
      read_text(docs / "trust-exactness.md")
          .find("Every law has 10.00 million draws of exact methods or more, as promised.") != std::string::npos;
  EXPECT_EQ(are_all_there, fewest->second >= 1e7) << fewest->first << " has " << fewest->second << " draws";
}

/// What the program has and the tables have not is a line of the page.
TEST(KeptProofs, AreOfAllThatTheProgramMakesButForWhatThePageNames) {
  const Findings findings = kept();
  const std::string page = read_text(docs / "trust-exactness.md");
  for (const Amount& of : {amount_of_exactness(findings.exactness), amount_of_traces(findings.traces),
                           amount_of_calibration(findings.calibration)}) {
    EXPECT_GT(of.rows, 0U) << of.what;
    for (const std::string& row : of.absent) EXPECT_NE(page.find("\n- " + row + "\n"), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace darboux::proofs

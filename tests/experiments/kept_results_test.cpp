#include <fmt/format.h>
#include <gtest/gtest.h>

#include <experiments/experiment.hpp>
#include <experiments/output.hpp>

#include "io/file.hpp"
#include "run/structure_choice.hpp"

namespace darboux::experiments {
namespace {

const std::filesystem::path source = DARBOUX_SOURCE_FOLDER;

/// What docs/reproduction.md says is what the tables beside it say, by the rules that are in force now.
TEST(KeptResults, PageFollowsFromTheTables) {
  const Scale scale{.data = source / "data"};
  std::vector<Result> results;
  for (const std::string_view name : experiment_names()) {
    const Experiment experiment = make_experiment(name, scale);
    Tables tables = read_tables(source / "docs/results" / (experiment.name + ".json"));
    Findings findings = experiment.reduce(tables);
    results.push_back({experiment.name, experiment.title, std::move(tables), std::move(findings)});
  }
  const Report report =
      reproduction_report(results, {.quick = false, .runs = 10, .seed = 1, .command = "darboux reproduce all"});
  EXPECT_EQ(to_markdown(report, "results/figures"), read_text(source / "docs/reproduction.md"))
      << "make it again: darboux reproduce all --out DIR && scripts/keep_results DIR";
}

/// --structure auto decides by these numbers, and says them.
TEST(KeptResults, TheChoiceOfAStructureRestsOnThem) {
  const StructureEvidence evidence;
  const std::string page = read_text(source / "docs/reproduction.md");
  EXPECT_NE(page.find(fmt::format("### A constant structure pays in {} of {} cases; of {} targets", evidence.paying,
                                  evidence.cases, evidence.targets)),
            std::string::npos);
  EXPECT_NE(page.find(fmt::format("Of the cases with a structure {:.2g} would seem to pay by chance alone",
                                  evidence.by_chance)),
            std::string::npos);
}

TEST(KeptResults, EveryFigureOfThePageIsThere) {
  const std::string page = read_text(source / "docs/reproduction.md");
  int figures = 0;
  for (std::size_t at = page.find("](results/"); at != std::string::npos; at = page.find("](results/", at + 1)) {
    const std::string file = page.substr(at + 2, page.find(')', at) - at - 2);
    EXPECT_TRUE(std::filesystem::exists(source / "docs" / file)) << file;
    ++figures;
  }
  EXPECT_GT(figures, 10);
}

}  // namespace
}  // namespace darboux::experiments

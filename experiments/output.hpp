#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment.hpp"
#include "report/report.hpp"

namespace darboux::experiments {

/// What an experiment gave.
struct Result {
  std::string name;
  std::string title;
  Tables tables;
  Findings findings;
};

/// A figure as a Vega-Lite specification that needs nothing else.
[[nodiscard]] std::string vega_lite(const Figure& figure);

/// NAME.json with all tables and claims, NAME-TABLE.csv for each table, figures/ID.vl.json for each figure. Claims of quick runs have
/// no verdicts.
void write_result(const Result& result, const std::filesystem::path& folder, bool quick = false);

/// Tables of an experiment as write_result() left them. Throws InputError naming the file.
[[nodiscard]] Tables read_tables(const std::filesystem::path& json);

/// What the run as a whole was.
struct ReproductionFacts {
  bool quick = false;
  int runs = 10;
  std::uint64_t seed = 1;
  std::string command;
};

/// The paper's claims with what became of them, and then the findings of every experiment. Quick runs give no verdicts.
[[nodiscard]] Report reproduction_report(const std::vector<Result>& results, const ReproductionFacts& facts);

/// The report as Markdown, with figures taken from a folder of SVG files.
[[nodiscard]] std::string to_markdown(const Report& report, const std::string& figures);

}  // namespace darboux::experiments

#include "run/merge.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/spelling.hpp"
#include "report/summary_text.hpp"
#include "rerun.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace fs = std::filesystem;

namespace {

struct MergeFlags {
  std::vector<std::string> parts;
  std::string out;
  bool quiet = false;
};

int merge_and_print(const MergeFlags& flags) {
  constexpr std::size_t most_rows = 25;
  const std::vector<fs::path> parts(flags.parts.begin(), flags.parts.end());
  const MergedRun run = merge_runs(parts, flags.out);
  if (flags.quiet) return 0;
  fmt::print("{}", summary_text(run.summary, {.style = style_of_output(), .max_rows = most_rows}));
  fmt::print("{} of {} are in {}; as a page with figures: darboux report {}\n",
             counted(std::ssize(run.manifest.files), "chain", "chains"), counted(std::ssize(parts), "part", "parts"),
             flags.out, quoted(flags.out));
  return 0;
}

}  // namespace

Subcommand add_merge(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("merge", "put the parts of a run together, that were drawn apart");
  const auto flags = std::make_shared<MergeFlags>();
  parser->add_option("DIR", flags->parts, "folders of the parts, each with chains of its own (--chain-ids)")
      ->required();
  parser->add_option("--out", flags->out, "folder to create for the whole run")->type_name("DIR")->required();
  parser->add_flag("--quiet", flags->quiet, "no summary");
  parser->footer(
      "Parts must be complete, and have been told the same, of inputs with the same checksums, with one tuning and one "
      "seed. Files of chains are copied as they are; the parts stay. darboux summary, report and convert take the "
      "folder as "
      "that of any run.\n"
      "\n"
      "Examples:\n"
      "  darboux sample logistic --data my.csv --chains 4 --seed 1 --out pilot\n"
      "  darboux sample logistic --data my.csv --tuning pilot/tuning.json --seed 1 --chain-ids 1-4 --out part-1\n"
      "  darboux sample logistic --data my.csv --tuning pilot/tuning.json --seed 1 --chain-ids 5-8 --out part-2\n"
      "  darboux merge part-1 part-2 --out all");
  return {parser, [flags] { return merge_and_print(*flags); }};
}

}  // namespace darboux::cli

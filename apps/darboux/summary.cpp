#include <fmt/format.h>

#include <darboux/core/error.hpp>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "core/field_table.hpp"
#include "output_file.hpp"
#include "report/parameter_selection.hpp"
#include "report/run_input.hpp"
#include "report/summary_files.hpp"
#include "report/summary_text.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace {

namespace fs = std::filesystem;

struct SummaryFlags {
  std::vector<std::string> paths;
  std::string parameters, sort = "file", csv, json, max_rows = "0", memory = "256";
};

int summarise_and_print(const SummaryFlags& flags) {
  const std::vector<fs::path> paths(flags.paths.begin(), flags.paths.end());
  if (paths.empty()) throw InputError("which draws? Name a run directory or Stan CSV files: darboux summary DIR");
  const auto order = from_name<RowOrder>("--sort", flags.sort);
  const auto max_rows = static_cast<std::size_t>(parse_integer("--max-rows", flags.max_rows, 0, 1'000'000'000));
  const auto megabytes = static_cast<std::size_t>(parse_integer("--memory", flags.memory, 1, 1'000'000'000));
  require_writable("--csv", flags.csv, "summary", summary_csv_titles);
  require_writable("--json", flags.json, "summary", fmt::format("{{\n \"schema\": \"{}\"", summary_schema));
  if (flags.csv == "-" && flags.json == "-")
    throw InputError("--csv - and --json -: only one of them can go to standard output; give the other a file");

  const RunInput input = open_runs(paths);
  SummaryOptions options{.memory = megabytes << 20U};
  if (!flags.parameters.empty()) options.columns = select_columns(input.draws.front(), flags.parameters);
  RunSummary summary = summarise_run(input, options);
  sort_rows(summary.rows, order);

  write_output(flags.csv, summary_to_csv(summary));
  write_output(flags.json, summary_to_json(summary));
  if (flags.csv != "-" && flags.json != "-")
    fmt::print("{}", summary_text(summary, {.style = style_of_output(), .max_rows = max_rows}));
  return 0;
}

}  // namespace

Subcommand add_summary(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("summary", "table of estimates and their quality, with warnings");
  const auto flags = std::make_shared<SummaryFlags>();
  parser
      ->add_option("DIR|CSV", flags->paths,
                   "run directories or Stan CSV files (CmdStan's too, gzipped or not), all of one model")
      ->type_name("");
  parser->add_option("--parameters", flags->parameters, "only these: names, or patterns with * and ?, between commas")
      ->type_name("NAMES");
  parser->add_option("--sort", flags->sort, "as in the file; or smallest ESS, largest R̂ or first name on top")
      ->type_name(joined(all_names<RowOrder>(), "|"));
  parser->add_option("--max-rows", flags->max_rows, "print no more rows than this; 0 prints all")
      ->type_name("N")
      ->default_str("0");
  parser->add_option("--csv", flags->csv, "also write the table to this file, with all digits; - prints it instead")
      ->type_name("FILE");
  parser->add_option("--json", flags->json, "the same as JSON, with warnings and facts per chain")->type_name("FILE");
  parser
      ->add_option("--memory", flags->memory,
                   "memory for draws; what does not fit lies in a temporary file, in TMPDIR or /var/tmp")
      ->type_name("MB")
      ->default_str("256");
  parser->footer(
      "Mean, its Monte Carlo error, sd, quantiles; effective sample sizes of the bulk and the tails; R̂.\n"
      "Warnings come below the table and do not change the exit status: 0 if the draws could be read, 2 if not.\n"
      "\n"
      "Examples:\n"
      "  darboux summary my-run\n"
      "  darboux summary my-run --sort rhat --max-rows 10\n"
      "  darboux summary my-run --parameters 'beta*,sigma'\n"
      "  darboux summary output_1.csv output_2.csv          files of CmdStan\n"
      "  darboux summary run-1 run-2 --csv both.csv         several runs of one model together");
  return {parser, [flags] { return summarise_and_print(*flags); }};
}

}  // namespace darboux::cli

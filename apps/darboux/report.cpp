#include <fmt/format.h>

#include <darboux/core/error.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "core/field_table.hpp"
#include "dimension.hpp"
#include "installed.hpp"
#include "io/column_names.hpp"
#include "io/file.hpp"
#include "output_file.hpp"
#include "report/parameter_selection.hpp"
#include "report/run_input.hpp"
#include "report/run_report.hpp"
#include "rerun.hpp"
#include "run/tuning_file.hpp"

namespace darboux::cli {

namespace {

namespace fs = std::filesystem;

struct ReportFlags {
  std::vector<std::string> paths;
  std::string out, json, parameters, page, memory = "256";
};

/// A folder is a run; files together are one.
std::vector<std::vector<fs::path>> runs_in(const std::vector<std::string>& paths) {
  std::vector<std::vector<fs::path>> runs;
  std::size_t of_files = paths.size();
  for (const std::string& path : paths)
    if (fs::is_directory(path)) {
      runs.push_back({path});
    } else {
      if (of_files == paths.size()) {
        of_files = runs.size();
        runs.emplace_back();
      }
      runs[of_files].emplace_back(path);
    }
  if (runs.empty()) throw InputError("which run? Name a run directory or Stan CSV files: darboux report DIR");
  if (runs.size() > 2)
    throw InputError(fmt::format(
        "{} runs: a report is about one run, or compares two; darboux summary takes any number as one", runs.size()));
  return runs;
}

/// What the manifest adds to the draws. A run of another version may have settings that mean nothing here.
void add_configuration(ReportedRun& run, const fs::path& directory) {
  run.manifest = read_manifest(directory / manifest_name);
  if (const fs::path file = directory / observations_name; fs::exists(file)) {
    run.observations = read_observation_summary(file);
    if (run.observations->likelihood.empty()) run.observations.reset();  // it has predictions alone
  }
  try {
    const RunConfig config = config_of(*run.manifest);
    run.rerun = rerun_command(config);
    run.structure = facts_of(plan_structure(config, dimension_of(directory, run.input)));
  } catch (const InputError&) {
  }
}

ReportedRun open_run(const std::vector<fs::path>& paths, const ReportFlags& flags, std::size_t memory) {
  ReportedRun run;
  run.input = open_runs(paths);
  const bool is_folder = fs::is_directory(paths.front());
  const fs::path place = fs::absolute(paths.front()).lexically_normal();
  const fs::path name = place.filename().empty() ? place.parent_path().filename() : place.filename();
  run.name =
      is_folder || paths.size() == 1 ? name.string() : fmt::format("{} and {} more", name.string(), paths.size() - 1);
  SummaryOptions options{.memory = memory};
  if (!flags.parameters.empty()) options.columns = select_columns(run.input.draws.front(), flags.parameters);
  SummarisedRun summarised = summarise_for_report(run.input, options);
  run.summary = std::move(summarised.summary);
  run.columns = std::move(summarised.columns);
  if (is_folder && fs::exists(paths.front() / manifest_name)) add_configuration(run, paths.front());
  return run;
}

int write_report(const ReportFlags& flags) {
  const auto runs = runs_in(flags.paths);
  const auto memory = static_cast<std::size_t>(parse_integer("--memory", flags.memory, 1, 1'000'000'000)) << 20U;
  std::string out = flags.out;
  const bool one_folder = runs.size() == 1 && fs::is_directory(runs[0][0]);
  if (out.empty()) out = one_folder ? (runs[0][0] / "report.html").string() : "report.html";
  require_writable("--out", out, "report", report_page_start);
  require_writable("--json", flags.json, "report", fmt::format(R"({{"schema":"{}")", report_schema));
  const std::string page = flags.json == "-" ? "" : report_page(flags.page);

  std::vector<ReportedRun> opened;
  for (const auto& paths : runs) opened.push_back(open_run(paths, flags, memory / runs.size()));
  const ReportOptions options{.memory = memory};
  const Report report =
      opened.size() == 1 ? run_report(opened[0], options) : comparison_report(opened[0], opened[1], options);
  write_output(flags.json, report_to_json(report) + "\n");
  if (flags.json == "-") return 0;

  const std::string text = fill_page(page, flags.page.empty() ? "the installed page" : flags.page, report);
  write_output(out, text);
  if (out != "-")
    fmt::print("{}\n{}\nWritten to {} ({:.1f} MB): open it in a browser.\n", report.title,
               report.sections.front().title, out, static_cast<double>(text.size()) * 1e-6);
  return 0;
}

}  // namespace

Subcommand add_report(CLI::App& root) {
  CLI::App* parser = root.add_subcommand("report", "one HTML page on a run: verdict, table, figures");
  const auto flags = std::make_shared<ReportFlags>();
  parser
      ->add_option("DIR|CSV", flags->paths,
                   "a run directory, or two to compare; Stan CSV files count as one run together")
      ->type_name("");
  parser->add_option("--out", flags->out, "file to write; DIR/report.html when absent; - prints it")->type_name("FILE");
  parser->add_option("--parameters", flags->parameters, "only these: names, or patterns with * and ?, between commas")
      ->type_name("NAMES");
  parser->add_option("--json", flags->json, "also write what the page shows as JSON; - prints only that")
      ->type_name("FILE");
  parser->add_option("--page", flags->page, "fill in this page instead of the one installed with darboux")
      ->type_name("FILE");
  parser
      ->add_option("--memory", flags->memory,
                   "memory for draws; what does not fit lies in a temporary file, in TMPDIR or /var/tmp")
      ->type_name("MB")
      ->default_str("256");
  parser->footer(
      "The file needs no network and no other file. It says whether the run worked, and why; its table can be sorted,\n"
      "its figures saved as SVG and PNG, and the data behind them as CSV.\n"
      "\n"
      "Examples:\n"
      "  darboux report my-run\n"
      "  darboux report my-run --parameters 'beta*' --out beta.html\n"
      "  darboux report run-1 run-2                         do they agree, and what did they cost?\n"
      "  darboux report output_1.csv output_2.csv           files of CmdStan");
  return {parser, [flags] { return write_report(*flags); }};
}

}  // namespace darboux::cli

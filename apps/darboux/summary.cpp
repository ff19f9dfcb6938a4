#include <fmt/format.h>

#include <algorithm>
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
  std::string parameters, sort = "file", csv, json, max_rows = "0", memory = "256", quantiles, hdi;
  bool above_zero = false, odds_ratios = false;
};

/// 0.025, or 2.5%.
double parse_share(std::string_view flag, std::string_view text, bool open) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const double most = percent ? 100.0 : 1.0;
  try {
    return parse_real(flag, text, {.least = 0.0, .most = most, .open = open}) / most;
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}; a share is written as 0.025 or 2.5%", e.what()));
  }
}

SummaryExtras extras_of(const SummaryFlags& flags) {
  SummaryExtras extras{.above_zero = flags.above_zero, .odds_ratios = flags.odds_ratios};
  for (std::size_t at = 0; !flags.quantiles.empty() && at <= flags.quantiles.size();) {
    const std::size_t end = std::min(flags.quantiles.find(',', at), flags.quantiles.size());
    extras.quantiles.push_back(parse_share("--quantiles", flags.quantiles.substr(at, end - at), false));
    at = end + 1;
  }
  if (!flags.hdi.empty()) extras.hdi = parse_share("--hdi", flags.hdi, true);
  return extras;
}

/// exp of what is no coefficient of a logistic regression is no odds ratio; who names the rows knows what they are.
void require_coefficients(const SummaryFlags& flags, const RunInput& input) {
  const std::string model = input.draws.front().setting("model").value_or("");
  if (!flags.odds_ratios || !flags.parameters.empty() || model == "logistic") return;
  throw InputError(fmt::format(
      "--odds-ratios: these are draws of {}, not of model logistic; name the coefficients with --parameters, "
      "for example --parameters 'beta*'",
      model.empty() ? "an unknown model" : fmt::format("model {}", model)));
}

int summarise_and_print(const SummaryFlags& flags) {
  const std::vector<fs::path> paths(flags.paths.begin(), flags.paths.end());
  if (paths.empty()) throw InputError("which draws? Name a run directory or Stan CSV files: darboux summary DIR");
  const auto order = from_name<RowOrder>("--sort", flags.sort);
  const auto max_rows = static_cast<std::size_t>(parse_integer("--max-rows", flags.max_rows, 0, 1'000'000'000));
  const auto megabytes = static_cast<std::size_t>(parse_integer("--memory", flags.memory, 1, 1'000'000'000));
  require_writable("--csv", flags.csv, "summary", summary_csv_start);
  require_writable("--json", flags.json, "summary", fmt::format("{{\n \"schema\": \"{}\"", summary_schema));
  if (flags.csv == "-" && flags.json == "-")
    throw InputError("--csv - and --json -: only one of them can go to standard output; give the other a file");

  const SummaryExtras extras = extras_of(flags);
  const RunInput input = open_runs(paths);
  require_coefficients(flags, input);
  SummaryOptions options{.memory = megabytes << 20U, .extras = extras};
  if (!flags.parameters.empty()) options.columns = select_columns(input.draws.front(), flags.parameters);
  RunSummary summary = summarise_run(input, options);
  sort_rows(summary.rows, order);

  write_output(flags.csv, summary_to_csv(summary));
  write_output(flags.json, summary_to_json(summary));
  if (flags.csv != "-" && flags.json != "-")
    fmt::print("{}",
               summary_text(summary, {.style = style_of_output(),
                                      .max_rows = max_rows,
                                      .to_see_fewer = "darboux summary with --sort ess --max-rows 20 (the smallest "
                                                      "effective sizes), or with --parameters 'beta*,sigma'"}));
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
  parser
      ->add_option("--quantiles", flags->quantiles,
                   "these instead of 5 %, 50 % and 95 %: shares between commas, as 2.5%,50%,97.5% or 0.025,0.5,0.975")
      ->type_name("LIST");
  parser->add_option("--hdi", flags->hdi, "also the narrowest interval with this share of the draws, as 95%")
      ->type_name("SHARE");
  parser->add_flag("--above-zero", flags->above_zero, "also P(> 0): how sure the sign of a coefficient is");
  parser->add_flag("--odds-ratios", flags->odds_ratios,
                   "also exp of the quantiles, which are odds ratios where rows are coefficients of a logistic "
                   "regression");
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
      "Warnings come below the table, or above one that means nothing. They do not change the exit status: 0 if the "
      "draws\n"
      "could be read, 2 if not.\n"
      "\n"
      "Examples:\n"
      "  darboux summary my-run\n"
      "  darboux summary my-run --sort rhat --max-rows 10\n"
      "  darboux summary my-run --parameters 'beta*,sigma'\n"
      "  darboux summary my-run --quantiles 2.5%,50%,97.5% --hdi 95%\n"
      "  darboux summary german --odds-ratios --above-zero       of a logistic regression\n"
      "  darboux summary output_1.csv output_2.csv          files of CmdStan\n"
      "  darboux summary run-1 run-2 --csv both.csv         several runs of one model together");
  return {parser, [flags] { return summarise_and_print(*flags); }};
}

}  // namespace darboux::cli

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <darboux/core/error.hpp>
#include <experiments/experiment.hpp>
#include <experiments/output.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "command.hpp"
#include "copies.hpp"
#include "core/field_table.hpp"
#include "installed.hpp"
#include "interrupt.hpp"
#include "io/file.hpp"
#include "render_figures.hpp"
#include "status_line.hpp"

namespace darboux::cli {

namespace {

namespace fs = std::filesystem;
using namespace experiments;

struct ReproduceFlags {
  std::string what, out, data, runs = "10", seed = "1", threads;
  bool quick = false;
};

std::string duration(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string in_words(const std::string& name, const CellProgress& progress) {
  const std::string left =
      progress.seconds_left ? fmt::format(", about {} left", duration(*progress.seconds_left)) : "";
  return fmt::format("{}: {} of {} parts, {}{}", name, progress.done, progress.all, duration(progress.seconds), left);
}

/// Nothing if it was interrupted.
std::optional<Result> run_experiment(const Experiment& experiment, const fs::path& out, int threads) {
  const auto begin = std::chrono::steady_clock::now();
  CellProgress last;
  std::optional<StatusLine> line(std::in_place);
  const auto tables = run_cells(experiment.cells, {.folder = out / "cells",
                                                   .threads = threads,
                                                   .stop = &interrupted(),
                                                   .on_progress = [&](const CellProgress& progress) {
                                                     last = progress;
                                                     line->set(in_words(experiment.name, progress));
                                                   }});
  line.reset();
  if (!tables) return std::nullopt;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{}: {} parts, {} of them were there already, {}\n", experiment.name, last.all, last.reused,
             duration(seconds));
  std::fflush(stdout);
  return Result{experiment.name, experiment.title, *tables, experiment.reduce(*tables)};
}

/// Small runs decide nothing: of those only what was seen is told.
void print_claims(const std::vector<Result>& results, bool quick) {
  for (const Result& result : results)
    for (const Claim& claim : result.findings.claims)
      fmt::print("\n{}: {}\n  {}\n", quick ? "claim" : name(claim.verdict), claim.statement,
                 quick && !claim.brief.empty() ? claim.brief : claim.evidence);
}

/// Without the page, tables and figures are still there.
void write_page(const Report& report, const fs::path& file) {
  try {
    write_text(file, fill_page(report_page(""), "the installed page", report));
    fmt::print("; all of it on one page: {}\n", file.string());
  } catch (const Error& e) {
    fmt::print(".\nNo page: {}\n", e.what());
  }
}

/// Results of other settings in one folder would be lost or mixed up: a folder is for one seed, number of runs and size.
void claim_folder(const fs::path& out, const Scale& scale) {
  if (fs::exists(out) && !fs::is_directory(out))
    throw InputError(fmt::format("--out {}: this is a file; name a folder", out.string()));
  const std::string mine =
      fmt::format(R"({{"quick": {}, "runs": {}, "seed": {}}})", scale.quick, scale.runs, scale.seed);
  const fs::path file = out / "settings.json";
  if (!fs::exists(file)) {
    fs::create_directories(out);
    write_text(file, mine + "\n");
  } else if (read_text(file) != mine + "\n") {
    std::string theirs = read_text(file);
    theirs.erase(theirs.find_last_not_of('\n') + 1);
    throw InputError(
        fmt::format("--out {}: holds results of other settings, {}, and these are {}; choose another folder",
                    out.string(), theirs, mine));
  }
}

/// What was computed now, and what the folder has of the other experiments.
std::vector<Result> with_earlier(std::vector<Result> now, const fs::path& out, const Scale& scale) {
  std::vector<Result> all;
  for (const std::string_view each : experiment_names()) {
    const auto found = std::find_if(now.begin(), now.end(), [&](const Result& result) { return result.name == each; });
    const fs::path file = out / fmt::format("{}.json", each);
    if (found != now.end()) {
      all.push_back(std::move(*found));
    } else if (fs::exists(file)) {
      const Experiment experiment = make_experiment(each, scale);
      Tables tables = read_tables(file);
      Findings findings = experiment.reduce(tables);
      all.push_back({experiment.name, experiment.title, std::move(tables), std::move(findings)});
    }
  }
  return all;
}

std::string command_of(const ReproduceFlags& flags) {
  std::string command = fmt::format("darboux reproduce {}", flags.what);
  if (flags.quick) command += " --quick";
  if (flags.runs != "10") command += " --runs " + flags.runs;
  if (flags.seed != "1") command += " --seed " + flags.seed;
  if (!flags.data.empty()) command += " --data " + flags.data;
  return command;
}

int reproduce(const ReproduceFlags& flags) {
  refuse_copies();
  if (flags.what.empty()) throw InputError("which experiment? Name one, or all: darboux reproduce all --quick");
  const Scale scale{.quick = flags.quick,
                    .runs = static_cast<int>(parse_integer("--runs", flags.runs, 2, 1000)),
                    .seed = static_cast<std::uint64_t>(parse_integer("--seed", flags.seed, 0, 1'000'000'000)),
                    .data = flags.data.empty() ? installed("data") : fs::path(flags.data)};
  if (!fs::exists(scale.data / "sets.csv"))
    throw InputError(fmt::format("{}{}: must be a folder with sets.csv and the sets that it lists",
                                 flags.data.empty() ? "the installed data are missing: " : "--data ",
                                 scale.data.string()));
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const int threads = flags.threads.empty() ? static_cast<int>(cores)
                                            : static_cast<int>(parse_integer("--threads", flags.threads, 1, 1024));
  const fs::path out =
      flags.out.empty() ? flags.quick ? "darboux-reproduction-quick" : "darboux-reproduction" : flags.out;
  std::vector<Experiment> experiments;
  if (flags.what == "all")
    for (const std::string_view each : experiment_names()) experiments.push_back(make_experiment(each, scale));
  else
    experiments.push_back(make_experiment(flags.what, scale));

  claim_folder(out, scale);
  catch_signals();
  std::vector<Result> results;
  for (const Experiment& experiment : experiments) {
    auto result = run_experiment(experiment, out, threads);
    if (!result) {
      fmt::print("Interrupted: what is finished is in {}; the same command goes on from there.\n", out.string());
      return 1;
    }
    write_result(*result, out, scale.quick);
    results.push_back(std::move(*result));
  }
  if (scale.quick)
    fmt::print("Quick: small runs, to see that all works. They give no verdicts on claims. Not to be cited.\n");
  print_claims(results, scale.quick);
  const Report report = reproduction_report(with_earlier(std::move(results), out, scale),
                                            {scale.quick, scale.runs, scale.seed, command_of(flags)});
  write_text(out / "reproduction.md", to_markdown(report, "figures"));
  fmt::print("\nTables and figures are in {}", out.string());
  if (const auto why = render_figures(out / "figures")) fmt::print(" (figures as specifications only: {})", *why);
  write_page(report, out / "report.html");
  return 0;
}

}  // namespace

Subcommand add_reproduce(CLI::App& root) {
  CLI::App* parser =
      root.add_subcommand("reproduce", "the experiments of the paper on non-canonical HMC, from scratch");
  const auto flags = std::make_shared<ReproduceFlags>();
  parser->add_option("WHAT", flags->what,
                     "logistic, fitzhugh-nagumo, binding, trajectories, beyond (what the paper does not have), or all");
  parser->add_flag("--quick", flags->quick, "small runs, within three minutes on two cores: to see that all works");
  parser->add_option("--runs", flags->runs, "runs of every method, each with a random structure of its own, 2 to 1000")
      ->type_name("N")
      ->default_str("10");
  parser->add_option("--seed", flags->seed, "of all random numbers, 0 to 1000000000")->type_name("N")->default_str("1");
  parser->add_option("--threads", flags->threads, "parts that are computed at the same time; all cores when absent")
      ->type_name("N");
  parser->add_option("--out", flags->out, "folder for results; darboux-reproduction[-quick] when absent")
      ->type_name("DIR");
  parser->add_option("--data", flags->data, "folder of the data sets; those installed with darboux when absent")
      ->type_name("DIR");
  parser->footer(
      "Every experiment writes tidy tables (CSV, JSON), figures (Vega-Lite, and SVG where there is Node.js), which "
      "claims of\n"
      "the paper it confirms, and a page with all of that. Parts that are finished are kept in DIR/cells and not "
      "computed\n"
      "again: after an interruption the same command goes on. The same seed gives the same numbers, seconds excepted.\n"
      "\n"
      "Examples:\n"
      "  darboux reproduce all --quick\n"
      "  darboux reproduce logistic --out my-logistic\n"
      "  darboux reproduce all");
  return {parser, [flags] { return reproduce(*flags); }};
}

}  // namespace darboux::cli

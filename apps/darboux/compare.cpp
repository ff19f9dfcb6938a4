#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <darboux/core/error.hpp>
#include <numeric>

#include "command.hpp"
#include "compilation.hpp"
#include "copies.hpp"
#include "core/field_table.hpp"
#include "core/spelling.hpp"
#include "output_file.hpp"
#include "report/printable_text.hpp"
#include "report/text_table.hpp"
#include "run/comparison.hpp"
#include "settings.hpp"
#include "status_line.hpp"
#include "telling.hpp"
#include "terminal.hpp"

namespace darboux::cli {

namespace {

struct CompareFlags {
  std::string model, runs = "5", csv;
  std::vector<std::string> methods;
};

std::string brief(double x) { return x >= 100.0 ? fmt::format("{:.0f}", x) : fmt::format("{:.3g}", x); }
std::string brief(const IntervalEstimate& i) {
  return fmt::format("{} ({}, {})", brief(i.center), brief(i.low), brief(i.high));
}

/// Of a ratio of two estimates nothing is said but its value: whether they differ is what their intervals say.
std::string verdict(const ComparedMethod& method, Standing standing, double best) {
  switch (standing) {
    case Standing::best: return "best";
    case Standing::no_difference: return "no difference seen";
    case Standing::worse: return fmt::format("worse: {} of the best", brief(method.per_1000_gradients().center / best));
    case Standing::approximate: return "not ranked: its bias is not in these numbers";
    case Standing::not_converged: break;
  }
  const auto bad = std::count_if(method.runs.begin(), method.runs.end(), [](const auto& r) { return !r.converged(); });
  return fmt::format("not ranked: {} of {} runs not converged (R̂ to {:.3f}, ESS from {})", bad, method.runs.size(),
                     method.largest_rhat(), brief(method.smallest_ess()));
}

/// Those that can be ranked come first, the best on top; the others in the order in which they were named.
void print_table(const std::vector<ComparedMethod>& methods) {
  const std::vector<Standing> standing = standings(methods);
  const auto is_ranked = [&](std::size_t i) { return standing[i] <= Standing::worse; };
  const auto center = [&](std::size_t i) { return methods[i].per_1000_gradients().center; };
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_ranked(a) != is_ranked(b)) return is_ranked(a);
    return is_ranked(a) && center(a) != center(b) ? center(a) > center(b) : a < b;
  });
  TextTable table({{.title = "method", .alignment = Alignment::left},
                   {.title = "ESS/1000 gradients", .alignment = Alignment::left},
                   {.title = "with warm-up", .alignment = Alignment::left},
                   {.title = "ESS/second", .alignment = Alignment::left},
                   {.title = "R̂"},
                   {.title = "failures"},
                   {.title = "", .alignment = Alignment::left}});
  for (const std::size_t i : order) {
    const ComparedMethod& m = methods[i];
    table.add_row({m.name + (is_approximate(m.settings) ? " APPROXIMATE" : ""), brief(m.per_1000_gradients()),
                   brief(m.per_1000_gradients_with_warmup()), brief(m.per_second()),
                   TableCell(fmt::format("{:.3f}", m.largest_rhat()), !m.converged()), fmt::to_string(m.failures()),
                   verdict(m, standing[i], center(order.front()))});
  }
  fmt::print("{}",
             table.text({.colours = style_of_output().colours}));  // a narrow terminal wraps: no column is dispensable
}

void print_terms(const Comparison& comparison, int runs) {
  const SampleOptions& c = comparison.asked;
  fmt::print(
      "\nESS: effective draws of all chains, the smallest of any quantity, of its bulk or of its squares. Estimates "
      "are\n"
      "geometric means over {0} runs, with 95 % intervals (Student's t on logarithms); gradients and seconds are those "
      "of\n"
      "sampling, unless warm-up is mentioned. R̂: the largest. Failures: transitions that diverged, whose "
      "solves failed, or that met what the model refuses.\n"
      "Held equal: {1} chains, {2} + {3} iterations, seeds {4} to {5}, starting points, one thread per run, this "
      "machine.\n"
      "Each method has a warm-up of its own. By ESS per gradient; where intervals overlap, no difference is seen: more "
      "runs "
      "may tell.\n"
      "Seconds depend on machine and load; gradients do not.\n",
      runs, c.chains, comparison.methods.front().settings.warmup, c.draws, *c.seed,
      *c.seed + static_cast<std::uint64_t>(runs) - 1);
}

void run_with_status(Comparison& comparison, int runs) {
  StatusLine line;
  run_comparison(comparison, runs, [&](const ComparedMethod& method, int run) {
    line.set(fmt::format("run {} of {}: {}", run + 1, runs, method.name));
  });
}

int compare_and_print(const Settings& settings, const CompareFlags& flags) {
  refuse_copies();
  RunConfig config = settings.gather();
  if (!flags.model.empty()) config.model = flags.model;
  if (config.model.empty())
    throw InputError("which model? Name one: darboux compare MODEL --methods nuts,chees. darboux models lists them");
  if (flags.methods.empty()) throw InputError("which methods? Name some: --methods nuts,chees");
  const auto runs = static_cast<int>(parse_integer("--runs", flags.runs, 2, 10'000));  // one has no interval
  require_new("--csv", flags.csv);
  Comparison comparison = plan_comparison(config, flags.methods, compilation_told());
  tell(comparison.notes);
  const bool only_csv = flags.csv == "-";
  if (!only_csv) {
    fmt::print("{} ({}): {}, {} runs of each\n", config.model,
               counted(comparison.model->dim(), "parameter", "parameters"),
               counted(std::ssize(comparison.methods), "method", "methods"), runs);
    print_facts(*comparison.model);
    fmt::print("\n");
  }
  run_with_status(comparison, runs);
  write_output(flags.csv, comparison_csv(comparison));
  if (only_csv) return 0;
  print_table(comparison.methods);
  print_terms(comparison, runs);
  for (const std::string& remark : comparison.model->remarks()) fmt::print("{}\n", printable(remark));
  if (!flags.csv.empty()) fmt::print("Every run by itself is in {}\n", flags.csv);
  return 0;
}

}  // namespace

Subcommand add_compare(CLI::App& root) {
  CLI::App* parser =
      root.add_subcommand("compare", "ways to sample side by side: effective draws per gradient and second");
  const auto flags = std::make_shared<CompareFlags>();
  parser->add_option("MODEL", flags->model,
                     "a built-in model (darboux models lists them), or a Stan program: NAME.stan, or NAME.so");
  parser
      ->add_option("--methods", flags->methods,
                   "methods between commas; each is words joined by /: trajectory, integrator, structure[:strength], "
                   "metric, as sample knows them. What a method leaves out is as in sample")
      ->delimiter(',')
      ->type_name("A,B,…");
  parser->add_option("--runs", flags->runs, "runs of each method, with different seeds")
      ->type_name("N")
      ->default_str("5");
  parser->add_option("--csv", flags->csv, "also write a row for each run to this new file; - prints them instead")
      ->type_name("FILE");
  const auto settings = add_settings(
      *parser, {groups::model, "chains", "warmup", "draws", "seed", "init", groups::phase_space, "metric"});
  parser->footer(
      "Each method is tuned by a warm-up of its own; chains, iterations, seeds and starting points are the same for "
      "all.\n"
      "Methods that did not converge in every run (R̂ < 1.05, ESS ≥ 100) are shown but not ranked, and so are\n"
      "approximate ones; where intervals overlap, no difference is claimed.\n"
      "\n"
      "Examples:\n"
      "  darboux compare logistic --data my.csv --methods nuts,chees\n"
      "  darboux compare skewed --methods chees,chees/diagonal,chees/magnetic-position:0.5 --runs 10\n"
      "  darboux compare fitzhugh-nagumo --methods "
      "nuts,chees/doubled/coupled:0.5,jittered/magnetic-leapfrog/magnetic-position:0.5 "
      "--csv runs.csv");
  return {parser, [settings, flags] { return compare_and_print(*settings, *flags); }};
}

}  // namespace darboux::cli

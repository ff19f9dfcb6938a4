#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "known_law.hpp"
#include "proof.hpp"
#include "verdict.hpp"
#include "warm_up_trace.hpp"

namespace darboux::proofs {

namespace {

using namespace experiments;

double total(const Table& of, const char* column) {
  double sum = 0.0;
  if (row_count(of) > 0)
    for (const double x : numbers(of, column)) sum += x;
  return sum;
}

double largest_size(const std::vector<double>& values) {
  double most = 0.0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}
double smallest(const std::vector<double>& values) { return *std::ranges::min_element(values); }

/// The largest |z| of some rows, and where it is.
struct Extreme {
  double z = 0.0;
  std::string where;
  void see(double other, const std::string& place) {
    if (std::abs(other) > std::abs(z)) z = other, where = place;
  }
};

std::size_t tests_of_exactness(const Tables& t) {
  return static_cast<std::size_t>(total(table(t, "families"), "tests") + total(table(t, "pooled"), "tests")) +
         row_count(table(t, "laws"));
}

/// Whether there is as much as is promised, and of what there is nothing.
std::string standing(const Amount& a) {
  if (a.rows == 0)
    return fmt::format("**Nothing is computed of this yet**: {} {} of every {} are promised.\n", count(a.promised),
                       a.what, a.each);
  std::string text =
      a.least >= a.promised
          ? fmt::format("Every {} has {} {} or more, as promised.", a.each, count(a.promised), a.what)
          : fmt::format("Every {} is promised {} {}; {} has the fewest so far, {}: the same command goes on.", a.each,
                        count(a.promised), a.what, a.poorest, count(a.least));
  if (a.absent.empty()) return text + "\n";
  text += " Not there yet:\n";
  for (const std::string& row : a.absent) text += "\n- " + row;
  return text + "\n";
}

std::string by_law(const Tables& t) {
  const Table &families = table(t, "families"), &pooled = table(t, "pooled"), &laws = table(t, "laws");
  const std::size_t tests = tests_of_exactness(t);
  std::string text =
      "| law | what it is | draws of exact methods | methods | worst z of a method | of an integrator | of all | bias "
      "seen with 90 %: a "
      "method | an integrator | all |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const KnownLaw& law : known_laws()) {
    const Table mine = where(families, {{"law", law.name}, {"exact", 1}});
    if (row_count(mine) == 0) continue;
    const Table pools = where(pooled, {{"law", law.name}, {"exact", 1}});
    const Table all = where(laws, {{"law", law.name}});
    const double draws = total(mine, "draws"), methods = total(mine, "methods");
    text += fmt::format("| {} | {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.3f} | {:.3f} | {:.4f} |\n", law.name,
                        law.formula, count(draws), methods, largest_size(numbers(mine, "worst_z")),
                        largest_size(numbers(pools, "worst_z")), largest_size(numbers(all, "z")),
                        visible_bias(draws / methods, tests),
                        visible_bias(draws / static_cast<double>(row_count(pools)), tests), visible_bias(draws, tests));
  }
  return text;
}

/// A row for each integrator on each structure, over laws and rules.
std::string by_integrator(const Tables& t) {
  const Table &families = table(t, "families"), &pooled = table(t, "pooled"), &rejected = table(t, "rejected");
  std::string text =
      "| integrator | structure | trajectories | draws | proposals rejected | worst z of a method | of all its methods "
      "| |\n"
      "|---|---|---|---|---|---|---|---|\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < row_count(families); ++i)
    if (const std::pair row{texts(families, "integrator")[i], texts(families, "structure")[i]};
        std::ranges::find(rows, row) == rows.end())
      rows.push_back(row);
  for (const auto& [integrator, structure] : rows) {
    const Table mine = where(families, {{"integrator", integrator}, {"structure", structure}});
    const Table pools = where(pooled, {{"integrator", integrator}, {"structure", structure}});
    const bool exact = numbers(mine, "exact").front() == 1.0;
    const std::size_t found = row_count(rejected) == 0
                                  ? 0
                                  : row_count(where(rejected, {{"integrator", integrator}, {"structure", structure}}));
    Extreme worst;
    for (std::size_t i = 0; i < row_count(pools); ++i)
      worst.see(numbers(pools, "worst_z")[i], texts(pools, "law")[i] + ", " + texts(pools, "worst")[i]);
    std::string rules;
    for (const std::string& rule : levels(mine, "rule")) rules += (rules.empty() ? "" : "; ") + rule;
    const std::string verdict = exact        ? found == 0 ? "exact" : fmt::format("**{} tests rejected**", found)
                                       : found == 0 ? "approximate, no bias seen"
                                             : fmt::format("approximate: {} tests rejected", found);
    text += fmt::format("| {} | {} | {} | {} | {:.0f}–{:.0f} % | {:.1f} | {:.1f} ({}) | {} |\n", integrator, structure,
                        rules, count(total(mine, "draws")), 100.0 * smallest(numbers(mine, "least_rejected")),
                        100.0 * largest(numbers(mine, "most_rejected")), largest_size(numbers(mine, "worst_z")),
                        worst.z, worst.where, verdict);
  }
  return text;
}

/// Where a tenth cannot be reached, or a half is passed.
std::string out_of_range(const Tables& t) {
  const Table& families = table(t, "families");
  std::map<std::string, std::string> laws;  // by integrator and structure
  std::size_t others = 0;
  for (std::size_t i = 0; i < row_count(families); ++i) {
    if (numbers(families, "least_rejected")[i] >= 0.1 && numbers(families, "most_rejected")[i] <= 0.5) continue;
    ++others;
    std::string& list = laws[fmt::format("{} ({})", texts(families, "integrator")[i], texts(families, "structure")[i])];
    if (list.find(texts(families, "law")[i]) == std::string::npos)
      list += (list.empty() ? "" : ", ") + texts(families, "law")[i];
  }
  std::string text = fmt::format(
      "Of {} combinations of law, integrator, structure and rule, {} reject between a tenth and a half of the "
      "proposals.",
      row_count(families), row_count(families) - others);
  if (others == 0) return text + "\n";
  text +=
      " In the others rejections jump from few to many as steps get coarser, as where the implicit midpoint rule keeps "
      "the energy until its "
      "solver fails:\n";
  for (const auto& [integrator, list] : laws) text += fmt::format("\n- {}: {}", integrator, list);
  return text + "\n";
}

std::string rejected_of_exact(const Tables& t) {
  const Table& rejected = table(t, "rejected");
  if (rejected_exact(t) == 0) return "";
  const Table rows = where(rejected, {{"exact", 1}});
  std::string text =
      "\n**Rejected tests of exact methods:**\n\n| law | integrator | structure | which | draws | z | corrected p "
      "|\n|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < row_count(rows); ++i)
    text += fmt::format("| {} | {} | {} | {} | {} | {:.2f} | {:.1e} |\n", texts(rows, "law")[i],
                        texts(rows, "integrator")[i], texts(rows, "structure")[i], texts(rows, "what")[i],
                        count(numbers(rows, "draws")[i]), numbers(rows, "z")[i], numbers(rows, "p")[i]);
  return text;
}

std::string exactness_section(const Tables& t) {
  const std::string heading = "\n## Exact methods leave the law alone\n\n",
                    standing_of = standing(amount_of_exactness(t));
  const Table& families = table(t, "families");
  if (row_count(families) == 0) return heading + standing_of;
  const std::size_t tests = tests_of_exactness(t), bad = rejected_exact(t);
  const Table exact = where(families, {{"exact", 1}});
  return heading +
         fmt::format(
             R"({} draws in all, one from the end of each of as many independent chains: {} of exact methods, {} tests. A z beyond {:.2f} is
significant at 1 % among so many (Holm). **{}** {}
Every chain begins with an exact draw of the law, a fair direction and a momentum of its law, and makes four transitions, each of about
three steps, with steps so coarse that about three of ten proposals are rejected (found by pilot runs with other random
numbers). Then means, squares, products and tail probabilities of up to three coordinates are compared with what they must be, and
momenta, products of positions and momenta, and of positions and directions as well. Standard errors come from the variances
that the law has, not from the sample. Each method is every refreshment of momenta (all, 0.7 kept, none) with every mode of directions.
Tests are made of each method by itself, of all methods of an integrator together, and of all exact methods together. A bias of the
size in the last columns (in standard deviations of a quantity) is found with probability 0.9, correction included.

)",
             count(total(families, "draws")), count(total(exact, "draws")), tests, critical_z(tests),
             bad == 0 ? "No test of an exact method is rejected."
                      : fmt::format("{} tests of exact methods are rejected.", bad),
             standing_of) +
         by_law(t) + "\n" + by_integrator(t) + "\n" + out_of_range(t) + rejected_of_exact(t);
}

/// Of a way to run on a law and of one of its draws.
std::string trace_cell(const Table& one) {
  const double bound = numbers(one, "bound").front();
  return fmt::format(" {:.1f} ({:.4f} ± {:.4f}{}: {}) |", numbers(one, "worst_z").front(), numbers(one, "bias").front(),
                     numbers(one, "error").front(), bound > 0.0 ? fmt::format(" within {:.4f}", bound) : "",
                     texts(one, "worst").front());
}

/// Runs that the clock would have ended before their first draw.
std::string late_runs(const Table& traces) {
  std::string text;
  const Table firsts = where(traces, {{"draw", "first"}});
  for (std::size_t i = 0; i < row_count(firsts); ++i)
    if (const double late = numbers(firsts, "late")[i]; late > 0.0)
      text += fmt::format("{} {:.0f} of {:.0f} with `{}` on {}", text.empty() ? "" : ",", late,
                          numbers(firsts, "runs")[i], texts(firsts, "way")[i], texts(firsts, "law")[i]);
  if (text.empty()) return text;
  return "\nTime was up before the first draw in" + text +
         ". These runs are gone on with until they have that draw, which the clock has no say in, and count with it.\n";
}

std::string rejected_traces(const Table& rejected) {
  if (row_count(rejected) == 0) return "\n**No test is rejected.**\n";
  std::string text =
      "\n**Rejected:**\n\n| way to run | law | draw | quantity | runs | z | bias | corrected p "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < row_count(rejected); ++i)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {:.2f} | {:.4f} | {:.1e} |\n", texts(rejected, "way")[i],
                        texts(rejected, "law")[i], texts(rejected, "draw")[i], texts(rejected, "quantity")[i],
                        count(numbers(rejected, "runs")[i]), numbers(rejected, "z")[i], numbers(rejected, "bias")[i],
                        numbers(rejected, "p")[i]);
  return text;
}

std::string trace_section(const Tables& t) {
  const std::string heading = "\n## Warm-up leaves no trace\n\n", standing_of = standing(amount_of_traces(t));
  const Table& traces = table(t, "traces");
  if (row_count(traces) == 0) return heading + standing_of;
  const auto tests = static_cast<std::size_t>(total(traces, "tests"));
  std::string text =
      heading +
      fmt::format(
          R"(Short runs of four chains that begin with exact draws of the law, with 200 iterations of warm-up in which everything is adapted that
is adapted by default, and 20 draws. With `--tuning` nothing is adapted. {} tests; a z beyond {:.2f} is significant at 1 % among so many.
Runs are independent, and how much they vary is taken from them. A bias is in standard deviations of the quantity, with its standard error;
one of {:.3f} in the first or last draw, beyond its bound where it has one, is seen with probability 0.9, correction included.

What is promised: with a tuning, draws at a place that is given beforehand have the law exactly. After warm-up they have it nearly: steps
and preconditioner were fitted to where chains happened to be, and what chains do next depends on it.
What that leaves behind is within {} standard deviations, and fades as chains move on. `resume` makes the same draws, to the last bit, as
a run that was never ended. Where the draws decide when to stop (`--target-ess`) or the clock does (`--max-seconds`), how many there are,
n, may depend on where the chains are: draws at given places stay as they were, the mean of all has a bias. It is at most sd(n)/E n times
the standard error of a run (but for a few draws at its end), and falls as 1/n where n scatters as little as the mean does. The table has such
bounds as "within", after warm-up that has adapted beside what that leaves behind; z is that of the bias itself, and only what is beyond the bound is tested.

{}
| way to run | law | runs | draws of a chain | first draw: worst z (bias ± error: quantity) | last draw | mean of all draws |
|---|---|---|---|---|---|---|
)",
          tests, critical_z(tests), visible_bias(4.0 * smallest(numbers(traces, "runs")), tests), nearly, standing_of);
  for (const std::string& way : levels(traces, "way"))
    for (const std::string& law : levels(where(traces, {{"way", way}}), "law")) {
      const Table mine = where(traces, {{"way", way}, {"law", law}});
      text += fmt::format("| `{}` | {} | {} | {:.0f} |", way, law, count(numbers(mine, "runs").front()),
                          numbers(mine, "draws").front());
      for (const char* draw : {"first", "last", "mean of all"}) text += trace_cell(where(mine, {{"draw", draw}}));
      text += "\n";
    }
  return text + late_runs(traces) + rejected_traces(table(t, "rejected"));
}

/// Counts in bins as a line of bars, from none to twice what is expected.
std::string histogram(const std::vector<double>& counts) {
  static constexpr std::array<const char*, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double all = 0.0;
  for (const double x : counts) all += x;
  std::string text;
  for (const double x : counts)
    text += bars[static_cast<std::size_t>(std::clamp(4.0 * x * static_cast<double>(counts.size()) / all, 0.0, 7.0))];
  return text;
}

const char* verdict_of(double corrected_p, double replications) {
  if (corrected_p <= false_alarm) return "**rejected**";
  return replications < promised_replications ? "not contradicted" : "calibrated";
}

std::string calibration_section(const Tables& t) {
  const std::string heading = "\n## Calibration by simulation\n\n", standing_of = standing(amount_of_calibration(t));
  const Table& verdicts = table(t, "verdicts");
  if (row_count(verdicts) == 0) return heading + standing_of;
  std::string text =
      heading +
      fmt::format(
          R"(Parameters from the prior, data from the parameters, a run at default settings (four chains, 1000 draws each after warm-up), and the
rank of each parameter, and of the log density at the true parameters, among 99 draws that are 40 iterations apart. Where all is right, ranks are uniform. The ECDF
of the ranks is compared with bands that hold at all places at once (Säilynoja, Bürkner and Vehtari 2022); {} quantities, corrected
after Holm. Histograms are of the quantity with the smallest p, in twenty bins; the fifth of eight heights is what is expected.
The last numbers are what these replications would have seen with probability 0.9, correction included: a posterior whose centre is off, in its
standard deviations, or that is too narrow by a factor. What they could have seen is all that they speak for: where there are fewer than are
promised, the most that is said is that they do not contradict.

{}
| model | method | replications | quantities | smallest p, and of what | its ranks | corrected | seen with 90 %: centre off by, too narrow by | |
|---|---|---|---|---|---|---|---|---|
)",
          row_count(verdicts), standing_of);
  for (const std::string& model : levels(verdicts, "model"))
    for (const std::string& method : levels(where(verdicts, {{"model", model}}), "method")) {
      const Table mine = where(verdicts, {{"model", model}, {"method", method}});
      const auto& p = numbers(mine, "p");
      const auto worst = static_cast<std::size_t>(std::ranges::min_element(p) - p.begin());
      const std::string quantity = texts(mine, "quantity")[worst];
      const double corrected = numbers(mine, "corrected_p")[worst];
      text += fmt::format("| {} | {} | {:.0f} | {} | {:.4f}, {} | {} | {:.2f} | {:.2f} sd, {:.2f} times | {} |\n",
                          model, method, numbers(mine, "replications").front(), p.size(), p[worst], quantity,
                          histogram(numbers_where(table(t, "ranks"), "count",
                                                  {{"model", model}, {"method", method}, {"quantity", quantity}})),
                          corrected, numbers(mine, "visible_shift").front(), numbers(mine, "visible_width").front(),
                          verdict_of(corrected, numbers(mine, "replications").front()));
    }
  return text;
}

}  // namespace

std::string to_page(const Findings& f) {
  const Provenance& p = f.provenance;
  return fmt::format(R"(# Exactness, by long runs

<!-- written by ./dev prove --keep; a test holds this page to the tables in docs/proofs/ -->

What would show a bias if there were one, repeated with `./dev prove` (hours; `./dev prove --minutes 5` for a taste; it goes on where it
was ended). Computed {}, version {}, {}program {}, seed {}, {} ({}), {}, {:.1f} hours of one core.
)",
                     p.begun.empty() ? p.date : fmt::format("{} to {}", p.begun, p.date), p.version,
                     p.commit.empty() ? "" : fmt::format("commit {}, ", p.commit), p.program, p.seed, p.processor,
                     p.machine, p.compiler, p.cpu_hours) +
         exactness_section(f.exactness) + trace_section(f.traces) + calibration_section(f.calibration) + R"(
## What this does not cover

Laws of more than ten dimensions, and laws whose modes are so far apart that chains stay in one; Stan programs, but for
eight schools; runs on several machines. Single and mixed precision are on `regression` alone, the one law here whose model has gradients in single
precision. Several processes (MPI) are no way to run of their own: their draws are those of one process, to the last bit, which `cli.Processes*` and
`sample.ChainShare*` compare. `chees` moves chains as `jittered` does once warm-up has found its length, so that its row is that of
steps that vary. Independent starts in the law show a wrong stationary law only as far as it is left within four transitions: a bias that builds
up over many more is seen smaller than it is.
)";
}

}  // namespace darboux::proofs

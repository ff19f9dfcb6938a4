#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <darboux/version.hpp>
#include <memory>

#include "contest.hpp"
#include "data_set.hpp"
#include "experiment.hpp"
#include "figures.hpp"
#include "linalg/dense.hpp"
#include "logistic_ess.hpp"
#include "model/start.hpp"
#include "paper_method.hpp"

/// The paper's first experiment: twelve logistic regressions, six methods, ten runs each.
namespace darboux::experiments {

namespace {

constexpr double rhat_threshold = 1.05;  // the paper's

struct LogisticCell {
  DataSet set;
  PaperMethod method;
  PaperSetting setting;
  int runs = 10;
  int reference_draws = 10'000;
  std::filesystem::path data;
  std::shared_ptr<SharedReference> reference;
};

Tables run_cell(const LogisticCell& cell, const std::atomic<bool>& stop) {
  const LogisticTask task = load_task(cell.set, cell.data);
  PaperSetting setting = cell.setting;
  setting.A = StructuredMatrix::from(symmetric_square_root(task.fisher).value());
  const auto laplace = Whitened::from_precision(task.model, task.mode, task.fisher);
  const auto starts = [&](const PaperSetting& run) {
    return gaussian_starts(laplace, {.seed = run.seed, .chains = run.chains});
  };
  Tables tables;
  const FixedRun all =
      run_method(cell.method, setting, {task.model, starts, cell.reference->of(task.model, cell.reference_draws, stop)},
                 cell.runs, tables["runs"], {"set", cell.set.name}, stop);
  append_coordinates(tables["coefficients"], {"set", cell.set.name}, cell.method, all, task.model->names());
  return tables;
}

std::ptrdiff_t sets_below_canonical(const Table& coefficients, std::string_view method) {
  const auto sets = levels(coefficients, "set");
  return std::count_if(sets.begin(), sets.end(), [&](const std::string& set) {
    return largest_rhat(coefficients, {"set", set}, method) < largest_rhat(coefficients, {"set", set}, "canonical");
  });
}

Claim smaller_rhat_claim(const Table& coefficients) {
  std::string evidence = "Largest R̂ of any coefficient below canonical's:";
  bool holds = true;
  const auto sets = levels(coefficients, "set");
  for (const std::string_view method : non_canonical) {
    const auto below = sets_below_canonical(coefficients, method);
    holds = holds && 2 * below > std::ssize(sets);
    evidence += fmt::format(" {} on {} of {} sets;", paper_method(method).label, below, sets.size());
  }
  evidence.pop_back();
  return {"figure of R̂, logistic regression", "R̂ tends to be smaller with non-canonical structures", verdict_of(holds),
          evidence};
}

Claim converging_claim(const Table& coefficients) {
  double worst = 0.0;
  std::string at;
  for (const std::string& set : levels(coefficients, "set"))
    for (const std::string_view method : {"canonical", "magnetic-position"}) {
      const double r = largest_rhat(coefficients, {"set", set}, method);
      if (set == "titanic" || r <= worst) continue;
      worst = r;
      at = fmt::format("{} on {}", paper_method(method).label, set);
    }
  return {"figure of R̂, logistic regression", "canonical and magnetic HMC are below 1.05 on all sets but Titanic",
          verdict_of(worst < rhat_threshold),
          fmt::format("Largest R̂ of these two, Titanic left out: {:.3f} ({})", worst, at)};
}

Claim titanic_claim(const Table& coefficients) {
  const double can = largest_rhat(coefficients, {"set", "titanic"}, "canonical");
  const double mag = largest_rhat(coefficients, {"set", "titanic"}, "magnetic-position");
  return {"figure of R̂, logistic regression", "on Titanic, canonical and magnetic HMC do not converge",
          verdict_of(can > rhat_threshold && mag > rhat_threshold),
          fmt::format("Largest R̂ there: Can. {:.3f}, Mag. Pos. {:.3f}, Mag. Mom. Imp. {:.3f}", can, mag,
                      largest_rhat(coefficients, {"set", "titanic"}, "magnetic-momentum-implicit"))};
}

/// The minimum ESS by the paper's own count of gradients: two a step for leapfrog, four for explicit steps, implicit as counted.
Table at_the_papers_cost(const Table& runs) {
  Table counted;
  for (std::size_t i = 0; i < row_count(runs); ++i) {
    const PaperMethod& method = paper_method(texts(runs, "method")[i]);
    const bool implicit = method.integrator == IntegratorKind::midpoint;
    const double shared =
        method.is_approximate() ? (method.sequence == CopySequence::paper ? 3.0 : 2.0) : 1.0;  // a step, here
    append_row(counted, {{"set", texts(runs, "set")[i]},
                         {"method", method.name},
                         {"ess", numbers(runs, "min_ess_per_1000_gradients")[i] *
                                     (implicit ? 1.0 : shared / method.papers_gradients())}});
  }
  return counted;
}

Claim per_second_claim(const Table& runs) {
  const auto found = contests(runs, {"set", "min_ess_per_second", timing_error}, non_canonical, "canonical");
  const auto counted = contests(at_the_papers_cost(runs), {"set", "ess"}, non_canonical, "canonical");
  return {
      "figure of ESS, logistic regression",
      "the minimum ESS per second is larger with non-canonical structures, for means of coefficients",
      verdict_of(all_win(found)),
      fmt::format(
          "Over canonical, median over the sets: {}. Neighbouring steps share gradients here, which halves the cost of "
          "leapfrog and takes a quarter off that of explicit steps; by the paper's count, two and four a step, it "
          "would "
          "{}: {}",
          text_of(found), all_win(counted) ? "be confirmed" : "not be confirmed either", text_of(counted)),
      fmt::format(
          "Over canonical, median over the sets: {}. Neighbouring steps share gradients here, which halves the "
          "cost of leapfrog and takes a quarter off that of explicit steps; by the paper's count it would be {}",
          range_of(found), range_of(counted)),
      {table_of(found, "Per second"), table_of(counted, "By the paper's count of gradients, two and four a step")}};
}

Claim time_claim(const Table& runs) {
  const Contest time = contest(runs, {"set", "seconds"}, "magnetic-momentum-explicit", "canonical");
  const Contest gradients = contest(runs, {"set", "gradients"}, "magnetic-momentum-explicit", "canonical");
  return {
      "section on experiments", "explicit integration takes about twice the time of leapfrog per iteration",
      Verdict::not_testable,
      fmt::format(
          "Median over the sets: {:.2f} times the CPU time and {:.2f} times the gradients, because neighbouring steps "
          "share them here: leapfrog takes one a step instead of the paper's two, explicit steps three instead of four",
          time.ratio, gradients.ratio)};
}

Claim acceleration_claim(const Table& runs) {
  const Measure per_second{"set", "min_ess_per_second", timing_error};
  const std::array found{contest(runs, per_second, "magnetic-momentum-explicit", "magnetic-momentum-implicit"),
                         contest(runs, per_second, "coupled-explicit", "coupled-implicit")};
  const std::array schur{contest(runs, per_second, "magnetic-momentum-explicit-schur-2", "magnetic-momentum-implicit"),
                         contest(runs, per_second, "coupled-explicit-schur-2", "coupled-implicit")};
  return {
      "introduction",
      "explicit integration can further accelerate the method",
      verdict_of(found[0].better > 0 && found[1].better > 0),
      fmt::format("Minimum ESS for means per second over implicit integration: {}; with the minimum-norm basis and "
                  "two gradients: {}",
                  text_of(found), text_of(schur)),
      fmt::format("Minimum ESS for means per second over implicit integration: {}; with the minimum-norm basis and "
                  "two gradients {}",
                  range_of(found), range_of(schur)),
      {table_of(found, "", "implicit"), table_of(schur, "With the minimum-norm basis and two gradients", "implicit")}};
}

std::vector<Claim> cost_claims(const Table& runs) {
  return {per_second_claim(runs), time_claim(runs), acceleration_claim(runs)};
}

std::vector<Claim> convergence_claims(const Table& coefficients) {
  std::vector<Claim> claims{smaller_rhat_claim(coefficients), converging_claim(coefficients)};
  const auto sets = levels(coefficients, "set");
  if (std::find(sets.begin(), sets.end(), "titanic") != sets.end()) claims.push_back(titanic_claim(coefficients));
  return claims;
}

/// On how many sets a method's coefficients are all below the paper's threshold.
std::string converged_title(std::string_view what, const Table& coefficients, std::string_view column) {
  const auto sets = levels(coefficients, "set");
  const auto below = [&](std::string_view method) {
    return std::count_if(sets.begin(), sets.end(), [&](const std::string& set) {
      return largest_rhat(coefficients, {"set", set}, method, column) < rhat_threshold;
    });
  };
  return fmt::format(
      "{} is below 1.05 for all coefficients on {} of {} sets with implicit magnetic momentum, {} with "
      "canonical",
      what, below("magnetic-momentum-implicit"), sets.size(), below("canonical"));
}

/// What is left of implicit magnetic momentum's gain, or not, where it is not for means.
ReportTable other_quantities_table(const Table& runs) {
  Table counted;
  for (std::size_t i = 0; i < row_count(runs); ++i)
    append_row(counted, {{"set", texts(runs, "set")[i]},
                         {"method", texts(runs, "method")[i]},
                         {"squares", numbers(runs, "min_square_ess")[i] / numbers(runs, "gradients")[i]},
                         {"log_density", numbers(runs, "log_density_ess")[i] / numbers(runs, "gradients")[i]}});
  const std::array found{contest(counted, {"set", "squares"}, "magnetic-momentum-implicit", "canonical"),
                         contest(counted, {"set", "log_density"}, "magnetic-momentum-implicit", "canonical")};
  ReportTable table = table_of(found, "Per gradient: implicit magnetic momentum, for what is not a mean");
  table.columns[0].title = "quantity";
  table.rows[0][0] = TableCell("squares");
  table.rows[1][0] = TableCell("log density");
  return table;
}

ReportSection cost_section(const Table& runs, const std::vector<Claim>& cost) {
  const auto all = contests(runs, {"set", "min_ess_per_1000_gradients"}, non_canonical, "canonical");
  const auto cheaper = contests(
      runs, {"set", "min_ess_per_1000_gradients"},
      std::array<std::string_view, 2>{"magnetic-momentum-explicit-schur-2", "coupled-explicit-schur-2"}, "canonical");
  return {
      .id = "logistic-cost",
      .name = "Logistic: cost",
      .title = ratio_title("Effective draws per 1000 gradients", runs, "min_ess_per_1000_gradients"),
      .text =
          {"The paper compares by seconds. Gradients do not depend on machine and program: the first tables are per "
           "gradient, over canonical, medians over the sets.",
           "Seconds are of CPU, the chains of a run computed side by side on one core. The large table has medians "
           "over runs of the minimum ESS for means per 1000 gradients."},
      .contrasts = contrasts_of(cost),
      .numbers = {table_of(all, "Per gradient, for means"),
                  table_of(cheaper, "With the minimum-norm basis and two gradients per step"),
                  other_quantities_table(runs)},
      .table = method_table(runs, {"set", "min_ess_per_1000_gradients"}),
      .figures = {
          boxes_over_runs(runs, ratio_title("Minimum ESS per second", runs, "min_ess_per_second"), "min_ess_per_second",
                          "minimum ESS per second (1/s)", true),
          boxes_over_runs(runs, ratio_title("Minimum ESS per 1000 gradients", runs, "min_ess_per_1000_gradients"),
                          "min_ess_per_1000_gradients", "minimum ESS per 1000 gradients (draws)", true)}};
}

ReportSection convergence_section(const Table& runs, const Table& coefficients, const std::vector<Claim>& convergence) {
  const auto rhats = [&](std::string_view what, std::string_view column, std::string_view unit) {
    return box_figure(coefficients, {.title = converged_title(what, coefficients, column),
                                     .caption = "Boxes: quartiles and range over coefficients.",
                                     .of = "set",
                                     .of_title = "data set",
                                     .column = column,
                                     .unit = unit,
                                     .logarithmic = true});
  };
  return {
      .id = "logistic-convergence",
      .name = "Logistic: R̂",
      .title = fmt::format("R̂ is below canonical's on {} of {} sets with implicit magnetic momentum",
                           sets_below_canonical(coefficients, "magnetic-momentum-implicit"),
                           levels(coefficients, "set").size()),
      .text =
          {"R̂ of 1992 over all chains of a method, and its rank-normalised successor, each over all coefficients. The "
           "paper calls 1.05 its threshold. The table has the largest R̂ of 1992 of any coefficient."},
      .contrasts = contrasts_of(convergence),
      .table = method_table(coefficients, {"set", "rhat_1992", largest, with_three_decimals}),
      .figures = {
          rhats("R̂ of 1992", "rhat_1992", "R̂ of 1992 (ratio)"), rhats("Rank-normalised R̂", "rhat", "R̂ (ratio)"),
          boxes_over_runs(runs, "Least accepted in the median: " + extreme_text(runs, "acceptance", Extreme::smallest),
                          "acceptance", "share of proposals accepted (1)", false),
          boxes_over_runs(
              runs, "Largest energy error in the median, nats: " + extreme_text(runs, "energy_error", Extreme::largest),
              "energy_error", "mean |ΔH| of a proposal (nats)", true)}};
}

Findings reduce(const Tables& tables) {
  const Table& runs = tables.at("runs");
  const Table& coefficients = tables.at("coefficients");
  const auto ess = logistic_ess_claims(runs);
  const auto cost = cost_claims(runs);
  const auto convergence = convergence_claims(coefficients);
  Findings found;
  for (const auto* claims : {&ess, &cost, &convergence})
    found.claims.insert(found.claims.end(), claims->begin(), claims->end());
  found.sections = {logistic_ess_section(runs, ess), logistic_quantities_section(runs),
                    logistic_direction_section(runs), cost_section(runs, cost),
                    convergence_section(runs, coefficients, convergence)};
  return found;
}

}  // namespace

Experiment logistic_experiment(const Scale& scale) {
  Experiment experiment{
      .name = "logistic", .title = "Logistic regressions, in the paper's setting", .cells = {}, .reduce = reduce};
  for (const DataSet& set : list_data_sets(scale.data)) {
    LogisticCell cell{.set = set,
                      .method = {},
                      .setting = {.A = {},  // by the data
                                  .k = 2.0,
                                  .step_size = 1.0 / (10.0 * static_cast<double>(set.training_rows)),
                                  .steps = 100,
                                  .draws = scale.quick ? 100 : 1000,
                                  .chains = 2,
                                  .seed = scale.seed},
                      .runs = scale.runs,
                      .reference_draws = scale.quick ? 1000 : 10'000,
                      .data = scale.data,
                      .reference = std::make_shared<SharedReference>()};
    for (const PaperMethod& method : paper_methods()) {
      // Of the explicit variants the cheapest: those with more gradients take the same paths.
      if (!method.in_paper && method.is_approximate() && method.sequence == CopySequence::paper) continue;
      cell.method = method;
      experiment.cells.push_back(
          {.key = fmt::format("logistic/{}/{}", set.name, method.name),
           .settings = {{"version", version()},
                        {"set", set.name},
                        {"data", set.checksum},
                        {"rows", set.training_rows},
                        {"method", method.name},
                        {"k", cell.setting.k},
                        {"step_size", cell.setting.step_size},
                        {"steps", cell.setting.steps},
                        {"draws", cell.setting.draws},
                        {"chains", cell.setting.chains},
                        {"runs", cell.runs},
                        {"reference_draws", cell.reference_draws},
                        {"seed", cell.setting.seed}},
           .cost = method.expected_gradients() * static_cast<double>((set.training_rows + 1000) * (set.features + 5)),
           .compute = [cell](const std::atomic<bool>& stop) { return run_cell(cell, stop); }});
    }
  }
  return experiment;
}

}  // namespace darboux::experiments

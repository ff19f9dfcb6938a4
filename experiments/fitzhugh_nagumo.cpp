#include "model/fitzhugh_nagumo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <darboux/version.hpp>
#include <memory>

#include "contest.hpp"
#include "experiment.hpp"
#include "figures.hpp"
#include "paper_method.hpp"

/// The paper's second experiment: three parameters of a differential equation.
namespace darboux::experiments {

namespace {

constexpr std::array step_counts{5, 10, 100};
constexpr FitzHughNagumoParameters truth;
constexpr std::array<std::string_view, 2> by_implicit_steps{"magnetic-momentum-implicit", "coupled-implicit"};
constexpr std::array<std::string_view, 1> by_explicit_steps{"magnetic-momentum-explicit"};
constexpr std::array<std::string_view, 3> by_direction{
    "magnetic-momentum-implicit", "magnetic-momentum-implicit-random", "magnetic-momentum-implicit-turned"};

/// The paper's table: of 100 steps, two digits.
struct Printed {
  std::string_view method, parameter;
  double mean, sd, median;
};
constexpr std::array printed{
    Printed{"canonical", "a", 0.18, 0.01, 0.18},
    Printed{"canonical", "b", 0.28, 0.07, 0.28},
    Printed{"canonical", "c", 2.97, 0.05, 2.97},
    Printed{"magnetic-position", "a", 0.18, 0.01, 0.18},
    Printed{"magnetic-position", "b", 0.28, 0.07, 0.28},
    Printed{"magnetic-position", "c", 2.97, 0.05, 2.97},
    Printed{"magnetic-momentum-implicit", "a", 0.19, 0.02, 0.19},
    Printed{"magnetic-momentum-implicit", "b", 0.28, 0.08, 0.29},
    Printed{"magnetic-momentum-implicit", "c", 2.96, 0.05, 2.96},
    Printed{"magnetic-momentum-explicit", "a", 0.19, 0.02, 0.19},
    Printed{"magnetic-momentum-explicit", "b", 0.28, 0.08, 0.29},
    Printed{"magnetic-momentum-explicit", "c", 2.96, 0.05, 2.97},
    Printed{"coupled-implicit", "a", 0.19, 0.02, 0.19},
    Printed{"coupled-implicit", "b", 0.28, 0.08, 0.29},
    Printed{"coupled-implicit", "c", 2.96, 0.05, 2.97},
    Printed{"coupled-explicit", "a", 0.18, 0.02, 0.19},
    Printed{"coupled-explicit", "b", 0.28, 0.10, 0.28},
    Printed{"coupled-explicit", "c", 2.96, 0.06, 2.97},
};

struct FitzHughNagumoCell {
  PaperMethod method;
  PaperSetting setting;
  int runs = 10;
  int reference_draws = 10'000;
  std::shared_ptr<SharedReference> reference;
};

OwnedBatch starts_at_the_truth(const PaperSetting& setting) {
  OwnedBatch starts(3, setting.chains);
  for (Index c = 0; c < setting.chains; ++c) {
    starts(0, c) = truth.a;
    starts(1, c) = truth.b;
    starts(2, c) = truth.c;
  }
  return starts;
}

Tables run_cell(const FitzHughNagumoCell& cell, const std::atomic<bool>& stop) {
  const auto model = std::make_shared<const FitzHughNagumo>();
  const std::string steps = fmt::format("{}", cell.setting.steps);
  Tables tables;
  const FixedRun all = run_method(cell.method, cell.setting,
                                  {model, starts_at_the_truth, cell.reference->of(model, cell.reference_draws, stop)},
                                  cell.runs, tables["runs"], {"steps", steps}, stop);
  append_coordinates(tables["parameters"], {"steps", steps}, cell.method, all, model->names());
  return tables;
}

double typical(const Table& runs, std::string_view column, const std::string& steps, std::string_view method) {
  return median(numbers_where(runs, column, {{"steps", steps}, {"method", method}}));
}

std::string best_of(const Table& runs, std::string_view column, const std::string& steps) {
  std::string best;
  double most = -1.0;
  for (const PaperMethod& method : paper_methods()) {
    const double value = typical(runs, column, steps, method.name);
    if (!method.in_paper || value <= most) continue;
    most = value;
    best = method.name;
  }
  return best;
}

/// "the minimum ESS is clearly larger with …, for means".
Claim improvement_claim(const Table& runs, std::string_view column, std::string_view what, std::string_view of,
                        bool implicit) {
  const auto found =
      contests(runs, {"steps", column},
               implicit ? std::span<const std::string_view>(by_implicit_steps) : by_explicit_steps, "canonical");
  return {of == "means" ? "figure of FitzHugh-Nagumo" : fmt::format("figure of FitzHugh-Nagumo, read as of {}", of),
          fmt::format("{} ESS is clearly larger with {}, for {}", what,
                      implicit ? "non-canonical structures, by implicit steps" : "magnetic momentum, by explicit steps",
                      of),
          verdict_of(all_win(found)),
          "Over canonical, median of 5, 10 and 100 steps: " + text_of(found),
          "Over canonical, median of 5, 10 and 100 steps: " + range_of(found),
          {table_of(found, "")}};
}

Claim strongest_claim(const Table& runs) {
  std::string evidence = "Highest median of the minimum ESS per second, of the paper's methods:";
  bool holds = true;
  for (const std::string& steps : levels(runs, "steps")) {
    const std::string best = best_of(runs, "min_ess_per_second", steps);
    holds = holds && best == "magnetic-momentum-explicit";
    evidence += fmt::format(" {} with {} steps;", paper_method(best).label, steps);
  }
  const std::array<std::string_view, 4> bases{"magnetic-momentum-explicit", "magnetic-momentum-explicit-closed",
                                              "magnetic-momentum-explicit-schur", "magnetic-momentum-explicit-schur-2"};
  const auto found = contests(runs, {"steps", "min_ess_per_second", timing_error}, bases, "canonical");
  return {"figure of FitzHugh-Nagumo",
          "explicit magnetic momentum has the highest minimum ESS per second, with 5, 10 and 100 steps",
          verdict_of(holds),
          fmt::format("{} per second, over canonical: {}", evidence, text_of(found)),
          fmt::format("{} per second, over canonical: {}", evidence, range_of(found)),
          {table_of(found, "Minimum ESS per second")}};
}

Claim implicit_claim(const Table& runs) {
  std::string evidence = "Minimum ESS per second over that of canonical:";
  bool holds = true;
  for (const std::string& steps : {std::string("5"), std::string("10")}) {
    const IntervalEstimate ratio = paired_ratio(runs, {"steps", "min_ess_per_second", timing_error}, steps,
                                                "magnetic-momentum-implicit", "canonical");
    holds = holds && ratio.low > 1.0;
    evidence += fmt::format(" {:.2f} ({:.2f} to {:.2f}) with {} steps;", ratio.center, ratio.low, ratio.high, steps);
  }
  evidence.back() = '.';
  return {"figure of FitzHugh-Nagumo", "implicit magnetic momentum is also strong with 5 and 10 steps",
          verdict_of(holds), evidence};
}

std::string rhat_title(const Table& parameters) {
  return fmt::format("Largest R̂ (1992) with 100 steps: explicit magnetic momentum {:.3f}, canonical {:.3f}",
                     largest_rhat(parameters, {"steps", "100"}, "magnetic-momentum-explicit"),
                     largest_rhat(parameters, {"steps", "100"}, "canonical"));
}

Claim rhat_claim(const Table& parameters) {
  std::string evidence = "Largest R̂ (1992), Can. / Mag. Mom. Imp. / C. Mag. Imp.:";
  bool holds = true;
  for (const std::string& steps : levels(parameters, "steps")) {
    const double can = largest_rhat(parameters, {"steps", steps}, "canonical");
    const double mm = largest_rhat(parameters, {"steps", steps}, "magnetic-momentum-implicit");
    const double coupled = largest_rhat(parameters, {"steps", steps}, "coupled-implicit");
    holds = holds && mm < can && coupled < can;
    evidence += fmt::format(" {:.3f} / {:.3f} / {:.3f} with {} steps;", can, mm, coupled, steps);
  }
  evidence.back() = '.';
  return {"figure of FitzHugh-Nagumo", "R̂ is lower with non-canonical structures", verdict_of(holds), evidence};
}

/// Whether fewer proposals are accepted than of the implicit integrator of the same motion, and whether another basis helps.
Claim energy_claim(const Table& runs) {
  constexpr double clearly = 0.1, hardly = 0.05;
  const double implicit = typical(runs, "acceptance", "100", "coupled-implicit");
  const double gs = typical(runs, "acceptance", "100", "coupled-explicit");
  const double schur = typical(runs, "acceptance", "100", "coupled-explicit-schur");
  const std::string cause = gs > implicit - clearly     ? "neither basis fails here"
                            : schur > implicit - hardly ? "it is the basis, not the method"
                            : schur > gs + clearly      ? "it is partly the basis"
                                                        : "it is the method";
  return {"section on FitzHugh-Nagumo",
          "explicit integration of the coupled structure does not hold the energy and accepts fewer",
          verdict_of(gs < implicit - clearly),
          fmt::format("Median acceptance with 100 steps: {:.2f} in the Gram-Schmidt basis (mean |ΔH| {}), {:.2f} in "
                      "the Schur basis "
                      "({}), {:.2f} by implicit midpoint: {}. Explicit magnetic momentum, which the paper has no "
                      "trouble with, accepts {:.2f} "
                      "in the Gram-Schmidt basis and {:.2f} in the closed form that the paper gives for it",
                      gs, shown(typical(runs, "energy_error", "100", "coupled-explicit")), schur,
                      shown(typical(runs, "energy_error", "100", "coupled-explicit-schur")), implicit, cause,
                      typical(runs, "acceptance", "100", "magnetic-momentum-explicit"),
                      typical(runs, "acceptance", "100", "magnetic-momentum-explicit-closed"))};
}

/// By how many posterior standard deviations means of the paper's methods differ, at most.
Claim agreement_claim(const Table& parameters) {
  double most = 0.0;
  for (const std::string& parameter : levels(parameters, "coordinate")) {
    double low = 1e300, high = -1e300, spread = 0.0;
    for (const PaperMethod& method : paper_methods()) {
      if (!method.in_paper) continue;
      const Table row = where(parameters, {{"steps", "100"}, {"method", method.name}, {"coordinate", parameter}});
      low = std::min(low, numbers(row, "mean").front());
      high = std::max(high, numbers(row, "mean").front());
      if (method.name == "magnetic-momentum-implicit") spread = numbers(row, "sd").front();
    }
    most = std::max(most, (high - low) / spread);
  }
  constexpr double close = 0.25;
  return {"table of FitzHugh-Nagumo", "the six methods agree approximately on a, b and c", verdict_of(most < close),
          fmt::format("Means differ by at most {:.2f} posterior standard deviations", most)};
}

Claim values_claim(const Table& parameters) {
  const Table row =
      where(parameters, {{"steps", "100"}, {"method", "magnetic-momentum-implicit"}, {"coordinate", "b"}});
  return {
      "table of FitzHugh-Nagumo", "the table's values, such as b = 0.28 (0.08)", Verdict::not_testable,
      fmt::format("They belong to data that were not published: another data set, initial state and times. Here b = "
                  "{:.2f} ({:.2f})",
                  numbers(row, "mean").front(), numbers(row, "sd").front())};
}

ReportTable inference_table(const Table& parameters) {
  ReportTable table{.columns = {{.title = "method", .is_number = false},
                                {.title = "parameter", .is_number = false},
                                {.title = "mean"},
                                {.title = "sd"},
                                {.title = "median"},
                                {.title = "paper's mean"},
                                {.title = "paper's sd"},
                                {.title = "paper's median", .dispensable = 1}}};
  const auto two_digits = [](double x) { return TableCell(x, fmt::format("{:.2f}", x)); };
  for (const Printed& paper : printed) {
    const Table row = where(parameters, {{"steps", "100"}, {"method", paper.method}, {"coordinate", paper.parameter}});
    table.rows.push_back({std::string(paper_method(paper.method).label), std::string(paper.parameter),
                          two_digits(numbers(row, "mean").front()), two_digits(numbers(row, "sd").front()),
                          two_digits(numbers(row, "median").front()), two_digits(paper.mean), two_digits(paper.sd),
                          two_digits(paper.median)});
  }
  return table;
}

ReportSection ess_section(const Table& runs, const Table& parameters, const std::vector<Claim>& performance) {
  const auto boxes = [](const Table& table, std::string title, std::string_view column, std::string_view unit,
                        bool logarithmic = false) {
    return box_figure(table, {.title = std::move(title),
                              .caption = "Boxes: quartiles and range.",
                              .of = "steps",
                              .of_title = "steps of a trajectory (number)",
                              .column = column,
                              .unit = unit,
                              .logarithmic = logarithmic});
  };
  const auto ratio = [&](std::string_view column) {
    return contest(runs, {"steps", column}, "magnetic-momentum-explicit", "canonical").ratio;
  };
  const auto ratio_boxes = [&](std::string_view what, std::string_view column, std::string_view unit,
                               bool logarithmic = false) {
    return boxes(runs,
                 fmt::format("{}: explicit magnetic momentum {} canonical (median of 5, 10 and 100 steps)", what,
                             is_about_one(ratio(column)) ? "as much as" : in_times(ratio(column))),
                 column, unit, logarithmic);
  };
  return {
      .id = "fitzhugh-nagumo-ess",
      .name = "FitzHugh-Nagumo: ESS",
      .title = fmt::format("Explicit magnetic momentum's minimum ESS over canonical's: {}, per gradient {}",
                           in_times(ratio("min_ess")), in_times(ratio("min_ess_per_1000_gradients"))),
      .text =
          {"Three parameters, 200 observations of V and R, A = I, k = 50, ε = 0.005, 1000 draws (100 in a quick run), "
           "every run of two chains from the truth, on one simulated data set, with a random structure of its own. ESS "
           "is of a chain, about known means and variances as for the logistic regressions. Medians of 5, 10 and 100 "
           "steps. The large table has medians over runs of the minimum ESS for means per 1000 gradients."},
      .contrasts = contrasts_of(performance),
      .numbers = {table_of(contests(runs, {"steps", "min_ess"}, by_direction, "canonical"),
                           "By the direction in time: minimum ESS for means of implicit magnetic momentum")},
      .table = method_table(runs, {"steps", "min_ess_per_1000_gradients"}),
      .figures = {
          ratio_boxes("Mean ESS", "mean_ess", "mean ESS (draws)"),
          ratio_boxes("Minimum ESS", "min_ess", "minimum ESS (draws)"),
          ratio_boxes("Minimum ESS per second", "min_ess_per_second", "minimum ESS per second (1/s)", true),
          ratio_boxes("Minimum ESS per 1000 gradients", "min_ess_per_1000_gradients",
                      "minimum ESS per 1000 gradients (draws)", true),
          boxes(parameters, rhat_title(parameters), "rhat_1992", "R̂ of 1992 (ratio)"),
          boxes(runs, "Least accepted in the median: " + extreme_text(runs, "acceptance", Extreme::smallest),
                "acceptance", "share of proposals accepted (1)"),
          boxes(runs,
                "Largest energy error in the median, nats: " + extreme_text(runs, "energy_error", Extreme::largest),
                "energy_error", "mean |ΔH| of a proposal (nats)", true)}};
}

Findings reduce(const Tables& tables) {
  const Table& runs = tables.at("runs");
  const Table& parameters = tables.at("parameters");
  const std::vector<Claim> performance{improvement_claim(runs, "mean_ess", "the mean", "means", true),
                                       improvement_claim(runs, "mean_ess", "the mean", "means", false),
                                       improvement_claim(runs, "min_ess", "the minimum", "means", true),
                                       improvement_claim(runs, "min_ess", "the minimum", "means", false),
                                       improvement_claim(runs, "min_square_ess", "the minimum", "squares", true),
                                       improvement_claim(runs, "log_density_ess", "the", "the log density", true),
                                       strongest_claim(runs),
                                       implicit_claim(runs),
                                       rhat_claim(parameters),
                                       energy_claim(runs)};
  const std::vector<Claim> inference{agreement_claim(parameters), values_claim(parameters)};
  Findings found;
  found.claims = performance;
  found.claims.insert(found.claims.end(), inference.begin(), inference.end());
  found.sections = {
      ess_section(runs, parameters, performance),
      {.id = "fitzhugh-nagumo-inference",
       .name = "FitzHugh-Nagumo: estimates",
       .title = inference.front().evidence,
       .text =
           {"All runs of a method together, 100 steps; beside it what the paper prints, for its own data, which have "
            "not been published."},
       .contrasts = contrasts_of(inference),
       .table = inference_table(parameters)}};
  return found;
}

}  // namespace

Experiment fitzhugh_nagumo_experiment(const Scale& scale) {
  Experiment experiment{.name = "fitzhugh-nagumo",
                        .title = "Three parameters of the FitzHugh-Nagumo equations, in the paper's setting",
                        .cells = {},
                        .reduce = reduce};
  FitzHughNagumoCell cell{.method = {},
                          .setting = {.A = StructuredMatrix::identity(3),
                                      .k = 50.0,
                                      .step_size = 0.005,
                                      .draws = scale.quick ? 100 : 1000,
                                      .chains = 2,
                                      .seed = scale.seed},
                          .runs = scale.runs,
                          .reference_draws = scale.quick ? 1000 : 10'000,
                          .reference = std::make_shared<SharedReference>()};
  for (const int steps : step_counts)
    for (const PaperMethod& method : paper_methods()) {
      cell.method = method;
      cell.setting.steps = steps;
      experiment.cells.push_back({.key = fmt::format("fitzhugh-nagumo/{}/{}", steps, method.name),
                                  .settings = {{"version", version()},
                                               {"steps", steps},
                                               {"method", method.name},
                                               {"k", cell.setting.k},
                                               {"step_size", cell.setting.step_size},
                                               {"draws", cell.setting.draws},
                                               {"chains", cell.setting.chains},
                                               {"runs", cell.runs},
                                               {"reference_draws", cell.reference_draws},
                                               {"seed", cell.setting.seed}},
                                  .cost = method.expected_gradients() * steps,
                                  .compute = [cell](const std::atomic<bool>& stop) { return run_cell(cell, stop); }});
    }
  return experiment;
}

}  // namespace darboux::experiments

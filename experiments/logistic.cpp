#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <darboux/linalg/dense.hpp>
#include <darboux/model/start.hpp>
#include <darboux/version.hpp>

#include "contest.hpp"
#include "data_set.hpp"
#include "experiment.hpp"
#include "figures.hpp"
#include "paper_method.hpp"

/// The paper's first experiment: twelve logistic regressions, six methods, ten runs each.
namespace darboux::experiments {

namespace {

constexpr std::array<std::string_view, 4> non_canonical{"magnetic-momentum-implicit", "magnetic-momentum-explicit",
                                                        "coupled-implicit", "coupled-explicit"};
constexpr double rhat_threshold = 1.05;  // the paper's

Tables run_cell(const DataSet& set, const PaperMethod& method, PaperSetting setting, const std::filesystem::path& data,
                const std::atomic<bool>& stop) {
  const LogisticTask task = load_task(set, data);
  setting.A = StructureBlock::from(symmetric_square_root(task.fisher).value());
  setting.step_size = 1.0 / (10.0 * static_cast<double>(set.training_rows));
  const OwnedBatch starts = gaussian_starts(Whitened::from_precision(task.model, task.mode, task.fisher),
                                            {.seed = setting.seed, .chains = setting.runs});
  const FixedRun run = run_fixed(task.model, options_for(method, setting), starts, stop);
  Tables tables;
  append_runs(tables["runs"], {"set", set.name}, method, run);
  append_coordinates(tables["coefficients"], {"set", set.name}, method, run, task.model->names());
  return tables;
}

double largest_rhat(const Table& coefficients, const std::string& set, std::string_view method,
                    std::string_view column = "rhat_1992") {
  const auto all = numbers_where(coefficients, column, {{"set", set}, {"method", method}});
  return *std::max_element(all.begin(), all.end());
}

Verdict verdict_of(bool holds) { return holds ? Verdict::confirmed : Verdict::not_confirmed; }

Claim contest_claim(const Table& runs, std::string_view column, std::string where, std::string statement) {
  const auto found = contests(runs, {"set", column}, non_canonical, "canonical");
  return {std::move(where), std::move(statement), verdict_of(all_win(found)),
          "Over canonical, median over the sets: " + text_of(found)};
}

std::ptrdiff_t sets_below_canonical(const Table& coefficients, std::string_view method) {
  const auto sets = levels(coefficients, "set");
  return std::count_if(sets.begin(), sets.end(), [&](const std::string& set) {
    return largest_rhat(coefficients, set, method) < largest_rhat(coefficients, set, "canonical");
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
      const double r = largest_rhat(coefficients, set, method);
      if (set == "titanic" || r <= worst) continue;
      worst = r;
      at = fmt::format("{} on {}", paper_method(method).label, set);
    }
  return {"figure of R̂, logistic regression", "canonical and magnetic HMC are below 1.05 on all sets but Titanic",
          verdict_of(worst < rhat_threshold),
          fmt::format("Largest R̂ of these two, Titanic left out: {:.3f} ({})", worst, at)};
}

Claim titanic_claim(const Table& coefficients) {
  const double can = largest_rhat(coefficients, "titanic", "canonical");
  const double mag = largest_rhat(coefficients, "titanic", "magnetic-position");
  return {"figure of R̂, logistic regression", "on Titanic, canonical and magnetic HMC do not converge",
          verdict_of(can > rhat_threshold && mag > rhat_threshold),
          fmt::format("Largest R̂ there: Can. {:.3f}, Mag. Pos. {:.3f}, Mag. Mom. Imp. {:.3f}", can, mag,
                      largest_rhat(coefficients, "titanic", "magnetic-momentum-implicit"))};
}

Claim best_claim(const Table& runs) {
  constexpr double nearly = 0.9;
  const auto typical = [&](const std::string& set, std::string_view method) {
    return median(numbers_where(runs, "min_ess", {{"set", set}, {"method", method}}));
  };
  const auto sets = levels(runs, "set");
  const auto near_the_best = [&](std::string_view of) {
    return std::count_if(sets.begin(), sets.end(), [&](const std::string& set) {
      double best = 0.0;
      for (const PaperMethod& method : paper_methods())
        if (method.in_paper) best = std::max(best, typical(set, method.name));
      return typical(set, of) >= nearly * best;
    });
  };
  const auto implicit = near_the_best("magnetic-momentum-implicit"),
             by_explicit = near_the_best("magnetic-momentum-explicit");
  return {"section on logistic regression", "magnetic momentum performs well on these benchmarks",
          verdict_of(2 * implicit > std::ssize(sets) && 2 * by_explicit > std::ssize(sets)),
          fmt::format(
              "Its minimum ESS is within 10 % of the best of the six methods' on {} of {} sets by implicit, on {} by "
              "explicit integration; canonical's on {}",
              implicit, sets.size(), by_explicit, near_the_best("canonical"))};
}

Claim time_claim(const Table& runs) {
  const Contest time = contest(runs, {"set", "seconds"}, "magnetic-momentum-explicit", "canonical");
  const Contest gradients = contest(runs, {"set", "gradients"}, "magnetic-momentum-explicit", "canonical");
  constexpr double least = 1.5, most = 2.5;
  return {
      "section on experiments", "explicit integration takes about twice the time of leapfrog per iteration",
      verdict_of(time.ratio > least && time.ratio < most),
      fmt::format("Median over the sets: {:.2f} times the CPU time and {:.2f} times the gradients (neighbouring steps "
                  "share one here, for both)",
                  time.ratio, gradients.ratio)};
}

Claim acceleration_claim(const Table& runs) {
  const Measure per_second{"set", "min_ess_per_second"};
  const std::array found{contest(runs, per_second, "magnetic-momentum-explicit", "magnetic-momentum-implicit"),
                         contest(runs, per_second, "coupled-explicit", "coupled-implicit")};
  const std::array schur{contest(runs, per_second, "magnetic-momentum-explicit-schur-2", "magnetic-momentum-implicit"),
                         contest(runs, per_second, "coupled-explicit-schur-2", "coupled-implicit")};
  return {"introduction", "explicit integration further accelerates the method", verdict_of(all_win(found)),
          fmt::format(
              "Minimum ESS per second over implicit integration: {}; with the minimum-norm basis and two gradients: {}",
              text_of(found), text_of(schur))};
}

std::vector<Claim> ess_claims(const Table& runs) {
  const std::string figure = "figure of ESS, logistic regression";
  return {contest_claim(runs, "mean_ess", figure, "the mean ESS is larger with non-canonical structures"),
          contest_claim(runs, "min_ess", figure, "the minimum ESS is larger with non-canonical structures"),
          best_claim(runs)};
}

std::vector<Claim> cost_claims(const Table& runs) {
  return {contest_claim(runs, "min_ess_per_second", "figure of ESS, logistic regression",
                        "the minimum ESS per second is larger with non-canonical structures"),
          time_claim(runs), acceleration_claim(runs)};
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
      return largest_rhat(coefficients, set, method, column) < rhat_threshold;
    });
  };
  return fmt::format(
      "{} is below 1.05 for all coefficients on {} of {} sets with implicit magnetic momentum, {} with "
      "canonical",
      what, below("magnetic-momentum-implicit"), sets.size(), below("canonical"));
}

std::string ratio_title(std::string_view what, const Table& runs, std::string_view column) {
  const Contest mm = contest(runs, {"set", column}, "magnetic-momentum-implicit", "canonical");
  return fmt::format("{}: implicit magnetic momentum {:.2g} times canonical (median of {} sets)", what, mm.ratio,
                     mm.cases);
}

Findings reduce(const Tables& tables) {
  const Table& runs = tables.at("runs");
  const Table& coefficients = tables.at("coefficients");
  const auto boxes = [&](std::string title, std::string_view column, std::string_view unit, bool logarithmic) {
    return box_figure(runs, {.title = std::move(title),
                             .caption = "Boxes: quartiles and range over runs.",
                             .of = "set",
                             .of_title = "data set",
                             .column = column,
                             .unit = unit,
                             .logarithmic = logarithmic});
  };
  const auto all = contests(runs, {"set", "min_ess_per_1000_gradients"}, non_canonical, "canonical");
  const auto cheaper = contests(
      runs, {"set", "min_ess_per_1000_gradients"},
      std::array<std::string_view, 2>{"magnetic-momentum-explicit-schur-2", "coupled-explicit-schur-2"}, "canonical");
  const auto basis = contests(
      runs, {"set", "min_ess"},
      std::array<std::string_view, 2>{"magnetic-momentum-explicit-schur", "coupled-explicit-schur"}, "canonical");
  const auto rhats = [&](std::string_view what, std::string_view column, std::string_view unit) {
    return box_figure(coefficients, {.title = converged_title(what, coefficients, column),
                                     .caption = "Boxes: quartiles and range over coefficients.",
                                     .of = "set",
                                     .of_title = "data set",
                                     .column = column,
                                     .unit = unit,
                                     .logarithmic = true});
  };
  const auto ess = ess_claims(runs);
  const auto cost = cost_claims(runs);
  const auto convergence = convergence_claims(coefficients);
  Findings found;
  for (const auto* claims : {&ess, &cost, &convergence})
    found.claims.insert(found.claims.end(), claims->begin(), claims->end());
  found.sections = {
      {.id = "logistic-ess",
       .name = "Logistic: ESS",
       .title = ratio_title("Effective draws per run", runs, "min_ess"),
       .text =
           {"Twelve sets, A the square root of the Fisher information at the mode (prior included), which is the "
            "inverse of "
            "the usual preconditioning; ε = 1/(10 n), 100 steps; one random structure for each set (k = 2). ESS is of "
            "one run for the mean of a coefficient, at most the number of draws.",
            "Much of the gain comes from keeping the direction in time from one proposal to the next, which the "
            "canonical "
            "structure cannot profit from. With a direction drawn anew every time: " +
                contest(runs, {"set", "min_ess"}, "magnetic-momentum-implicit-random", "canonical").text() + ".",
            "Explicit steps in the minimum-norm (Schur) basis instead of Gram-Schmidt's: " + text_of(basis) +
                ". Explicit methods are approximate: their bias is not in these numbers. The table has medians over "
                "runs of the minimum ESS."},
       .contrasts = contrasts_of(ess),
       .table = median_table(runs, "set", "min_ess"),
       .figures = {boxes(ratio_title("Mean ESS", runs, "mean_ess"), "mean_ess", "mean ESS (draws)", false),
                   boxes(ratio_title("Minimum ESS", runs, "min_ess"), "min_ess", "minimum ESS (draws)", false)}},
      {.id = "logistic-cost",
       .name = "Logistic: cost",
       .title = ratio_title("Effective draws per 1000 gradients", runs, "min_ess_per_1000_gradients"),
       .text =
           {"The paper compares by seconds. Gradients do not depend on machine and program: per gradient, over "
            "canonical, median over sets: " +
                text_of(all) + ". With the minimum-norm basis and two gradients per step: " + text_of(cheaper) + ".",
            "Seconds are of CPU, all runs of a method computed side by side on one core. The table has medians over "
            "runs of the minimum ESS per 1000 gradients."},
       .contrasts = contrasts_of(cost),
       .table = median_table(runs, "set", "min_ess_per_1000_gradients"),
       .figures = {boxes(ratio_title("Minimum ESS per second", runs, "min_ess_per_second"), "min_ess_per_second",
                         "minimum ESS per second (1/s)", true),
                   boxes(ratio_title("Minimum ESS per 1000 gradients", runs, "min_ess_per_1000_gradients"),
                         "min_ess_per_1000_gradients", "minimum ESS per 1000 gradients (draws)", true)}},
      {.id = "logistic-convergence",
       .name = "Logistic: R̂",
       .title = fmt::format("R̂ is below canonical's on {} of {} sets with implicit magnetic momentum",
                            sets_below_canonical(coefficients, "magnetic-momentum-implicit"),
                            levels(coefficients, "set").size()),
       .text =
           {"R̂ of 1992 over the runs of a method, and its rank-normalised successor, each over all coefficients. The "
            "paper calls 1.05 its threshold. The table has medians over coefficients of R̂ of 1992."},
       .contrasts = contrasts_of(convergence),
       .table = median_table(coefficients, "set", "rhat_1992", with_three_decimals),
       .figures = {
           rhats("R̂ of 1992", "rhat_1992", "R̂ of 1992 (ratio)"), rhats("Rank-normalised R̂", "rhat", "R̂ (ratio)"),
           boxes("Least accepted in the median: " + extreme_text(runs, "acceptance", Extreme::smallest), "acceptance",
                 "share of proposals accepted (1)", false),
           boxes("Largest energy error in the median, nats: " + extreme_text(runs, "energy_error", Extreme::largest),
                 "energy_error", "mean |ΔH| of a proposal (nats)", true)}}};
  return found;
}

}  // namespace

Experiment logistic_experiment(const Scale& scale) {
  Experiment experiment{.name = "logistic",
                        .title = "Twelve logistic regressions, in the paper's setting",
                        .cells = {},
                        .reduce = reduce};
  const PaperSetting setting{.A = {},
                             .k = 2.0,
                             .step_size = 0.0,  // by the set
                             .steps = 100,
                             .draws = scale.quick ? 100 : 1000,
                             .runs = scale.runs,
                             .seed = scale.seed};
  for (const DataSet& set : list_data_sets(scale.data))
    for (const PaperMethod& method : paper_methods()) {
      const double gradients = method.integrator == IntegratorKind::midpoint ? 6.0
                               : method.is_approximate()                     ? 3.0
                                                                             : 1.0;
      experiment.cells.push_back(
          {.key = fmt::format("logistic/{}/{}", set.name, method.name),
           .settings = {{"version", version()},
                        {"set", set.name},
                        {"rows", set.training_rows},
                        {"method", method.name},
                        {"k", setting.k},
                        {"steps", setting.steps},
                        {"draws", setting.draws},
                        {"runs", setting.runs},
                        {"seed", setting.seed}},
           .cost = gradients * static_cast<double>((set.training_rows + 1000) * (set.features + 5)),
           .compute = [=, data = scale.data](const std::atomic<bool>& stop) {
             return run_cell(set, method, setting, data, stop);
           }});
    }
  return experiment;
}

}  // namespace darboux::experiments

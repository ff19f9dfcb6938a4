#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <darboux/version.hpp>

#include "contest.hpp"
#include "data_set.hpp"
#include "experiment.hpp"
#include "figures.hpp"
#include "linalg/dense.hpp"
#include "model/start.hpp"
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
  setting.A = StructuredMatrix::from(symmetric_square_root(task.fisher).value());
  const OwnedBatch starts = gaussian_starts(Whitened::from_precision(task.model, task.mode, task.fisher),
                                            {.seed = setting.seed, .chains = setting.runs});
  const FixedRun run = run_fixed(task.model, options_for(method, setting), starts, stop);
  Tables tables;
  append_runs(tables["runs"], {"set", set.name}, method, run);
  append_coordinates(tables["coefficients"], {"set", set.name}, method, run, task.model->names());
  return tables;
}

Claim contest_claim(const Table& runs, std::string_view column, std::string where, std::string statement) {
  const auto found = contests(runs, {.of = "set", .column = column}, non_canonical, "canonical");
  return {std::move(where), std::move(statement), verdict_of(all_win(found)),
          "Over canonical, median over the sets: " + text_of(found)};
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
      "figure of ESS, logistic regression", "the minimum ESS per second is larger with non-canonical structures",
      verdict_of(all_win(found)),
      fmt::format(
          "Over canonical, median over the sets: {}. Neighbouring steps share gradients here, which halves the cost of "
          "leapfrog and takes a quarter off that of explicit steps; by the paper's count, two and four a step, it "
          "would "
          "{}: {}",
          text_of(found), all_win(counted) ? "be confirmed" : "not be confirmed either", text_of(counted))};
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
  return {"introduction", "explicit integration can further accelerate the method",
          verdict_of(found[0].better > 0 && found[1].better > 0),
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

/// What keeping the direction in time from one proposal to the next is worth, which the canonical structure cannot profit from.
std::string direction_text(const Table& runs) {
  const Measure ess{"set", "min_ess"};
  const Contest kept = contest(runs, ess, "magnetic-momentum-implicit", "canonical");
  const Contest drawn = contest(runs, ess, "magnetic-momentum-implicit-random", "canonical");
  if (kept.ratio <= 1.0) return "Here there is no gain by magnetic momentum: " + kept.text() + ".";
  const double share = std::log(drawn.ratio) / std::log(kept.ratio);
  const std::string_view part = share < 0.33 ? "Most of it" : share < 0.75 ? "Much of it" : "Little of it";
  return fmt::format(
      "{} comes from keeping the direction in time from one proposal to the next: {} with it, {} with a direction "
      "drawn anew every time.",
      part, kept.text(), drawn.text());
}

/// Which of the paper's methods hardly move, and where.
std::string stuck_text(const Table& runs) {
  constexpr double hardly = 0.1;
  std::string found;
  for (const std::string& set : levels(runs, "set"))
    for (const PaperMethod& method : paper_methods()) {
      const double acceptance = median(numbers_where(runs, "acceptance", {{"set", set}, {"method", method.name}}));
      if (method.in_paper && acceptance < hardly)
        found += fmt::format("{}{} on {} ({:.3f})", found.empty() ? "" : ", ", method.label, set, acceptance);
    }
  return found.empty() ? "All of the paper's methods accept at least a tenth of their proposals on every set, in the "
                         "median over runs."
                       : "Hardly any proposals are accepted, in the median over runs, with " + found + ".";
}

std::string ratio_title(std::string_view what, const Table& runs, std::string_view column) {
  const Contest mm = contest(runs, {"set", column}, "magnetic-momentum-implicit", "canonical");
  return fmt::format("{}: implicit magnetic momentum {:.2g} times canonical (median of {} sets)", what, mm.ratio,
                     mm.cases);
}

Figure boxes(const Table& runs, std::string title, std::string_view column, std::string_view unit, bool logarithmic) {
  return box_figure(runs, {.title = std::move(title),
                           .caption = "Boxes: quartiles and range over runs.",
                           .of = "set",
                           .of_title = "data set",
                           .column = column,
                           .unit = unit,
                           .logarithmic = logarithmic});
}

ReportSection ess_section(const Table& runs, const std::vector<Claim>& ess) {
  const auto basis = contests(
      runs, {"set", "min_ess"},
      std::array<std::string_view, 2>{"magnetic-momentum-explicit-schur", "coupled-explicit-schur"}, "canonical");
  return {
      .id = "logistic-ess",
      .name = "Logistic: ESS",
      .title = ratio_title("Effective draws per run", runs, "min_ess"),
      .text = {fmt::format(
                   "{} sets, A the square root of the Fisher information at the mode (prior included), which is "
                   "the inverse of "
                   "the usual preconditioning; ε = 1/(10 n) for n rows, 100 steps, 1000 draws (100 in a quick "
                   "run); one random structure for each "
                   "set (k = 2). ESS is "
                   "of one run for the mean of a coefficient, at most the number of draws. The paper does not say "
                   "where its "
                   "runs start nor which rows of a set they use: here they start with draws from the Laplace "
                   "approximation, on a "
                   "random subset of the size that is usual for these sets.",
                   levels(runs, "set").size()),
               direction_text(runs), stuck_text(runs),
               "Explicit steps in the minimum-norm (Schur) basis instead of Gram-Schmidt's: " + text_of(basis) +
                   ". Explicit methods are approximate: their bias is not in these numbers. The table has medians over "
                   "runs of the minimum ESS."},
      .contrasts = contrasts_of(ess),
      .table = method_table(runs, {"set", "min_ess"}),
      .figures = {boxes(runs, ratio_title("Mean ESS", runs, "mean_ess"), "mean_ess", "mean ESS (draws)", false),
                  boxes(runs, ratio_title("Minimum ESS", runs, "min_ess"), "min_ess", "minimum ESS (draws)", false)}};
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
      .text = {"The paper compares by seconds. Gradients do not depend on machine and program: per gradient, over "
               "canonical, median over sets: " +
                   text_of(all) + ". With the minimum-norm basis and two gradients per step: " + text_of(cheaper) + ".",
               "Seconds are of CPU, all runs of a method computed side by side on one core. The table has medians over "
               "runs of the minimum ESS per 1000 gradients."},
      .contrasts = contrasts_of(cost),
      .table = method_table(runs, {"set", "min_ess_per_1000_gradients"}),
      .figures = {boxes(runs, ratio_title("Minimum ESS per second", runs, "min_ess_per_second"), "min_ess_per_second",
                        "minimum ESS per second (1/s)", true),
                  boxes(runs, ratio_title("Minimum ESS per 1000 gradients", runs, "min_ess_per_1000_gradients"),
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
          {"R̂ of 1992 over the runs of a method, and its rank-normalised successor, each over all coefficients. The "
           "paper calls 1.05 its threshold. The table has the largest R̂ of 1992 of any coefficient."},
      .contrasts = contrasts_of(convergence),
      .table = method_table(coefficients, {"set", "rhat_1992", largest, with_three_decimals}),
      .figures = {
          rhats("R̂ of 1992", "rhat_1992", "R̂ of 1992 (ratio)"), rhats("Rank-normalised R̂", "rhat", "R̂ (ratio)"),
          boxes(runs, "Least accepted in the median: " + extreme_text(runs, "acceptance", Extreme::smallest),
                "acceptance", "share of proposals accepted (1)", false),
          boxes(runs,
                "Largest energy error in the median, nats: " + extreme_text(runs, "energy_error", Extreme::largest),
                "energy_error", "mean |ΔH| of a proposal (nats)", true)}};
}

Findings reduce(const Tables& tables) {
  const Table& runs = tables.at("runs");
  const Table& coefficients = tables.at("coefficients");
  const auto ess = ess_claims(runs);
  const auto cost = cost_claims(runs);
  const auto convergence = convergence_claims(coefficients);
  Findings found;
  for (const auto* claims : {&ess, &cost, &convergence})
    found.claims.insert(found.claims.end(), claims->begin(), claims->end());
  found.sections = {ess_section(runs, ess), cost_section(runs, cost),
                    convergence_section(runs, coefficients, convergence)};
  return found;
}

}  // namespace

Experiment logistic_experiment(const Scale& scale) {
  Experiment experiment{
      .name = "logistic", .title = "Logistic regressions, in the paper's setting", .cells = {}, .reduce = reduce};
  for (const DataSet& set : list_data_sets(scale.data)) {
    const PaperSetting setting{.A = {},  // by the data
                               .k = 2.0,
                               .step_size = 1.0 / (10.0 * static_cast<double>(set.training_rows)),
                               .steps = 100,
                               .draws = scale.quick ? 100 : 1000,
                               .runs = scale.runs,
                               .seed = scale.seed};
    for (const PaperMethod& method : paper_methods())
      experiment.cells.push_back(
          {.key = fmt::format("logistic/{}/{}", set.name, method.name),
           .settings = {{"version", version()},
                        {"set", set.name},
                        {"data", set.checksum},
                        {"rows", set.training_rows},
                        {"method", method.name},
                        {"k", setting.k},
                        {"step_size", setting.step_size},
                        {"steps", setting.steps},
                        {"draws", setting.draws},
                        {"runs", setting.runs},
                        {"seed", setting.seed}},
           .cost = method.expected_gradients() * static_cast<double>((set.training_rows + 1000) * (set.features + 5)),
           .compute = [=, data = scale.data](const std::atomic<bool>& stop) {
             return run_cell(set, method, setting, data, stop);
           }});
  }
  return experiment;
}

}  // namespace darboux::experiments

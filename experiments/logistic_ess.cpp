#include "logistic_ess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contest.hpp"
#include "figures.hpp"
#include "paper_method.hpp"

namespace darboux::experiments {

namespace {

constexpr std::string_view implicit = "magnetic-momentum-implicit";

/// What is estimated, and the column of its effective draws.
struct Quantity {
  std::string_view name, column;
};
constexpr std::array quantities{Quantity{"means", "min_ess"}, Quantity{"squares", "min_square_ess"},
                                Quantity{"log density", "log_density_ess"}};

struct Direction {
  std::string_view name, method;
};
constexpr std::array directions{Direction{"kept", implicit},
                                Direction{"drawn anew", "magnetic-momentum-implicit-random"},
                                Direction{"turned on acceptance", "magnetic-momentum-implicit-turned"}};

Claim contest_claim(const Table& runs, std::string_view column, std::string where, std::string statement) {
  const auto found = contests(runs, {.of = "set", .column = column}, non_canonical, "canonical");
  return {std::move(where),
          std::move(statement),
          verdict_of(all_win(found)),
          "Over canonical, median over the sets: " + text_of(found),
          "Over canonical, median over the sets: " + range_of(found),
          {table_of(found, "")}};
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
  const auto by_implicit = near_the_best(implicit), by_explicit = near_the_best("magnetic-momentum-explicit");
  return {"section on logistic regression", "magnetic momentum performs well on these benchmarks",
          verdict_of(2 * by_implicit > std::ssize(sets) && 2 * by_explicit > std::ssize(sets)),
          fmt::format("Its minimum ESS for means is within 10 % of the best of the six methods' on {} of {} sets by "
                      "implicit, on {} by explicit integration; canonical's on {}",
                      by_implicit, sets.size(), by_explicit, near_the_best("canonical"))};
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

double typical_size(const Table& runs, std::string_view column, const std::string& set, std::string_view method) {
  return interval_of(numbers_where(runs, column, {{"set", set}, {"method", method}})).center;
}

TableCell ratio_cell(const IntervalEstimate& ratio) {
  return {ratio.center, fmt::format("{} ({}–{})", shown(ratio.center), shown(ratio.low), shown(ratio.high))};
}

/// The ratios of the least and the most fortunate structure, over what canonical has on average.
TableCell range_cell(const Table& runs, const std::string& set) {
  const auto sizes = numbers_where(runs, "min_ess", {{"set", set}, {"method", implicit}});
  const double canonical = typical_size(runs, "min_ess", set, "canonical");
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return {*least / canonical, fmt::format("{}–{}", shown(*least / canonical), shown(*most / canonical))};
}

ReportTable quantities_table(const Table& runs) {
  ReportTable table{.columns = {{.title = "set", .is_number = false}}};
  for (const Quantity& quantity : quantities) {
    table.columns.push_back({.title = fmt::format("{}: Can.", quantity.name), .dispensable = 1});
    table.columns.push_back({.title = "Mag. Mom. Imp.", .dispensable = 1});
    table.columns.push_back({.title = "ratio", .help = "with its 95 % interval over structures"});
    if (quantity.name == quantities.front().name)
      table.columns.push_back({.title = "least–most", .help = "of all structures, over canonical's average"});
  }
  for (const std::string& set : levels(runs, "set")) {
    std::vector<TableCell> row{TableCell(set)};
    for (const Quantity& quantity : quantities) {
      for (const std::string_view method : {std::string_view("canonical"), implicit})
        row.push_back(cell_of(typical_size(runs, quantity.column, set, method)));
      row.push_back(ratio_cell(paired_ratio(runs, {"set", quantity.column}, set, implicit, "canonical")));
      if (quantity.name == quantities.front().name) row.push_back(range_cell(runs, set));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable direction_table(const Table& runs) {
  ReportTable table{.columns = {{.title = "set", .is_number = false}, {.title = "Can."}}};
  for (const Direction& direction : directions) {
    table.columns.push_back({.title = std::string(direction.name), .dispensable = 1});
    table.columns.push_back({.title = "ratio", .help = "to canonical, with its 95 % interval over structures"});
  }
  for (const std::string& set : levels(runs, "set")) {
    std::vector<TableCell> row{TableCell(set), cell_of(typical_size(runs, "min_ess", set, "canonical"))};
    for (const Direction& direction : directions) {
      row.push_back(cell_of(typical_size(runs, "min_ess", set, direction.method)));
      row.push_back(ratio_cell(paired_ratio(runs, {"set", "min_ess"}, set, direction.method, "canonical")));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Whether the gain is there with every rule for the direction, or hangs on one of them.
std::string direction_finding(const std::vector<Contest>& found) {
  if (!found[0].wins()) return "Here there is no gain by magnetic momentum to begin with.";
  if (!found[2].wins())
    return fmt::format("So the paper's gain hangs on a line that it calls optional and does not discuss: {}.",
                       found[1].wins()
                           ? "a part of it is left where the direction is drawn anew, none where it is turned "
                             "on acceptance"
                           : "none is left with either of the other two rules");
  return "The gain is there with each of the three rules, and of very different size.";
}

}  // namespace

std::string ratio_title(std::string_view what, const Table& runs, std::string_view column) {
  const Contest found = contest(runs, {"set", column}, implicit, "canonical");
  return fmt::format("{}: implicit magnetic momentum {} canonical (median of {} sets)", what,
                     is_about_one(found.ratio) ? "as much as" : in_times(found.ratio), found.cases);
}

Figure boxes_over_runs(const Table& runs, std::string title, std::string_view column, std::string_view unit,
                       bool logarithmic) {
  return box_figure(runs, {.title = std::move(title),
                           .caption = "Boxes: quartiles and range over runs, each with a structure of its own.",
                           .of = "set",
                           .of_title = "data set",
                           .column = column,
                           .unit = unit,
                           .logarithmic = logarithmic});
}

std::vector<Claim> logistic_ess_claims(const Table& runs) {
  const std::string figure = "figure of ESS, logistic regression";
  const std::string minimum = "the minimum ESS is larger with non-canonical structures, ";
  return {contest_claim(runs, "mean_ess", figure,
                        "the mean ESS is larger with non-canonical structures, for means of coefficients"),
          contest_claim(runs, "min_ess", figure, minimum + "for means of coefficients"),
          contest_claim(runs, "min_square_ess", figure + ", read as of squares", minimum + "for their squares"),
          contest_claim(runs, "log_density_ess", figure + ", read as of the log density",
                        "the ESS is larger with non-canonical structures, for the log density"),
          best_claim(runs)};
}

ReportSection logistic_ess_section(const Table& runs, const std::vector<Claim>& claims) {
  const auto basis = contests(
      runs, {"set", "min_ess"},
      std::array<std::string_view, 2>{"magnetic-momentum-explicit-schur-2", "coupled-explicit-schur-2"}, "canonical");
  return {
      .id = "logistic-ess",
      .name = "Logistic: ESS",
      .title = ratio_title("Effective draws for means", runs, "min_ess"),
      .text =
          {fmt::format(
               "{} sets, A the square root of the Fisher information at the mode (prior included), which is the "
               "inverse of the usual preconditioning; ε = 1/(10 n) for n rows, 100 steps, 1000 draws (100 in a quick "
               "run). Every run has a random structure of its own (k = 2) and two chains with it; canonical's runs, "
               "which have none, are as many. The paper does not say where its runs start nor which rows of a set they "
               "use: here they start with draws from the Laplace approximation, on a random subset of the size that is "
               "usual for these sets.",
               levels(runs, "set").size()),
           "ESS is of a chain, at most the number of its draws, by Geyer's rule from autocorrelations about means and "
           "variances that are known: those of 40000 draws (4000 in a quick run) of Darboux's exact defaults. So a "
           "chain "
           "that hardly moves is one draw and not a few, and a bias that shows in a run, such as explicit methods may "
           "have, counts against it; smaller ones are not in these numbers. The least of many noisy estimates can be "
           "half of what any is in truth where chains have fewer than 30 effective draws: so the coefficient with the "
           "minimum ESS is looked for in one chain of a run and measured in the other, and the other way round. On "
           "autoregressions of 10 to 500 effective draws in 1000 such sizes are right to 8 %, of 2 to 4 they are 17 to "
           "28 % too large.",
           stuck_text(runs), "The large table has medians over runs of the minimum ESS for means."},
      .contrasts = contrasts_of(claims),
      .numbers = {table_of(basis, "Explicit steps in the minimum-norm (Schur) basis instead of Gram-Schmidt's")},
      .table = method_table(runs, {"set", "min_ess"}),
      .figures = {
          boxes_over_runs(runs, ratio_title("Mean ESS", runs, "mean_ess"), "mean_ess", "mean ESS (draws)", false),
          boxes_over_runs(runs, ratio_title("Minimum ESS", runs, "min_ess"), "min_ess", "minimum ESS (draws)", false)}};
}

ReportSection logistic_quantities_section(const Table& runs) {
  std::string title = "Implicit magnetic momentum over canonical";
  std::vector<Contest> all;
  for (const Quantity& quantity : quantities) {
    const Contest found = contest(runs, {"set", quantity.column}, implicit, "canonical");
    title += fmt::format("{} {} {}", &quantity == quantities.data() ? ":" : ",", quantity.name, in_times(found.ratio));
    all.push_back(found);
  }
  ReportTable numbers = table_of(all, "Implicit magnetic momentum, by what is estimated");
  numbers.columns[0].title = "quantity";
  for (std::size_t i = 0; i < all.size(); ++i) numbers.rows[i][0] = TableCell(std::string(quantities.at(i).name));
  return {.id = "logistic-quantities",
          .name = "Logistic: means, squares, log density",
          .title = title + fmt::format(" (median of {} sets)", levels(runs, "set").size()),
          .text = {"Minimum ESS over coefficients, for their means and for their squared distances from them, and the "
                   "ESS for the log density. What is gained depends on what is estimated: for variances and tails look "
                   "at squares, for "
                   "anything that goes by the energy at the log density.",
                   "Geometric means over runs; ratios with 95 % intervals over structures, and for means those of the "
                   "least and the most fortunate structure."},
          .numbers = {std::move(numbers)},
          .table = quantities_table(runs),
          .figures = {boxes_over_runs(runs, ratio_title("Minimum ESS for squares", runs, "min_square_ess"),
                                      "min_square_ess", "minimum ESS for squares (draws)", false),
                      boxes_over_runs(runs, ratio_title("ESS for the log density", runs, "log_density_ess"),
                                      "log_density_ess", "ESS for the log density (draws)", false)}};
}

ReportSection logistic_direction_section(const Table& runs) {
  std::vector<Contest> found;
  std::string title = "Minimum ESS for means over canonical, by the direction in time";
  for (const Direction& direction : directions) {
    found.push_back(contest(runs, {"set", "min_ess"}, direction.method, "canonical"));
    title += fmt::format("{} {} {}", &direction == directions.data() ? ":" : ",", direction.name,
                         in_times(found.back().ratio));
  }
  return {
      .id = "logistic-direction",
      .name = "Logistic: the direction of time",
      .title = title,
      .text =
          {"Implicit magnetic momentum under the three rules for the direction in time that can be read in the "
           "paper, over canonical. " +
               direction_finding(found),
           "Each rule leaves the target as it is. The chain's state is (q, p, d) with d = ±1 the direction, and the "
           "map (q, p, d) → (q', p', −d) is its own inverse: accepting it by Metropolis' rule, and else staying, is "
           "in detailed balance, and that is to turn on acceptance; turning d round afterwards in any case, which "
           "is to turn on rejection instead, leaves the law of d alone; so does drawing d anew. Never to turn, which "
           "the word “optional” allows, is wrong. But turned on acceptance a trajectory of magnetic momentum goes "
           "back round where it came from, with new momenta only; kept, it goes on. Canonical trajectories do not "
           "care, as their direction is that of the momentum, which is drawn anew.",
           "Geometric means over runs; ratios with 95 % intervals over structures."},
      .contrasts =
          {{.paper = "Algorithm 1 turns the direction on rejection, and so keeps it on acceptance; the line is "
                     "marked optional.",
            .here = found[0].text() + "."},
           {.paper = "The proof of Theorem 4 ends with another rule, called equivalent: a random sign of the "
                     "step.",
            .here = found[1].text() + "."},
           {.paper = "Theorem 4, on detailed balance, turns momentum and structure round with the trajectory, and so "
                     "the direction on acceptance.",
            .here = found[2].text() + "."}},
      .numbers = {table_of(found, "Minimum ESS for means")},
      .table = direction_table(runs)};
}

}  // namespace darboux::experiments

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <darboux/core/error.hpp>
#include <experiments/contest.hpp>
#include <experiments/experiment.hpp>
#include <experiments/output.hpp>
#include <experiments/paper_method.hpp>
#include <functional>
#include <set>

#include "draws/temporary_folder.hpp"

namespace darboux::experiments {
namespace {

const Scale scale{.quick = true, .runs = 4, .seed = 1, .data = DARBOUX_SOURCE_FOLDER "/data"};

using SizeOf = std::function<double(const PaperMethod&)>;

/// Runs as if every method had the effective size that is given for it, more or less, for means and for squares.
Tables made_up_logistic(const SizeOf& ess, const SizeOf& square_ess) {
  Tables tables;
  for (const char* set : {"german", "heart", "titanic"})
    for (const PaperMethod& method : paper_methods()) {
      for (int run = 1; run <= 4; ++run) {
        const double value = ess(method) * (1.0 + 0.01 * run);
        append_row(tables["runs"], {{"set", set},
                                    {"method", method.name},
                                    {"run", run},
                                    {"mean_ess", 2 * value},
                                    {"min_ess", value},
                                    {"min_square_ess", square_ess(method) * (1.0 + 0.01 * run)},
                                    {"log_density_ess", 10.0 + run},
                                    {"min_ess_per_second", value},
                                    {"min_ess_per_1000_gradients", value},
                                    {"acceptance", 0.9},
                                    {"energy_error", 0.1},
                                    {"failures", 0},
                                    {"gradients", 100},
                                    {"seconds", 1.0}});
      }
      append_row(tables["coefficients"], {{"set", set},
                                          {"method", method.name},
                                          {"coordinate", "b"},
                                          {"rhat_1992", 1.0 + 1.0 / ess(method)},
                                          {"rhat", 1.0},
                                          {"mean", 0.0},
                                          {"sd", 1.0},
                                          {"median", 0.0}});
    }
  return tables;
}

Tables made_up_logistic(const SizeOf& ess) { return made_up_logistic(ess, ess); }

bool is_non_canonical(const PaperMethod& method) {
  return method.structure == Recipe::magnetic_momentum || method.structure == Recipe::coupled;
}

const Claim& claim_about(const Findings& findings, std::string_view words) {
  const auto found = std::find_if(findings.claims.begin(), findings.claims.end(),
                                  [&](const Claim& claim) { return claim.statement.find(words) != std::string::npos; });
  if (found == findings.claims.end()) throw std::logic_error("no such claim");
  return *found;
}

const ReportSection& section_of(const Findings& findings, std::string_view id) {
  const auto found = std::find_if(findings.sections.begin(), findings.sections.end(),
                                  [&](const ReportSection& section) { return section.id == id; });
  if (found == findings.sections.end()) throw std::logic_error("no such section");
  return *found;
}

TEST(Contest, CountsCasesAndTakesTheMedianRatio) {
  Table runs;
  const auto add = [&](const char* set, const char* method, int run, double ess) {
    append_row(runs, {{"set", set}, {"method", method}, {"run", run}, {"ess", ess}});
  };
  for (int run = 1; run <= 3; ++run) {
    for (const char* set : {"better", "worse", "alike"}) add(set, "canonical", run, 100.0 + run);
    add("better", "coupled-implicit", run, 3.0 * (100.0 + run));
    add("worse", "coupled-implicit", run, 0.5 * (100.0 + run));
    add("alike", "coupled-implicit", run, (run == 2 ? 2.0 : 0.8) * (100.0 + run));
  }
  const Contest found = contest(runs, {"set", "ess"}, "coupled-implicit", "canonical");
  EXPECT_EQ(found.better, 1);
  EXPECT_EQ(found.worse, 1);
  EXPECT_EQ(found.cases, 3);
  EXPECT_NEAR(found.ratio, std::cbrt(0.8 * 0.8 * 2.0), 1e-12);
  EXPECT_FALSE(found.wins());
  EXPECT_EQ(found.text(), "C. Mag. Imp. 1.09\u00a0× (better on 1, worse on 1 of 3)");
}

TEST(Contest, AMarginIsForErrorsThatIntervalsDoNotKnow) {
  Table runs;
  for (int run = 1; run <= 3; ++run) {
    append_row(runs, {{"set", "a"}, {"method", "canonical"}, {"run", run}, {"seconds", 1.0}});
    append_row(runs, {{"set", "a"}, {"method", "coupled-implicit"}, {"run", run}, {"seconds", 1.04}});
  }
  EXPECT_EQ(contest(runs, {"set", "seconds"}, "coupled-implicit", "canonical").better, 1);
  EXPECT_EQ(contest(runs, {"set", "seconds", 0.05}, "coupled-implicit", "canonical").better, 0);
  EXPECT_EQ(contest(runs, {"set", "seconds", 0.05}, "canonical", "coupled-implicit").worse, 0);
}

TEST(LogisticFindings, ConfirmWhatTheNumbersSay) {
  const auto reduce = logistic_experiment(scale).reduce;
  const Findings better =
      reduce(made_up_logistic([](const PaperMethod& m) { return is_non_canonical(m) ? 30.0 : 10.0; }));
  EXPECT_EQ(claim_about(better, "the minimum ESS is larger").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(better, "the mean ESS").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(better, "R̂ tends").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(better, "on Titanic").verdict, Verdict::confirmed);  // made up to be 1.1
  EXPECT_EQ(claim_about(better, "below 1.05").verdict, Verdict::not_confirmed);

  const Findings worse =
      reduce(made_up_logistic([](const PaperMethod& m) { return is_non_canonical(m) ? 50.0 : 100.0; }));
  EXPECT_EQ(claim_about(worse, "the minimum ESS is larger").verdict, Verdict::not_confirmed);
  EXPECT_EQ(claim_about(worse, "R̂ tends").verdict, Verdict::not_confirmed);
  EXPECT_EQ(claim_about(worse, "on Titanic").verdict, Verdict::not_confirmed);
  EXPECT_EQ(claim_about(worse, "below 1.05").verdict, Verdict::confirmed);
}

TEST(LogisticFindings, OneMethodThatFailsIsEnoughNotToConfirm) {
  const Findings findings = logistic_experiment(scale).reduce(made_up_logistic([](const PaperMethod& m) {
    return m.name == "coupled-explicit" ? 5.0 : is_non_canonical(m) ? 30.0 : 10.0;
  }));
  EXPECT_EQ(claim_about(findings, "the minimum ESS is larger").verdict, Verdict::not_confirmed);
}

/// A gain for means is none for squares, and none for the log density.
TEST(LogisticFindings, SayWhatAGainIsFor) {
  const Findings findings = logistic_experiment(scale).reduce(
      made_up_logistic([](const PaperMethod& m) { return is_non_canonical(m) ? 30.0 : 10.0; },
                       [](const PaperMethod& m) { return is_non_canonical(m) ? 5.0 : 10.0; }));
  EXPECT_EQ(claim_about(findings, "for means of coefficients").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(findings, "for their squares").verdict, Verdict::not_confirmed);
  EXPECT_EQ(claim_about(findings, "for the log density").verdict, Verdict::not_confirmed);
  EXPECT_EQ(
      section_of(findings, "logistic-quantities").title,
      "Implicit magnetic momentum over canonical: means 3 times, squares 0.5 times, log density the same (median of 3 "
      "sets)");
}

TEST(LogisticFindings, SayWhetherTheGainHangsOnTheDirection) {
  const auto finding = [](double drawn, double turned) {
    const Findings findings = logistic_experiment(scale).reduce(made_up_logistic([&](const PaperMethod& m) {
      return m.direction == DirectionMode::random        ? drawn
             : m.direction == DirectionMode::alternating ? turned
             : is_non_canonical(m)                       ? 30.0
                                                         : 10.0;
    }));
    return section_of(findings, "logistic-direction").text.front();
  };
  const auto says = [](const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(finding(20.0, 8.0), "a part of it is left where the direction is drawn anew, none where"));
  EXPECT_TRUE(says(finding(9.0, 8.0), "none is left with either"));
  EXPECT_TRUE(says(finding(20.0, 15.0), "with each of the three rules"));
}

/// FitzHugh-Nagumo as if explicit coupled steps accepted so much in either basis.
Claim made_up_energy_claim(double gram_schmidt, double schur) {
  Tables tables;
  for (const char* steps : {"5", "10", "100"})
    for (const PaperMethod& method : paper_methods()) {
      const double acceptance = method.name == "coupled-explicit"         ? gram_schmidt
                                : method.name == "coupled-explicit-schur" ? schur
                                                                          : 0.99;
      for (int run = 1; run <= 3; ++run)
        append_row(tables["runs"], {{"steps", steps},
                                    {"method", method.name},
                                    {"run", run},
                                    {"mean_ess", 20.0},
                                    {"min_ess", 10.0},
                                    {"min_square_ess", 10.0},
                                    {"log_density_ess", 10.0},
                                    {"min_ess_per_second", 1.0},
                                    {"min_ess_per_1000_gradients", 1.0},
                                    {"acceptance", acceptance},
                                    {"energy_error", 1.0 - acceptance},
                                    {"failures", 0},
                                    {"gradients", 100},
                                    {"seconds", 1.0}});
      for (const char* parameter : {"a", "b", "c"})
        append_row(tables["parameters"], {{"steps", steps},
                                          {"method", method.name},
                                          {"coordinate", parameter},
                                          {"rhat_1992", 1.0},
                                          {"rhat", 1.0},
                                          {"mean", 0.2},
                                          {"sd", 0.1},
                                          {"median", 0.2}});
    }
  return claim_about(fitzhugh_nagumo_experiment(scale).reduce(tables), "does not hold the energy");
}

TEST(FitzHughNagumoFindings, TellTheBasisFromTheMethod) {
  const auto says = [](const Claim& claim, std::string_view words) {
    return claim.evidence.find(words) != std::string::npos;
  };
  const Claim basis = made_up_energy_claim(0.5, 0.98);
  EXPECT_EQ(basis.verdict, Verdict::confirmed);
  EXPECT_TRUE(says(basis, "it is the basis, not the method")) << basis.evidence;
  EXPECT_TRUE(says(made_up_energy_claim(0.5, 0.7), "it is partly the basis"));
  EXPECT_TRUE(says(made_up_energy_claim(0.5, 0.55), "it is the method"));
  const Claim none = made_up_energy_claim(0.95, 0.98);
  EXPECT_EQ(none.verdict, Verdict::not_confirmed);
  EXPECT_TRUE(says(none, "neither basis fails here"));
}

/// Computed, not made up: errors are told from noise by standard errors that are right.
TEST(BiasPart, SeesTheBiasOfExplicitStepsAndNoneOfDoubled) {
  const std::atomic<bool> go_on{false};
  const auto worst = [&](std::string_view key) {
    const auto cells = beyond_experiment(scale).cells;
    const auto cell = std::find_if(cells.begin(), cells.end(), [&](const Cell& c) { return c.key == key; });
    const Tables tables = cell->compute(go_on);
    double most = 0.0;
    for (const char* column : {"mean_z", "variance_z"})
      for (const double z : numbers(tables.at("bias"), column)) most = std::max(most, std::abs(z));
    return most;
  };
  EXPECT_GT(worst("beyond/bias-1-4"), 5.0);
  const double doubled = worst("beyond/bias-4-4");
  EXPECT_LT(doubled, 4.0);
  EXPECT_GT(doubled, 0.1);  // four standard normal numbers are not all so small
}

TEST(Experiments, HaveCellsOfDifferentNamesAndAreKnownByName) {
  for (const std::string_view name : experiment_names()) {
    const Experiment experiment = make_experiment(name, scale);
    EXPECT_EQ(experiment.name, name);
    std::vector<std::string> keys;
    for (const Cell& cell : experiment.cells) keys.push_back(cell.key);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << name;
    EXPECT_FALSE(keys.empty());
  }
  EXPECT_THROW((void)make_experiment("logistics", scale), InputError);
}

/// Seeds and sizes are part of a cell's settings: a result of others must not be taken for it.
TEST(Experiments, CellsOfOtherScalesHaveOtherSettings) {
  Scale other_seed = scale, longer = scale;
  other_seed.seed = 2;
  longer.quick = false;
  for (const std::string_view name : {"logistic", "fitzhugh-nagumo", "binding", "beyond"}) {
    const auto cells = make_experiment(name, scale).cells, reseeded = make_experiment(name, other_seed).cells,
               full = make_experiment(name, longer).cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_NE(cells[i].settings, reseeded[i].settings) << cells[i].key;
      const bool has_one_size = cells[i].key.starts_with("beyond/basis");
      EXPECT_EQ(cells[i].settings == full[i].settings, has_one_size) << cells[i].key;
    }
  }
}

TEST(Experiments, HaveThePapersNumbers) {
  const Scale full{.data = scale.data};
  for (const Cell& cell : logistic_experiment(full).cells) {
    EXPECT_EQ(cell.settings.at("step_size"), 1.0 / (10.0 * cell.settings.at("rows").get<double>()));
    EXPECT_EQ(cell.settings.at("k"), 2.0);
    EXPECT_EQ(cell.settings.at("steps"), 100);
    EXPECT_EQ(cell.settings.at("draws"), 1000);
    EXPECT_EQ(cell.settings.at("runs"), 10);
  }
  std::set<int> steps;
  for (const Cell& cell : fitzhugh_nagumo_experiment(full).cells) {
    EXPECT_EQ(cell.settings.at("step_size"), 0.005);
    EXPECT_EQ(cell.settings.at("k"), 50.0);
    steps.insert(cell.settings.at("steps").get<int>());
  }
  EXPECT_EQ(steps, (std::set{5, 10, 100}));
  for (const Cell& cell : binding_experiment(full).cells) EXPECT_EQ(cell.settings.at("steps"), 1000);
}

TEST(Output, FiguresCarryTheirData) {
  const Figure figure{.title = "A finding",
                      .spec = R"({"mark": "point"})",
                      .data = {{"x", std::vector<double>{1, 2}}, {"name", std::vector<std::string>{"a", "b"}}}};
  const auto spec = nlohmann::json::parse(vega_lite(figure));
  EXPECT_EQ(spec.at("mark"), "point");
  EXPECT_EQ(spec.at("data").at("values").at(1), (nlohmann::json{{"x", 2}, {"name", "b"}}));
}

TEST(Output, MarkdownShowsTablesAndFigures) {
  const Report report{
      .title = "T",
      .facts = {"a fact"},
      .sections = {{.id = "one",
                    .name = "One",
                    .title = "First",
                    .text = {"a < b"},
                    .table = ReportTable{.columns = {{.title = "name", .is_number = false}, {.title = "x|y"}},
                                         .rows = {{TableCell("v_1"), TableCell(0.5, "0.5")}}},
                    .figures = {{.title = "F", .spec = "{}"}}}}};
  const std::string text = to_markdown(report, "figures");
  EXPECT_NE(text.find("| name | x\\|y |\n|---|--:|\n| v\\_1 | 0.5 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("![F](figures/one.svg)"), std::string::npos);
  EXPECT_NE(text.find("a \\< b"), std::string::npos);
}

class Written : public testing::WithFolder {};

TEST_F(Written, ResultsCanBeReadBackAndReducedAgain) {
  const Experiment experiment = logistic_experiment(scale);
  const Tables tables = made_up_logistic([](const PaperMethod& m) { return is_non_canonical(m) ? 30.0 : 10.0; });
  write_result({experiment.name, experiment.title, tables, experiment.reduce(tables)}, folder_);
  const Findings again = experiment.reduce(read_tables(folder_ / "logistic.json"));
  const Findings first = experiment.reduce(tables);
  ASSERT_EQ(again.claims.size(), first.claims.size());
  for (std::size_t i = 0; i < again.claims.size(); ++i) EXPECT_EQ(again.claims[i].evidence, first.claims[i].evidence);
  for (const char* file : {"logistic-runs.csv", "logistic-coefficients.csv", "figures/logistic-ess-1.vl.json"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / file)) << file;
  EXPECT_THROW((void)read_tables(folder_ / "logistic-runs.csv"), InputError);
}

TEST(Contests, ComeAsTablesToo) {
  const std::vector<Contest> found{
      {.method = "magnetic-momentum-implicit", .ratio = 3.394, .better = 11, .worse = 0, .cases = 12},
      {.method = "coupled-implicit", .ratio = 0.5, .better = 1, .worse = 9, .cases = 12}};
  const ReportTable table = table_of(found, "per second");
  EXPECT_EQ(table.caption, "per second");
  ASSERT_EQ(table.rows.size(), 2U);
  std::vector<std::string> row;
  for (const TableCell& cell : table.rows[0]) row.push_back(cell.text);
  EXPECT_EQ(row, (std::vector<std::string>{"Mag. Mom. Imp.", "3.39", "11", "0", "12"}));
  EXPECT_EQ(range_of(found), "0.5 to 3.39\u00a0×");
  EXPECT_EQ(range_of(std::span(found).first(1)), "3.39\u00a0×");
}

TEST(Contests, NothingIsOneTimesAsLarge) {
  for (const double ratio : {0.996, 1.0, 1.04}) EXPECT_EQ(in_times(ratio), "the same");
  EXPECT_EQ(in_times(0.94), "0.94 times");
  EXPECT_EQ(in_times(1.06), "1.1 times");
  const Findings findings =
      make_experiment("logistic", scale).reduce(made_up_logistic([](const PaperMethod&) { return 100.0; }));
  for (const ReportSection& section : findings.sections) {
    EXPECT_EQ(section.title.find(" 1 times"), std::string::npos) << section.title;
    for (const Figure& figure : section.figures)
      EXPECT_EQ(figure.title.find(" 1 times"), std::string::npos) << figure.title;
  }
}

/// What a reader of the page sees as a table is there in words for those who read the text.
TEST(Claims, WithManyNumbersHaveThemInTables) {
  const Findings findings = make_experiment("logistic", scale).reduce(made_up_logistic([](const PaperMethod& method) {
    return is_non_canonical(method) ? 300.0 : 100.0;
  }));
  const Claim& claim = claim_about(findings, "the minimum ESS is larger");
  ASSERT_EQ(claim.numbers.size(), 1U);
  for (const auto& row : claim.numbers[0].rows) EXPECT_NE(claim.evidence.find(row[0].text), std::string::npos);
  EXPECT_EQ(claim.brief.find("better on"), std::string::npos) << claim.brief;
  for (const ReportSection& section : findings.sections)
    for (const std::string& paragraph : section.text)
      EXPECT_EQ(paragraph.find("better on"), std::string::npos) << section.id << ": " << paragraph;
}

TEST(Claims, QuickReportsGiveNoVerdicts) {
  const Experiment experiment = make_experiment("logistic", scale);
  Tables tables = made_up_logistic([](const PaperMethod& method) { return is_non_canonical(method) ? 300.0 : 100.0; });
  Findings findings = experiment.reduce(tables);
  const std::vector<Result> results{{experiment.name, experiment.title, std::move(tables), std::move(findings)}};
  for (const bool quick : {true, false}) {
    const Report report = reproduction_report(results, {.quick = quick, .runs = 4, .seed = 1, .command = "x"});
    const std::string text = report_to_json(report) + to_markdown(report, "figures");
    EXPECT_EQ(text.find("onfirmed") == std::string::npos, quick);
    EXPECT_EQ(text.find("\"verdict\"") == std::string::npos, quick);
  }
}

}  // namespace
}  // namespace darboux::experiments

#include "report/run_report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>

#include "diagnose/quantiles.hpp"
#include "draws/read_columns.hpp"
#include "report_of_runs.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::has_section;
using testing::mentions;
using testing::numbers;
using testing::section;
using testing::SyntheticChain;
using testing::texts;

class RunReport : public testing::RunReport {};

TEST_F(RunReport, AGoodRunHasConverged) {
  const Report r = report(good_chains());
  EXPECT_EQ(r.title, "synthetic: 4 chains × 400 draws");
  const ReportSection& verdict = section(r, "verdict");
  EXPECT_TRUE(verdict.lead);
  EXPECT_EQ(verdict.mood, Mood::good);
  EXPECT_TRUE(verdict.title.starts_with("All 3 quantities converged: largest R̂ 1.0")) << verdict.title;
  EXPECT_TRUE(verdict.notes.empty());
  EXPECT_TRUE(mentions(verdict.text.at(0), {"No R̂ is above 1.01", "below 400", "no transition diverged"}));
  EXPECT_EQ(section(r, "summary").table.value().rows.size(), 3U);
  EXPECT_EQ(section(r, "divergences").title, "No transition of 1,600 diverged");
  EXPECT_TRUE(section(r, "energy").title.starts_with("Chains move freely between energies: smallest E-BFMI "));
  EXPECT_FALSE(has_section(r, "phase-space"));
}

/// That data are separated is no fault of the chains, but readers have to know.
TEST_F(RunReport, WhatTheRunFoundInItsDataStandsWithTheVerdict) {
  ReportedRun run = reported(good_chains());
  run.summary.told = {"x tells the outcome without error."};
  run.summary.warnings = warnings_about(run.summary);
  const Report r = run_report(run);
  const ReportSection& verdict = section(r, "verdict");
  EXPECT_TRUE(verdict.title.starts_with("All 3 quantities converged")) << verdict.title;
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(verdict.notes[0].finding, "x tells the outcome without error.");
  EXPECT_TRUE(mentions(verdict.text.at(0), {"no transition diverged"}));
}

TEST_F(RunReport, TheTableIsThatOfTheSummary) {
  const ReportedRun run = reported(good_chains());
  const ReportTable table = section(run_report(run), "summary").table.value();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Summary& v = run.summary.rows[i].values;
    const std::vector<double> wanted{v.mean, v.mcse_mean, v.sd, v.q5, v.median, v.q95, v.ess_bulk, v.ess_tail, v.rhat};
    for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_EQ(std::get<double>(table.rows[i][j + 1].value), wanted[j]);
    EXPECT_EQ(table.rows[i][0].text, run.summary.rows[i].name);
  }
}

TEST_F(RunReport, AChainThatStandsApartIsNamed) {
  auto chains = good_chains();
  chains[2].shift = 1.0;
  const Report r = report(chains);
  EXPECT_EQ(section(r, "verdict").mood, Mood::bad);
  EXPECT_TRUE(
      section(r, "verdict").title.starts_with("Not converged: the chains disagree in 1 of 3 quantities, largest R̂ "));
  EXPECT_FALSE(section(r, "verdict").notes.empty());
  const ReportSection& main = section(r, "main");
  EXPECT_TRUE(main.lead);
  EXPECT_TRUE(main.title.starts_with("Chain 3 stands apart in theta (R̂ 1.")) << main.title;
  const ReportSection& mixing = section(r, "mixing");
  EXPECT_TRUE(mixing.figures.at(1).title.starts_with("Ranks of theta are uneven in")) << mixing.figures.at(1).title;
}

TEST_F(RunReport, OneOfManyChainsIsNoticedWhereRhatIsNot) {
  std::vector<SyntheticChain> chains;
  for (std::uint64_t c = 1; c <= 40; ++c) chains.push_back({.number = c, .shift = c == 9 ? 0.2 : 0.0});
  const Report r = report(chains);
  EXPECT_EQ(section(r, "verdict").mood, Mood::good);
  EXPECT_TRUE(section(r, "mixing").title.starts_with("Chain 9 stands apart in theta, although R̂ 1.0"))
      << section(r, "mixing").title;
  const Figure& ranks = section(r, "mixing").figures.at(1);
  EXPECT_EQ(ranks.title, "Ranks of theta are uneven in 1 of 40 chains");
  EXPECT_EQ(texts(ranks, "look").front(), "39 other chains");
  EXPECT_EQ(texts(ranks, "look").back(), "chain 9") << "on top";
}

TEST_F(RunReport, ChainsThatAgreeHaveEvenRanks) {
  for (std::uint64_t first = 1; first <= 40; first += 4) {
    const Report r = report({{.number = first}, {.number = first + 1}, {.number = first + 2}, {.number = first + 3}});
    for (const std::size_t figure : {1U, 3U, 5U})
      EXPECT_TRUE(section(r, "mixing").figures.at(figure).title.ends_with("are even in all chains")) << first;
  }
}

TEST_F(RunReport, ChainsKeepTheirNumbersWhereOneHasNoDraws) {
  auto chains = good_chains();
  chains[0].draws = 0;
  chains[2].shift = 1.0;
  EXPECT_TRUE(section(report(chains), "main").title.starts_with("Chain 3 stands apart in theta"));
}

TEST_F(RunReport, DivergencesAreShownWhereTheyLie) {
  auto chains = good_chains();
  chains[1].divergent = {7, 100, 350};
  chains[3].divergent = {12};
  const Report r = report(chains);
  EXPECT_EQ(section(r, "verdict").title, "Not to be trusted yet: 4 divergent transitions");
  const Figure& main = section(r, "main").figures.at(0);
  EXPECT_TRUE(mentions(main.title, {"theta", "where transitions diverged"}));
  const auto& kinds = texts(main, "kind");
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "divergent"), 4);
  // The quantity by which they differ is theirs, not that of other draws.
  const auto& x = numbers(main, "x");
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(kinds[i] == "divergent", x[i] < 8.0) << x[i];
  const Figure& strip = section(r, "divergences").figures.at(0);
  EXPECT_EQ(strip.title, "3 of 4 divergent transitions are chain 2's");
  EXPECT_EQ(numbers(strip, "draw"), (std::vector<double>{7, 100, 350, 12}));
  EXPECT_EQ(texts(strip, "chain"), (std::vector<std::string>{"2", "2", "2", "4"}));
}

TEST_F(RunReport, SlowEnergiesAreTheMainFigureIfNothingElseIsWrong) {
  auto chains = good_chains();
  chains[1].energy_wanders = true;
  const Report r = report(chains);
  EXPECT_EQ(section(r, "verdict").mood, Mood::caution);
  EXPECT_TRUE(section(r, "main").title.starts_with("Chain 2 wanders slowly between energies: E-BFMI 0.0"));
}

TEST_F(RunReport, HistogramsCountEverything) {
  const Figure energy = section(report(good_chains()), "energy").figures.at(0);
  double sum = 0.0;
  for (const double share : numbers(energy, "share")) sum += share;
  EXPECT_NEAR(sum, 200.0, 200.0 * 0.006 + 1e-9) << "two histograms, each without at most 0.6 % at its ends";
}

/// Statistics of 4 × 400 proposals, whose energy errors are `error(i)`.
ReportedRun with_errors(ReportedRun run, const std::function<std::filesystem::path(int, const std::string&)>& write,
                        const std::function<double(int)>& error) {
  run.input.statistics.resize(4);
  for (int c = 0; c < 4; ++c) {
    std::string text = "energy_error__,gradients__,accepted__,status__\n";
    for (int i = 0; i < 400; ++i) {
      const double x = error(400 * c + i);
      text += (std::isfinite(x) ? std::to_string(x) : "inf") + ",3,1,0\n";
    }
    run.input.statistics[static_cast<std::size_t>(c)].emplace(write(c, text));
  }
  run.summary = summarise_run(run.input);
  return run;
}

/// Few errors that are much larger than most are counted, and do not make all others one bar.
TEST_F(RunReport, EnergyErrorsAreClipped) {
  const auto write = [&](int c, const std::string& text) { return file("statistics_" + std::to_string(c), text); };
  const auto error = [](int i) -> double {
    if (i < 5) return INFINITY;
    if (i < 165) return i % 2 == 0 ? 1000.0 + i : -2000.0 - i;  // a tenth of them
    return testing::scattered(static_cast<std::uint64_t>(i)) - 0.5;
  };
  const ReportedRun run = with_errors(reported(good_chains()), write, error);
  const Report r = run_report(run);
  const Figure& figure = section(r, "energy").figures.back();
  EXPECT_TRUE(mentions(figure.title, {"Energy errors: 89.7", "within ±1"})) << figure.title;
  EXPECT_TRUE(mentions(figure.caption, {"165 of 1,600 lie beyond what is shown", "the least is -2.16e+03",
                                        "the largest 1.16e+03", "5 not finite"}))
      << figure.caption;
  const auto& from = numbers(figure, "from");
  EXPECT_GT(from.front(), -3.0);
  const auto& share = numbers(figure, "share");
  EXPECT_LT(*std::max_element(share.begin(), share.end()), 20.0) << "not all in one bar";
  EXPECT_NEAR(std::accumulate(share.begin(), share.end(), 0.0), 100.0 * 1435.0 / 1600.0, 1e-9);
}

TEST_F(RunReport, EnergyErrorsOfANormalShapeAreAllThere) {
  const auto write = [&](int c, const std::string& text) { return file("statistics_" + std::to_string(c), text); };
  const ReportedRun run = with_errors(reported(good_chains()), write, [](int i) {
    return normal_quantile(testing::scattered(static_cast<std::uint64_t>(i) + 77));
  });
  const Report r = run_report(run);
  const auto& share = numbers(section(r, "energy").figures.back(), "share");
  EXPECT_NEAR(std::accumulate(share.begin(), share.end(), 0.0), 98.0, 1.0);
}

/// theta about 10 and w about 0, both half as wide: as they are, on one axis, and of very different sizes on one each.
TEST_F(RunReport, EstimatesAreInUnitsOfTheModel) {
  const Report r = report(good_chains());
  const Figure& figure = section(r, "main").figures.at(0);
  ASSERT_EQ(texts(figure, "quantity"), (std::vector<std::string>{"theta", "w[1]"}));
  EXPECT_NEAR(numbers(figure, "median").at(0), 10.0, 0.1);
  EXPECT_TRUE(mentions(figure.spec, {"value (model units)"}));

  ReportedRun run = reported(good_chains());
  for (double Summary::* value : {&Summary::q5, &Summary::median, &Summary::q95})
    run.summary.rows[1].values.*value *= 1e6;
  const ReportSection main = section(run_report(run), "main");
  ASSERT_EQ(main.figures.size(), 2U);
  EXPECT_EQ(texts(main.figures[0], "quantity"), (std::vector<std::string>{"theta"}));
  EXPECT_EQ(numbers(main.figures[0], "q5").at(0), run.summary.rows[1].values.q5) << "and not divided by anything";
  EXPECT_EQ(texts(main.figures[1], "quantity"), (std::vector<std::string>{"w[1]"}));
  EXPECT_EQ(numbers(main.figures[1], "q95").at(0), run.summary.rows[2].values.q95);
}

TEST_F(RunReport, IntervalsAreSeenWhereThereIsLittleRoom) {
  const ReportTable table = section(report(good_chains()), "summary").table.value();
  std::vector<std::string> narrow, wide;
  for (const ReportColumn& column : table.columns) {
    if (column.dispensable == 0) narrow.push_back(column.title);
    if (column.dispensable <= 1) wide.push_back(column.title);
  }
  EXPECT_EQ(narrow, (std::vector<std::string>{"quantity", "mean", "5\u00a0%", "95\u00a0%", "R̂"}));
  EXPECT_EQ(wide, (std::vector<std::string>{"quantity", "mean", "sd", "5\u00a0%", "95\u00a0%", "ESS bulk", "R̂"}));
}

TEST_F(RunReport, OneLegendIsForAllTraces) {
  const Report r = report(good_chains());
  const auto& legend = section(r, "mixing").legend;
  ASSERT_EQ(legend.size(), 4U);
  EXPECT_EQ(legend[2].label, "chain 3");
  EXPECT_EQ(legend[2].colour, "var(--chain-3)");
  for (const Figure& figure : section(r, "mixing").figures)
    EXPECT_TRUE(mentions(figure.spec, {legend[2].label, legend[2].colour})) << "the same there";
  std::vector<SyntheticChain> many;
  for (std::uint64_t c = 1; c <= 9; ++c) many.push_back({.number = c});
  EXPECT_TRUE(section(report(many), "mixing").legend.empty()) << "too many for a colour each";
  EXPECT_TRUE(section(report({{.number = 1}}), "mixing").legend.empty());
}

/// Energies that change from draw to draw by as much as they vary: with e_i of ±1 and changes of ±2 in a quarter of the draws.
TEST_F(RunReport, NothingIsOneTimesAsWide) {
  const auto title_with = [&](int period) {
    ReportedRun run = reported(good_chains());
    for (std::size_t c = 0; c < 4; ++c) {
      std::string text = "lp__,energy__,theta\n";
      for (int i = 0; i < 400; ++i)
        text += fmt::format("{},{},{}\n", -1.0 - 0.1 * (i % 3), i % period < period / 2 ? 1.0 : 2.0, i % 7);
      run.input.draws[c] = StanCsvReader(file(fmt::format("energies_{}_{}.csv", period, c), text));
    }
    run.summary = summarise_run(run.input);
    return section(run_report(run), "energy").figures.at(0).title;
  };
  EXPECT_EQ(title_with(8), "Energy changes from draw to draw are as wide as energies");
  EXPECT_EQ(title_with(4), "Energy changes from draw to draw are 1.4 times as wide as energies");
}

TEST_F(RunReport, TracesHaveTheDrawsOfTheFiles) {
  const ReportedRun run = reported(good_chains());
  const Figure trace = section(run_report(run), "mixing").figures.at(0);
  const std::string name = trace.title.substr(0, trace.title.find(':'));
  const auto column = testing::value_of(run.input.draws[2].find_column(name));
  const std::vector<double> drawn = testing::read_columns(run.input.draws[2], std::vector<std::size_t>{column})[0];
  std::vector<double> shown;
  for (std::size_t i = 0; i < texts(trace, "chain").size(); ++i)
    if (texts(trace, "chain")[i] == "chain 3") shown.push_back(numbers(trace, "value")[i]);
  EXPECT_EQ(shown, drawn);
  EXPECT_EQ(trace.caption, "Every draw is shown.");
}

TEST_F(RunReport, SizeDoesNotGrowWithTheRun) {
  std::vector<SyntheticChain> few, many;
  for (std::uint64_t c = 1; c <= 12; ++c) {
    few.push_back({.number = c, .draws = 1000});
    many.push_back({.number = c, .draws = 4000});
  }
  const Report long_run = report(many);
  const std::string small = report_to_json(report(few)), large = report_to_json(long_run);
  EXPECT_LT(static_cast<double>(large.size()), 1.1 * static_cast<double>(small.size()));
  const Figure trace = section(long_run, "mixing").figures.at(0);
  EXPECT_LE(numbers(trace, "value").size(), 4008U);
  EXPECT_EQ(trace.caption, "One of 12 draws is shown.");
  EXPECT_EQ(texts(trace, "look").front(), "12 chains") << "too many for a colour each";
}

TEST_F(RunReport, EffectiveSizesGrow) {
  const Figure growth = section(report(good_chains()), "ess").figures.at(0);
  EXPECT_TRUE(growth.title.starts_with("Effective draws grow with the run: ")) << growth.title;
  EXPECT_EQ(numbers(growth, "draws").front(), 50.0);
  EXPECT_EQ(numbers(growth, "draws").back(), 400.0);
}

TEST_F(RunReport, OneChainIsNoProof) {
  const Report r = report({{.number = 1}});
  EXPECT_EQ(section(r, "verdict").mood, Mood::caution);
  EXPECT_TRUE(section(r, "verdict").title.starts_with("One chain only: "));
}

TEST_F(RunReport, TroubleOfAnyKindLeavesAReport) {
  auto standing = good_chains();
  standing[1].stands = true;
  EXPECT_EQ(section(report(standing), "verdict").title, "Not converged: chain 2 never moved");
  for (auto& chain : standing) chain.stands = true;
  EXPECT_EQ(section(report(standing), "verdict").mood, Mood::bad) << "each elsewhere";
  auto broken = good_chains();
  broken[0].nan_at = 5;
  EXPECT_TRUE(mentions(section(report(broken), "verdict").title, {"infinite or no numbers"}));
  auto constant = good_chains();
  for (auto& chain : constant) chain.constant_w = true;
  EXPECT_TRUE(section(report(constant), "verdict").title.starts_with("All 2 quantities converged"));
  auto brief = good_chains();
  for (auto& chain : brief) chain.draws = 3;
  EXPECT_EQ(section(report(brief), "verdict").mood, Mood::bad);
  EXPECT_EQ(section(report({{.number = 1, .draws = 1}}), "verdict").mood, Mood::bad);
}

TEST_F(RunReport, ConfigurationComesFromTheFilesWhereThereIsNoManifest) {
  const Report r = report(good_chains());
  const ReportTable table = section(r, "configuration").table.value();
  const bool found = std::any_of(table.rows.begin(), table.rows.end(),
                                 [](const auto& row) { return row[0].text == "num_samples" && row[1].text == "400"; });
  EXPECT_TRUE(found);
  EXPECT_EQ(section(r, "configuration").code, "");
}

/// Of settings that are in force for the same reason one list; what somebody gave is told from defaults.
TEST_F(RunReport, ConfigurationSaysWhereASettingIsFrom) {
  ReportedRun run = reported(good_chains(), "run");
  RunManifest m;
  m.asked.set("chains", 4);
  m.asked.set("draws", 400);
  m.decided.set("metric", "dense");
  m.tuning.set("step_size", 0.5);
  const auto source = [&](std::string_view setting) -> std::string {
    run.manifest = m;
    const ReportTable table = section(run_report(run), "configuration").table.value();
    for (const auto& row : table.rows)
      if (row.at(0).text == setting) return row.at(2).text;
    return "not there";
  };
  EXPECT_EQ(source("chains"), "") << "of earlier versions it is not known";
  m.given = ValueTree::List{"draws"};
  EXPECT_EQ(source("chains"), "default");
  EXPECT_EQ(source("draws"), "given");
  EXPECT_EQ(source("metric"), "decided");
  EXPECT_EQ(source("step-size"), "tuned") << "as the flag is called";
}

TEST_F(RunReport, ConfigurationHasEverySettingOnce) {
  ReportedRun run = reported(good_chains(), "run");
  run.manifest.emplace();
  RunManifest& m = *run.manifest;
  m.given = ValueTree::List{"warmup", "metric", "step-size"};
  m.asked.set("warmup", 200);
  m.asked.set("metric", "dense");
  m.asked.set("step-size", 0.5);
  m.asked.set("reverse-check", 1);
  m.decided.set("warmup", 200);
  m.decided.set("reverse_check", 1);
  m.decided.set("motion", "in warm-up");
  m.decided.set("map", "in warm-up");
  m.tuning.set("metric", "dense");
  m.tuning.set("motion", "hamiltonian");
  m.tuning.set("step_size", 0.7);
  using Rows = std::vector<std::vector<std::string>>;
  Rows rows;
  const ReportTable table = section(run_report(run), "configuration").table.value();
  for (const auto& row : table.rows)
    if (row.at(2).text != "") rows.push_back({row.at(0).text, row.at(1).text, row.at(2).text});
  EXPECT_EQ(rows, (Rows{{"warmup", "200", "given"},
                        {"metric", "dense", "given"},
                        {"step-size", "0.5", "given"},
                        {"reverse-check", "1", "default"},
                        {"motion", "hamiltonian", "tuned"},
                        {"map", "in warm-up", "decided"},
                        {"step-size", "0.7", "tuned"}}))
      << "and another value, where warm-up began with one and found another";
}

}  // namespace
}  // namespace darboux

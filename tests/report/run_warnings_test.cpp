#include "report/run_warnings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/expect.hpp"
#include "synthetic_run.hpp"

namespace darboux {
namespace {

using testing::concerns;
using testing::mentions;
using testing::SyntheticChain;
using Names = std::vector<std::string>;

/// A run of two chains that gives no reason to worry.
RunSummary healthy() {
  RunSummary run;
  for (int c = 0; c < 2; ++c)
    run.chains.push_back({.file = "c.csv", .draws = 1000, .ebfmi = 1.0, .fingerprint = static_cast<std::uint64_t>(c)});
  run.draws_per_chain = 1000;
  for (const char* name : {"a", "b"})
    run.rows.push_back({.name = name,
                        .values = {.mean = 0,
                                   .mcse_mean = 0.1,
                                   .sd = 1,
                                   .q5 = -1,
                                   .median = 0,
                                   .q95 = 1,
                                   .ess_bulk = 900,
                                   .ess_tail = 800,
                                   .rhat = 1.0}});
  return run;
}

Names concerns_of(RunSummary run) {
  run.warnings = warnings_about(run);
  return concerns(run);
}

/// The only warning there is.
Warning warning_of(const RunSummary& run, Concern concern) {
  const auto warnings = warnings_about(run);
  EXPECT_EQ(warnings.size(), 1U);
  if (warnings.empty()) return {.concern = concern, .finding = "", .advice = ""};
  EXPECT_EQ(name(warnings.front().concern), name(concern));
  EXPECT_FALSE(warnings.front().advice.empty());
  return warnings.front();
}

TEST(RunWarnings, AreNoneForAHealthyRun) { EXPECT_EQ(concerns_of(healthy()), Names{}); }

/// What draws do not show, as that the data are separated, comes after what they do.
TEST(RunWarnings, HaveWhatTheRunItselfFound) {
  RunSummary run = healthy();
  run.told = {"The outcome is separated.", "Chain 2 was apart."};
  run.rows[0].values.rhat = 1.2;
  EXPECT_EQ(concerns_of(run), (Names{"rhat", "told", "told"}));
  EXPECT_EQ(warnings_about(run)[1].finding, "The outcome is separated.");
}

TEST(RunWarnings, RhatAboveItsThresholdNamesTheWorstFirst) {
  RunSummary run = healthy();
  run.rows[0].values.rhat = 1.01;
  EXPECT_EQ(concerns_of(run), Names{});
  run.rows[0].values.rhat = std::nextafter(1.01, 2.0);
  EXPECT_EQ(concerns_of(run), Names{"rhat"});
  run.rows[1].values.rhat = 1.5;
  EXPECT_TRUE(
      mentions(warning_of(run, Concern::rhat).finding, {"1.01 for 2 of 2 quantities", "b (1.500), a (1.0100)"}));
  run.rows[0].values.rhat = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(mentions(warning_of(run, Concern::rhat).finding, {"a (inf), b (1.500)"}));
  EXPECT_TRUE(mentions(warning_of(run, Concern::rhat).advice, {"Run longer"}));
  run.rows[1].values.sd = 5e13;
  EXPECT_TRUE(mentions(warning_of(run, Concern::rhat).advice, {"b spreads over 5e+13", "improper", "prior"}));
  run.rows[0].values.rhat = run.rows[1].values.rhat = std::nan("");
  EXPECT_EQ(concerns_of(run), Names{});
}

TEST(RunWarnings, OnlyAFewNamesAreListed) {
  RunSummary run = healthy();
  run.rows.resize(1);
  run.rows.resize(6, run.rows[0]);
  for (SummaryRow& row : run.rows) row.values.rhat = 1.2;
  EXPECT_EQ(warning_of(run, Concern::rhat).finding.find("more"), std::string::npos);
  run.rows.push_back(run.rows[0]);
  EXPECT_TRUE(mentions(warning_of(run, Concern::rhat).finding, {"a (1.200) and 2 more"}));
}

TEST(RunWarnings, EffectiveSizesNeedAHundredPerChain) {
  for (const auto member : {&Summary::ess_bulk, &Summary::ess_tail}) {
    RunSummary run = healthy();
    run.rows[1].values.*member = 200.0;
    EXPECT_EQ(concerns_of(run), Names{});
    run.rows[1].values.*member = 199.9;
    EXPECT_EQ(concerns_of(run), Names{"ess"});
    run.rows[1].values.*member = 17.2;
    const char* const which = member == &Summary::ess_bulk ? "b (bulk: 17)" : "b (tail: 17)";
    EXPECT_TRUE(mentions(warning_of(run, Concern::ess).finding, {which, "below 200 (100 per chain) for 1 of 2"}));
  }
}

TEST(RunWarnings, TooFewDrawsForAnyEffectiveSize) {
  RunSummary run = healthy();
  for (SummaryRow& row : run.rows) row.values.ess_bulk = row.values.ess_tail = std::nan("");
  EXPECT_EQ(concerns_of(run), Names{});
  for (ChainFacts& chain : run.chains) chain.draws = 5;
  run.draws_per_chain = 5;
  EXPECT_TRUE(mentions(warning_of(run, Concern::ess).finding, {"5 draws per chain"}));
  for (ChainFacts& chain : run.chains) chain.draws = 6;
  run.draws_per_chain = 6;
  EXPECT_EQ(concerns_of(run), Names{});
}

TEST(RunWarnings, EnergyBelowItsThresholdNamesTheChain) {
  RunSummary run = healthy();
  run.chains[1].ebfmi = 0.3;
  EXPECT_EQ(concerns_of(run), Names{});
  run.chains[1].ebfmi = 0.29;
  EXPECT_TRUE(mentions(warning_of(run, Concern::energy).finding, {"chain 2 (0.29)"}));
  run.chains[1].ebfmi = std::nan("");
  EXPECT_EQ(concerns_of(run), Names{});
}

TEST(RunWarnings, DivergencesSayChainAndDraw) {
  RunSummary run = healthy();
  run.chains[1].divergent_draws = {7};
  EXPECT_TRUE(mentions(warning_of(run, Concern::divergences).finding, {"1 of 2000", "0.05 %", "chain 2: 1 (draw 7)."}));
  run.chains[0].divergent_draws = {3, 5, 8, 13};
  EXPECT_TRUE(mentions(warning_of(run, Concern::divergences).finding, {"chain 1: 4 (draws 3, 5, 8, …); chain 2: 1"}));
  run.divergent_where = {.name = "tau", .mean_of_divergent = 0.1, .mean = 2.0, .sd = 0.5};
  EXPECT_TRUE(
      mentions(warning_of(run, Concern::divergences).finding, {"where tau is small: 0.1 on average", "2 ± 0.5"}));
  run.rows.clear();
  run.chains.assign(11, run.chains[1]);
  for (std::size_t c = 0; c < run.chains.size(); ++c) run.chains[c].fingerprint = c;
  EXPECT_TRUE(
      mentions(warning_of(run, Concern::divergences).finding, {"11 of", "chain 8: 1 (draw 7); and in 3 more chains."}));
}

/// As of a neck, which smaller steps do not widen (docs/diagnostics.md).
TEST(RunWarnings, DivergencesWithSlowEnergiesAreForOtherCoordinates) {
  RunSummary run = healthy();
  run.chains[1].divergent_draws = {7};
  EXPECT_TRUE(warning_of(run, Concern::divergences).advice.starts_with("Use a smaller step size"));
  run.chains[0].ebfmi = 0.2;
  const auto warnings = warnings_about(run);
  const std::string advice = std::ranges::find(warnings, Concern::divergences, &Warning::concern)->advice;
  EXPECT_TRUE(advice.starts_with("Write the model differently there, for example with a non-centred"));
  EXPECT_TRUE(mentions(advice, {"smaller steps (a higher target acceptance) seldom mend that"}));
}

TEST(RunWarnings, EveryKindOfFailedProposalCounts) {
  RunSummary run = healthy();
  run.chains[0].failures = FailedProposals{};
  EXPECT_EQ(concerns_of(run), Names{});
  for (const auto& [kind, words] : {std::pair(&FailedProposals::not_converged, "did not converge: 1 (0.05 %)"),
                                    std::pair(&FailedProposals::not_reversible, "do not lead back: 1"),
                                    std::pair(&FailedProposals::model_error, "refused: 1")}) {
    run.chains[0].failures = FailedProposals{};
    run.chains[0].failures.value().*kind = 1;
    EXPECT_TRUE(mentions(warning_of(run, Concern::failed_proposals).finding, {words}));
  }
  run.chains[1].failures = FailedProposals{.not_converged = 40};
  EXPECT_TRUE(mentions(warning_of(run, Concern::failed_proposals).finding, {"converge: 40 (2 %)", "refused: 1"}));
}

/// Of a run that may have others as well.
Warning one_of_several(const RunSummary& run, Concern concern) {
  for (const Warning& warning : warnings_about(run))
    if (warning.concern == concern) return warning;
  ADD_FAILURE() << name(concern);
  return {};
}

/// Advice goes by what the files know.
TEST(RunWarnings, WhatToDoAboutAChainThatNeverMoved) {
  RunSummary run = healthy();
  run.standing_chains = {1};
  ChainFacts& chain = run.chains[0];
  const auto advice = [&] { return one_of_several(run, Concern::standing_chain).advice; };
  chain.mean_acceptance = 0.0;
  chain.step_size = 0.3;
  EXPECT_TRUE(mentions(advice(), {"Use a smaller step size", "Do not just drop"}));
  chain.step_size = 1e-9;
  EXPECT_TRUE(mentions(advice(), {"The step size is 1e-09 already", "darboux check", "Do not just drop"}));
  chain.failures = FailedProposals{.model_error = chain.draws};
  EXPECT_TRUE(mentions(advice(), {"The model refuses the points"}));
  chain.failures.reset();
  chain.mean_acceptance = 1.0;
  EXPECT_TRUE(mentions(advice(), {"lead nowhere", "a larger step size or more steps"}));
}

TEST(RunWarnings, DrawsThatMayHaveABiasAreNotCalledRight) {
  RunSummary run = healthy();
  run.chains[0].failures = FailedProposals{.not_converged = 3};
  run.chains[0].draws_at_max_depth = 2;
  const auto found = [&](Concern concern) { return one_of_several(run, concern).finding; };
  EXPECT_TRUE(mentions(found(Concern::failed_proposals), {"stay right"}));
  EXPECT_TRUE(mentions(found(Concern::tree_depth), {"no error"}));
  run.chains[0].reverse_check = 0.5;
  EXPECT_EQ(found(Concern::failed_proposals).find("right"), std::string::npos);
  EXPECT_EQ(found(Concern::tree_depth).find("no error"), std::string::npos);
}

TEST(RunWarnings, OnlyTheApproximateIntegratorIsMentioned) {
  RunSummary run = healthy();
  for (const char* name : {"", "leapfrog", "doubled", "midpoint"}) {
    run.integrator = name;
    EXPECT_EQ(concerns_of(run), Names{});
  }
  run.integrator = "explicit";
  EXPECT_EQ(concerns_of(run), Names{"approximate_integrator"});
}

TEST(RunWarnings, InterruptionHasManySigns) {
  RunSummary run = healthy();
  run.interrupted = true;
  EXPECT_TRUE(mentions(warning_of(run, Concern::interrupted).finding, {"did not get to its end"}));
  run.failure = "the model threw";
  EXPECT_TRUE(mentions(warning_of(run, Concern::interrupted).finding, {"failed: the model threw."}));
  run = healthy();
  run.chains[0].announced_draws = 1000;
  EXPECT_EQ(concerns_of(run), Names{});
  run.chains[0].announced_draws = 1001;
  EXPECT_TRUE(mentions(warning_of(run, Concern::interrupted).finding, {"missing in c.csv (1000 of 1001 draws)"}));
  run.chains[0].incomplete_line = 1034;
  EXPECT_TRUE(
      mentions(warning_of(run, Concern::interrupted).finding, {"cut off", "c.csv (line 1034, after 1000 draws)"}));
  run = healthy();
  run.chains.push_back({.file = "empty.csv"});
  EXPECT_TRUE(mentions(warning_of(run, Concern::interrupted).finding, {"no draws in empty.csv"}));
}

TEST(RunWarnings, ChainsShouldBeManyAlikeAndDifferent) {
  RunSummary run = healthy();
  run.chains[1].draws = 1001;
  EXPECT_TRUE(mentions(warning_of(run, Concern::unequal_chains).finding, {"between 1000 and 1001", "first 1000"}));
  run = healthy();
  run.chains[1].fingerprint = run.chains[0].fingerprint;
  EXPECT_TRUE(mentions(warning_of(run, Concern::copied_chain).finding, {"Chains 1 and 2"}));
  run.chains[0].random_numbers = run.chains[1].random_numbers = "seed 1, chain 1";
  EXPECT_EQ(concerns_of(run), Names{"copied_chain"}) << "which says it all";
  run.chains[1].fingerprint += 1;
  EXPECT_TRUE(mentions(warning_of(run, Concern::same_seed).finding, {"Chains 1 and 2", "seed 1, chain 1"}));
  run = healthy();
  run.chains[0].model = "m";
  EXPECT_EQ(concerns_of(run), Names{});
  run.chains[1].model = "n";
  EXPECT_TRUE(mentions(warning_of(run, Concern::mixed_models).finding, {"m, n"}));
  run = healthy();
  run.chains.resize(1);
  EXPECT_EQ(concerns_of(run), Names{"few_chains"});
}

TEST(RunWarnings, RowsThatSayNothing) {
  RunSummary run = healthy();
  run.rows[1].constant = true;
  EXPECT_TRUE(mentions(warning_of(run, Concern::constant).finding, {": b."}));
  EXPECT_TRUE(mentions(warning_of(run, Concern::constant).advice, {"by construction"}));
  for (SummaryRow& row : run.rows) row.constant = true;
  EXPECT_TRUE(mentions(warning_of(run, Concern::constant).advice, {"ever accepted", "step size"}));
  run = healthy();
  run.rows[0].finite = false;
  EXPECT_TRUE(mentions(warning_of(run, Concern::not_finite).finding, {": a."}));
}

TEST(RunWarnings, TreesAndOtherMethods) {
  RunSummary run = healthy();
  run.chains[0].draws_at_max_depth = 20;
  EXPECT_TRUE(mentions(warning_of(run, Concern::tree_depth).finding, {"20 of 2000", "1 %"}));
  run = healthy();
  for (const char* method : {"sample", "generate_quantities"}) {
    run.chains[0].method = method;
    EXPECT_EQ(concerns_of(run), Names{});
  }
  run.chains[0].method = "optimize";
  EXPECT_TRUE(mentions(warning_of(run, Concern::not_sampled).finding, {"method = optimize"}));
}

// --- the same, planted in files ---------------------------------------------------------------------------------------

class PlantedTrouble : public testing::WithRuns {
 protected:
  /// Good chains, the third with a change.
  template <class Change>
  RunSummary with(Change change) {
    auto chains = good_chains();
    change(chains[2]);
    return summarised(chains);
  }
};

TEST_F(PlantedTrouble, GoodFilesHaveNone) { EXPECT_EQ(concerns(summarised(good_chains())), Names{}); }

TEST_F(PlantedTrouble, DivergentDrawsAreFound) {
  const RunSummary run = with([](SyntheticChain& c) { c.divergent = {5, 50, 51, 200, 300, 301, 302, 400}; });
  EXPECT_EQ(concerns(run), Names{"divergences"});
  EXPECT_EQ(run.divergences(), 8);
  EXPECT_EQ(run.chains[2].divergent_draws, (std::vector<std::int64_t>{5, 50, 51, 200, 300, 301, 302, 400}));
  ASSERT_TRUE(run.divergent_where);
  EXPECT_EQ(run.divergent_where->name, "theta");
  EXPECT_NEAR(run.divergent_where->mean_of_divergent, 7.0, 0.5);
}

TEST_F(PlantedTrouble, DivergencesAnywhereLieNowhereInParticular) {
  const RunSummary run = with([](SyntheticChain& c) {
    c.divergent = {5, 50, 51, 200, 300, 301, 302, 400};
    c.divergent_are_low = false;
  });
  EXPECT_EQ(concerns(run), Names{"divergences"});
  EXPECT_FALSE(run.divergent_where);
}

TEST_F(PlantedTrouble, AChainThatNeverMoved) {
  const RunSummary run = with([](SyntheticChain& c) { c.stands = true; });
  EXPECT_EQ(run.standing_chains, std::vector<std::size_t>{3});
  const Names found = concerns(run);
  EXPECT_EQ(found.front(), "standing_chain");
  EXPECT_NE(std::find(found.begin(), found.end(), "rhat"), found.end());
}

TEST_F(PlantedTrouble, AChainElsewhere) {
  const RunSummary run = with([](SyntheticChain& c) { c.shift = 1.0; });
  EXPECT_EQ(concerns(run), (Names{"rhat", "ess"}));
  EXPECT_TRUE(mentions(run.warnings[0].finding, {"1 of 3 quantities", "theta ("}));
}

TEST_F(PlantedTrouble, SmallThingsInFiles) {
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.energy_wanders = true; })), Names{"energy"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.deep = {1, 9}; })), Names{"tree_depth"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.nan_at = 9; })), Names{"not_finite"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.model = "other"; })), Names{"mixed_models"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.number = 1; })), Names{"copied_chain"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.announced = 401; })), Names{"interrupted"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.last_line = "-3.1,0.7"; })), Names{"interrupted"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.draws = 390; })), Names{"unequal_chains"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.settings = "# darboux_reverse_check = 0.5\n"; })),
            Names{"approximate_integrator"});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.settings = "# darboux_reverse_check = 1\n"; })), Names{});
  EXPECT_EQ(concerns(with([](SyntheticChain& c) { c.settings = "# darboux_integrator = explicit\n"; })),
            Names{"approximate_integrator"});
  EXPECT_EQ(concerns(summarised({{.number = 1}})), Names{"few_chains"});
}

TEST_F(PlantedTrouble, ConstantColumns) {
  auto chains = good_chains();
  for (SyntheticChain& c : chains) c.constant_w = true;
  const RunSummary run = summarised(chains);
  EXPECT_EQ(concerns(run), Names{"constant"});
  EXPECT_TRUE(mentions(run.warnings[0].finding, {"w[1]"}));
  EXPECT_TRUE(run.standing_chains.empty());
}

TEST_F(PlantedTrouble, LowEffectiveSizes) {
  auto chains = good_chains();
  for (SyntheticChain& c : chains) c.draws = 40;
  const Names found = concerns(summarised(chains));
  EXPECT_NE(std::find(found.begin(), found.end(), "ess"), found.end());
}

TEST_F(PlantedTrouble, AnEmptyChainIsLeftOut) {
  const RunSummary run = with([](SyntheticChain& c) {
    c.draws = 0;
    c.announced = 400;
  });
  EXPECT_EQ(concerns(run), Names{"interrupted"});
  EXPECT_EQ(run.chains_with_draws(), 3U);
  EXPECT_EQ(run.draws_per_chain, 400);
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "report/printable_text.hpp"
#include "report/summary_files.hpp"
#include "report/summary_text.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
constexpr double inf = std::numeric_limits<double>::infinity();

RunSummary small_run() {
  RunSummary run;
  run.columns_in_file = 4;
  run.draws_per_chain = 500;
  run.integrator = "doubled";
  run.gradients = 1234567;
  for (int c = 1; c <= 2; ++c)
    run.chains.push_back({.file = "out/chain_" + std::to_string(c) + ".csv",
                          .model = "logistic",
                          .draws = 500,
                          .ebfmi = 0.9 + 0.1 * c,
                          .mean_acceptance = 0.8,
                          .fingerprint = static_cast<std::uint64_t>(c)});
  const auto add = [&](std::string name, Summary values) {
    run.rows.push_back({.name = std::move(name), .values = values});
  };
  add("lp__", {-523.4567, 0.0812, 2.51, -527.9, -523.2, -520.1, 955.4, 1020.2, 1.0012});
  add("beta[1,2]", {0.012345, 0.00123, 0.0389, -0.05, 0.0124, 0.0765, 150.2, 812.0, 1.0213});
  add("evil\x1b[2J\n", {1.5e9, 2.2e6, 5e7, 1.4e9, 1.5e9, 1.6e9, 1500, 1400, 1.0});
  run.rows.push_back({.name = "fixed", .values = {1, NAN, 0, 1, 1, 1, NAN, NAN, NAN}, .constant = true});
  run.warnings = warnings_about(run);
  return run;
}

TEST(SummaryText, LooksLikeThis) {
  EXPECT_EQ(summary_text(small_run()), R"(logistic · 2 chains × 500 draws · doubled

                mean     mcse      sd         5%        50%        95%  ess bulk  ess tail      R̂
lp__       -523.457    0.081   2.510   -527.900   -523.200   -520.100        955      1020  1.001
beta[1,2]     0.0123   0.0012  0.0389    -0.0500     0.0124     0.0765       150       812  1.021
evil?[2J?    1.5e+09  2.2e+06   5e+07    1.4e+09    1.5e+09    1.6e+09      1500      1400  1.000
fixed         1        –       0          1          1          1              –         –  –

no divergences · acceptance 0.80 · E-BFMI 1.00–1.10 · 1,234,567 gradients

3 warnings

 1. The chains disagree: R̂ is above 1.01 for 1 of 4 quantities, the worst first: beta[1,2] (1.021).
    → Do not use these draws yet. Run longer, with a longer warm-up too; if that does not help, the
      chains may be in different modes, or the model may not be identified.

 2. Too few effective draws for reliable estimates: below 200 (100 per chain) for 1 of 4 quantities,
    the worst first: beta[1,2] (bulk: 150).
    → Draw more. Where effective sizes are small compared with the number of draws, a dense metric
      or longer trajectories help more.

 3. The same value in all draws: fixed.
    → The others vary, so this is fixed by construction, as the diagonal of a correlation matrix is;
      no harm.
)");
}

TEST(SummaryText, SaysHowManyRowsAreNotShown) {
  RunSummary run = small_run();
  const std::string few = summary_text(run, {.max_rows = 1});
  EXPECT_TRUE(mentions(few, {"lp__", "… 3 more rows"}));
  EXPECT_EQ(few.find("beta[1,2]  "), std::string::npos);
  EXPECT_TRUE(mentions(summary_text(run, {.max_rows = 3}), {"… 1 more row\n"}));
}

TEST(SummaryText, SaysHowToSeeFewerRowsThanVeryMany) {
  RunSummary run = small_run();
  run.rows.resize(60, run.rows[0]);
  EXPECT_EQ(summary_text(run, {.to_see_fewer = "ask for ten"}).find("To see fewer"), std::string::npos);
  run.rows.resize(61, run.rows[0]);
  EXPECT_TRUE(mentions(summary_text(run, {.to_see_fewer = "ask for ten"}), {"61 rows. To see fewer: ask for ten."}));
  EXPECT_EQ(summary_text(run, {.max_rows = 20, .to_see_fewer = "ask for ten"}).find("To see fewer"), std::string::npos);
  EXPECT_EQ(summary_text(run).find("To see fewer"), std::string::npos);  // those who know of no way say nothing
}

TEST(SummaryText, ShowsThatRowsWereChosen) {
  RunSummary run = small_run();
  run.rows.resize(2);
  EXPECT_TRUE(mentions(summary_text(run), {"2 of 4 quantities"}));
}

TEST(SummaryText, NothingIsWiderThanTheTerminal) {
  RunSummary run = small_run();
  run.rows.erase(run.rows.begin() + 2);
  for (const std::size_t width : {50U, 72U, 90U}) {
    std::istringstream lines(summary_text(run, {.style = {.width = width}}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(SummaryText, NoWarningsNoColours) {
  RunSummary run = small_run();
  EXPECT_EQ(summary_text(run).find('\x1b'), std::string::npos);
  EXPECT_NE(summary_text(run, {.style = {.colours = true}}).find("\x1b[31m"), std::string::npos);
  run.warnings.clear();
  EXPECT_TRUE(summary_text(run).ends_with("\nNo warnings.\n"));
}

TEST(RowText, DigitsFollowTheMonteCarloError) {
  const auto mean_of = [](double mean, double error) { return row_text({mean, error, 1, 0, 0, 0, 9, 9, 1}).mean; };
  EXPECT_EQ(mean_of(1.23456789, 0.0123), "1.235");
  EXPECT_EQ(mean_of(1.23456789, 0.00999), "1.2346");
  EXPECT_EQ(mean_of(1.23456789, 0.1), "1.23");
  EXPECT_EQ(mean_of(12345.678, 3.0), "12345.7");
  EXPECT_EQ(mean_of(12345.678, 42.0), "12346");
  EXPECT_EQ(mean_of(12345.678, 4200.0), "12346");
  EXPECT_EQ(mean_of(-0.0001, 0.01), "0.000");
  EXPECT_EQ(mean_of(1.23456789, 1e-9), "1.235") << "more decimals than anyone reads";
  EXPECT_EQ(mean_of(1.23456789, NAN), "1.235");
  EXPECT_EQ(mean_of(3e9, 2e6), "3e+09");
  EXPECT_EQ(mean_of(NAN, NAN), "–");
  EXPECT_EQ(mean_of(-inf, NAN), "-∞");
  EXPECT_EQ(row_text({0, 1, 1, 0, 0, 0, 1234.5678, NAN, inf}).rhat, "∞");
  EXPECT_EQ(row_text({0, 1, 1, 0, 0, 0, 1234.5678, NAN, 1.23456}).rhat, "1.235");
  EXPECT_EQ(row_text({0, 1, 1, 0, 0, 0, 1234.5678, NAN, 1}).ess_bulk, "1235");
}

TEST(SummaryFiles, CsvKeepsEveryBit) {
  RunSummary run = small_run();
  run.rows[0].values.mean = 0.1 + 0.2;
  run.rows[0].values.rhat = inf;
  run.rows[2].name = "a\"b";
  std::istringstream lines(summary_to_csv(run));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, summary_csv_titles);
  std::getline(lines, line);
  EXPECT_EQ(line, "lp__,0.30000000000000004,0.0812,2.51,-527.9,-523.2,-520.1,955.4,1020.2,Inf");
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("\"beta[1,2]\",0.012345,"));
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("\"a\"\"b\",1.5e+09,") || line.starts_with("\"a\"\"b\",1500000000,")) << line;
  std::getline(lines, line);
  EXPECT_EQ(line, "fixed,1,NaN,0,1,1,1,NaN,NaN,NaN");
}

TEST(SummaryFiles, JsonHasRowsChainsAndWarnings) {
  RunSummary run = small_run();
  run.rows[0].values.mean = 0.1 + 0.2;
  run.rows[0].values.rhat = inf;
  run.rows[2].name = "\xFF";
  run.chains[0].divergent_draws = {4, 7};
  run.chains[0].failures = FailedProposals{.not_converged = 3};
  const std::string json = summary_to_json(run);
  EXPECT_TRUE(json.starts_with("{\n \"schema\": \"darboux-summary/1\",\n"));
  EXPECT_TRUE(mentions(
      json, {"\"mean\": 0.30000000000000004", "\"rhat\": \"inf\"", "\"ess_bulk\": null", "\"gradients\": 1234567",
             "\"not_converged\": 3", "\"concern\": \"ess\"", "\"advice\": \"Draw more", "\xEF\xBF\xBD"}));
}

RunSummary with_extras() {
  RunSummary run = small_run();
  run.extras = {.quantiles = {0.025, 0.975}, .hdi = 0.95, .above_zero = true, .odds_ratios = true};
  for (SummaryRow& row : run.rows) {
    row.values.quantiles = {row.values.mean - 1.0, row.values.mean + 1.0};
    row.values.hdi_low = row.values.mean - 0.9;
    row.values.hdi_high = row.values.mean + 0.8;
    row.values.above_zero = 0.625;
  }
  run.rows[2].name = "intercept";
  run.rows[2].values = run.rows[1].values;
  run.warnings.clear();
  return run;
}

TEST(SummaryText, ShowsWhatIsAskedFor) {
  RunSummary run = with_extras();
  run.rows.resize(3);
  EXPECT_EQ(summary_text(run, {.style = {.width = 70}}),
            R"(logistic · 2 chains × 500 draws · 3 of 4 quantities · doubled

                mean       2.5%      97.5%    hdi 95%         to  P(>0)  ess bulk      R̂
lp__       -523.457   -524.457   -522.457   -524.357   -522.657   0.625       955  1.001
beta[1,2]     0.0123    -0.9877     1.0123    -0.8877     0.8123  0.625       150  1.021
intercept     0.0123    -0.9877     1.0123    -0.8877     0.8123  0.625       150  1.021

odds ratio    2.5%   97.5%
beta[1,2]   0.3724  2.7520

no divergences · acceptance 0.80 · E-BFMI 1.00–1.10 · 1,234,567
gradients

No warnings.
)");
}

/// All ratios of a row have as many decimals as its Monte Carlo error leaves meaning to, round numbers too.
TEST(SummaryText, RatiosOfARowHaveTheSameDigits) {
  RunSummary run = with_extras();
  run.rows.resize(2);
  Summary& values = run.rows[1].values;
  values.mean = 0.004;
  values.mcse_mean = 4e-5;
  values.quantiles = {std::log(0.99), std::log(1.0044)};
  EXPECT_TRUE(mentions(summary_text(run), {"beta[1,2]   0.990000  1.004400\n"}));
  values.mean = std::log(100.0);
  values.mcse_mean = 0.02;
  values.quantiles = {std::log(30.0), std::log(250.5)};
  EXPECT_TRUE(mentions(summary_text(run), {"beta[1,2]   30.0  250.5\n"}));
  values.quantiles[1] = 50.0;
  EXPECT_TRUE(mentions(summary_text(run), {"5.18e+21\n"}));
}

/// Who reads a table from the top must know that it means nothing.
TEST(SummaryText, WarnsBeforeATableOfDifferentDistributions) {
  RunSummary run = small_run();
  EXPECT_GT(summary_text(run).find("3 warnings"), summary_text(run).find("ess bulk"));
  run.mixed = "data (a.csv and b.csv)";
  run.warnings = warnings_about(run);
  const std::string text = summary_text(run);
  EXPECT_LT(text.find("different distributions"), text.find("ess bulk")) << text;
  EXPECT_EQ(text.find("different distributions"), text.rfind("different distributions")) << "once";
}

TEST(SummaryFiles, HaveWhatIsAskedFor) {
  const RunSummary run = with_extras();
  std::istringstream lines(summary_to_csv(run));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "name,mean,mcse_mean,sd,q2.5,q97.5,hdi95_low,hdi95_high,above_zero,ess_bulk,ess_tail,rhat,"
            "odds_ratio_q2.5,odds_ratio_q97.5");
  EXPECT_TRUE(line.starts_with(summary_csv_start));
  EXPECT_TRUE(summary_csv_titles.starts_with(summary_csv_start));
  std::getline(lines, line);
  EXPECT_TRUE(line.ends_with(",NaN,NaN")) << line;
  std::getline(lines, line);
  EXPECT_TRUE(mentions(line, {",-0.987655,1.012345,-0.887655,", ",0.625,150.2,"}));
  const std::string ratio = line.substr(line.rfind(',') + 1);
  EXPECT_DOUBLE_EQ(std::stod(ratio), std::exp(1.012345));
  EXPECT_TRUE(mentions(summary_to_json(run), {"\"q97.5\": 1.012345", "\"hdi95_low\": -0.887655",
                                              "\"above_zero\": 0.625", "\"odds_ratio_q2.5\": null"}));
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include <bit>
#include <darboux/core/error.hpp>
#include <limits>

#include "diagnose/describe.hpp"
#include "draws/read_columns.hpp"
#include "draws/stan_csv_writer.hpp"
#include "support/expect.hpp"
#include "synthetic_run.hpp"

namespace darboux {
namespace {

using testing::concerns;
using testing::mentions;
using testing::message_of;
using testing::SyntheticChain;

class RunSummaryTest : public testing::WithRuns {};

bool same(const Summary& a, const Summary& b) {
  const auto bits = [](const Summary& v) {
    std::vector<std::uint64_t> all;
    for (const double x : {v.mean, v.mcse_mean, v.sd, v.q5, v.median, v.q95, v.ess_bulk, v.ess_tail, v.rhat,
                           v.above_zero, v.hdi_low, v.hdi_high})
      all.push_back(std::bit_cast<std::uint64_t>(x));
    for (const double x : v.quantiles) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  };
  return bits(a) == bits(b);
}

TEST_F(RunSummaryTest, RowsAreThoseOfTheDraws) {
  const RunInput input = written(good_chains());
  const RunSummary run = summarise_run(input);
  ASSERT_EQ(run.rows.size(), 3U);
  EXPECT_EQ(run.columns_in_file, 3U);
  const std::vector<std::string> names{"lp__", "theta", "w[1]"};
  const std::vector<std::size_t> columns{0, 7, 8};
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(run.rows[r].name, names[r]);
    std::vector<std::vector<double>> draws;
    for (const StanCsvReader& file : input.draws)
      draws.push_back(testing::read_columns(file, std::span(columns).subspan(r, 1)).front());
    const ChainDraws chains(std::vector<std::span<const double>>(draws.begin(), draws.end()));
    EXPECT_TRUE(same(run.rows[r].values, summarise(chains)));
  }
  EXPECT_NEAR(run.rows[1].values.mean, 10.0, 4 * run.rows[1].values.mcse_mean);
  EXPECT_NEAR(run.rows[1].values.sd, std::sqrt(1.0 / 12.0), 0.01);
}

TEST_F(RunSummaryTest, FactsOfChains) {
  const RunSummary run = summarised(good_chains());
  ASSERT_EQ(run.chains.size(), 4U);
  EXPECT_EQ(run.chains_with_draws(), 4U);
  EXPECT_EQ(run.draws_per_chain, 400);
  EXPECT_EQ(run.chains[0].model, "synthetic");
  EXPECT_EQ(run.chains[0].draws, 400);
  EXPECT_EQ(run.chains[0].announced_draws, 400);
  EXPECT_DOUBLE_EQ(run.chains[0].mean_acceptance.value(), 0.75);
  EXPECT_NEAR(run.chains[0].ebfmi.value(), 2.0, 0.3);
  EXPECT_EQ(run.chains[0].gradients, 1200);
  EXPECT_EQ(run.gradients, 4800);
  EXPECT_FALSE(run.chains[0].failures);
}

TEST_F(RunSummaryTest, MemoryAndThreadsChangeNothing) {
  const RunInput input = written(good_chains());
  const RunSummary roomy = summarise_run(input, {.threads = 1});
  for (const int threads : {1, 2, 5}) {
    const RunSummary tight = summarise_run(input, {.memory = threads == 1 ? 1U : 1'000'000U, .threads = threads});
    ASSERT_EQ(roomy.rows.size(), tight.rows.size());
    for (std::size_t r = 0; r < roomy.rows.size(); ++r) {
      EXPECT_EQ(roomy.rows[r].name, tight.rows[r].name);
      EXPECT_TRUE(same(roomy.rows[r].values, tight.rows[r].values));
    }
  }
}

TEST_F(RunSummaryTest, ChainsAreCutToTheShortest) {
  auto chains = good_chains();
  chains[1].draws = chains[1].announced = 300;
  const RunSummary cut = summarised(chains);
  for (SyntheticChain& chain : chains) chain.draws = chain.announced = 300;
  const RunSummary equal = summarised(chains);
  EXPECT_EQ(cut.draws_per_chain, 300);
  for (std::size_t r = 0; r < cut.rows.size(); ++r) EXPECT_TRUE(same(cut.rows[r].values, equal.rows[r].values));
}

TEST_F(RunSummaryTest, OnlyTheColumnsAskedFor) {
  const RunSummary run = summarise_run(written(good_chains()), {.columns = {8}});
  ASSERT_EQ(run.rows.size(), 1U);
  EXPECT_EQ(run.rows[0].name, "w[1]");
  EXPECT_EQ(run.columns_in_file, 3U);
}

/// As CmdStan 2.2 wrote it: few comments, no energy, warm-up saved, elapsed times at the end.
TEST_F(RunSummaryTest, OldFilesOfCmdStanLackMuch) {
  const auto text =
      "# method = sample (Default)\n#   sample\n#     num_samples = 6\n#     num_warmup = 2\n#     save_warmup = 1\n"
      "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,mu,m.1.2\n"
      "-90,1,1,1,1,1,1000,9\n-91,1,1,1,1,1,1000,9\n# Adaptation terminated\n# Step size = 0.5\n"
      "-1,0.5,1,1,1,0,1,2\n-2,1,1,1,3,0,2,4\n-3,1,1,1,3,1,3,1\n-4,1,1,1,3,0,4,3\n-2,1,1,1,3,0,6,2\n-1,0,1,1,3,0,5,7\n"
      "# \n#  Elapsed Time: 0.5 seconds (Warm-up)\n#                0.25 seconds (Sampling)\n";
  RunInput input;
  input.draws.emplace_back(file("output.csv", text));
  const RunSummary run = summarise_run(input);
  EXPECT_EQ(run.rows.at(1).name, "mu");
  EXPECT_DOUBLE_EQ(run.rows.at(1).values.mean, 3.5);
  EXPECT_EQ(run.rows.at(2).name, "m[1,2]");
  EXPECT_EQ(run.chains[0].divergent_draws, std::vector<std::int64_t>{3});
  EXPECT_DOUBLE_EQ(run.chains[0].mean_acceptance.value(), 0.75);
  EXPECT_FALSE(run.chains[0].ebfmi);
  EXPECT_EQ(run.chains[0].sampling_seconds, 0.25);
  EXPECT_EQ(run.chains[0].gradients, 16);
}

TEST_F(RunSummaryTest, ThinnedFilesDoNotKnowAllGradients) {
  auto chains = good_chains();
  std::string text = stan_csv(chains[0]);
  text.replace(text.find("thin = 1"), 8, "thin = 2");
  RunInput input;
  input.draws.emplace_back(file("thinned.csv", text));
  const RunSummary run = summarise_run(input);
  EXPECT_FALSE(run.gradients);
  EXPECT_EQ(run.chains[0].announced_draws, 200);
}

TEST_F(RunSummaryTest, GradientsThatNobodyCanHaveMadeAreNotCounted) {
  const std::string text = stan_csv(good_chains()[0]);
  for (const std::string count : {"1e300", "-5", "NaN", "9223372036854775807"}) {
    std::string changed = text;
    const std::size_t row = changed.find('\n', changed.find("# Adaptation")) + 1;
    const std::size_t at = changed.find(",3,", row);  // n_leapfrog__
    changed.replace(at + 1, 1, count);
    RunInput input;
    input.draws.emplace_back(file("changed.csv", changed));
    const RunSummary run = summarise_run(input);
    if (count == "-5")
      EXPECT_GE(run.gradients.value_or(0), 0);
    else
      EXPECT_FALSE(run.gradients) << count;
  }
}

TEST_F(RunSummaryTest, StatisticsBesideTheDrawsAreCounted) {
  RunInput input;
  for (int chain = 1; chain <= 2; ++chain) {
    const StanCsvFiles files{.draws = path("d" + std::to_string(chain)),
                             .statistics = path("s" + std::to_string(chain))};
    StanCsvWriter writer(files,
                         {.chain = chain,
                          .warmup_iterations = 2,
                          .sampling_iterations = 6,
                          .save_warmup = true,
                          .notes = {{"integrator", "midpoint"}}},
                         {"x"});
    const auto draw = [&](double x, Status status) {
      writer.draw(
          std::vector{x},
          {.log_density = -x, .acceptance_probability = 0.5, .energy = x * x, .status = status, .gradients = 10});
    };
    draw(0.0, Status::not_converged);
    draw(0.0, Status::model_error);
    writer.end_warmup({.step_size = 0.1});
    draw(chain, Status::not_converged);
    draw(2.0, Status::not_converged);
    draw(3.0, Status::not_reversible);
    draw(2.5, Status::model_error);
    draw(1.5, Status::ok);
    draw(0.5, Status::diverged);
    writer.finish({});
    input.draws.emplace_back(files.draws);
    input.statistics.emplace_back(StanCsvReader(files.statistics));
  }
  const RunSummary run = summarise_run(input);
  EXPECT_EQ(run.integrator, "midpoint");
  EXPECT_EQ(run.gradients, 120);
  EXPECT_EQ(run.divergences(), 2);
  for (const ChainFacts& chain : run.chains)
    EXPECT_EQ(chain.failures, (FailedProposals{.not_converged = 2, .not_reversible = 1, .model_error = 1}));
  input.statistics.clear();
  EXPECT_FALSE(summarise_run(input).gradients) << "steps of other integrators than Stan's are no gradients";
}

TEST_F(RunSummaryTest, RefusesWhatIsNoneOfIt) {
  EXPECT_TRUE(mentions(message_of<InputError>([] { (void)summarise_run({}); }), {"no files"}));

  RunInput table;
  table.draws.emplace_back(file("table.csv", "a,b\n1,2\n"));
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)summarise_run(table); }), {"table.csv", "no Stan CSV", "lp__"}));

  RunInput mixed = written(good_chains());
  mixed.draws.emplace_back(file("other.csv", "lp__,theta\n1,2\n"));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)summarise_run(mixed); }),
                       {"chain_1.csv", "other.csv", "column 2", "accept_stat__", "theta"}));

  RunInput empty;
  empty.draws.emplace_back(file("empty.csv", "lp__,theta\n"));
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)summarise_run(empty); }), {"empty.csv", "no draws"}));

  RunInput garbled = written({{.last_line = "1,2,3\n"}});
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)summarise_run(garbled); }), {"chain_1.csv line", "9 columns"}));

  RunInput wrong = written({{.number = 1}});
  wrong.statistics.emplace_back(wrong.draws[0]);
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)summarise_run(wrong); }), {"chain_1.csv", "status__"}));
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include "darboux/core/error.hpp"
#include "darboux/run/sample.hpp"
#include "run/run_config.hpp"
#include "support/expect.hpp"
#include "support/split_table.hpp"

namespace darboux {
namespace {

using testing::MadeUpTable;
using testing::mentions;
using testing::message_of;
using testing::TableFiles;
using testing::with_shards;

std::vector<std::vector<double>> draws_of(int processes, const std::string& data, const SampleOptions& options) {
  std::vector<std::vector<double>> out;
  with_shards(processes, data, {.response = "outcome"}, [&](const auto& model) {
    const Draws draws = sample(model, options);
    for (const std::string& name : draws.names())
      for (const auto& chain : draws[name]) out.emplace_back(chain.begin(), chain.end());
  });
  return out;
}

/// Only the first process draws, so that clocks and threads of the others decide nothing; what it asks for has the same bits everywhere.
TEST(ShardedRuns, DrawTheSameWhateverTheProcesses) {
  TableFiles files;
  const std::string data = files.add("a.csv", MadeUpTable(300).text());
  SampleOptions options{.chains = 5, .warmup = 60, .draws = 20, .seed = 3, .threads = 2};
  const auto expect_the_same = [&](const char* what) {
    const auto alone = draws_of(1, data, options);
    for (const int processes : {2, 3, 8}) EXPECT_EQ(draws_of(processes, data, options), alone) << what << processes;
  };
  expect_the_same("as it is, ");
  options.trajectory = TrajectoryKind::nuts;
  expect_the_same("nuts, ");
  options.trajectory.reset();
  for (const StartMethod start : {StartMethod::mode, StartMethod::paths}) {
    options.start = start;
    expect_the_same("other starts, ");
  }
}

TEST(ShardedRuns, RefuseWhatNeedsAllRows) {
  TableFiles files;
  RunConfig config;
  config.model = "logistic";
  config.data = files.add("a.csv", MadeUpTable(60).text());
  config.response = "outcome";
  config.shard = Sharding::rows;
  EXPECT_NO_THROW((void)make_plan(config));
  const auto refusal = [](const RunConfig& c) { return message_of<InputError>([&] { (void)make_plan(c); }); };
  RunConfig other = config;
  other.log_likelihood = true;
  EXPECT_TRUE(mentions(refusal(other), {"log-likelihood is given, but shard = rows"}));
  other = config;
  other.posterior_predictive = 3;
  EXPECT_TRUE(mentions(refusal(other), {"posterior-predictive is given, but shard = rows"}));
  other = config;
  other.model = "gaussian";
  EXPECT_TRUE(mentions(refusal(other), {"shard = rows: is for model logistic, but the model is gaussian"}));
}

TEST(ShardedRuns, AloneReadSeveralFiles) {
  TableFiles files;
  const std::string first = files.add("part-1.csv", MadeUpTable(60).text());
  (void)files.add("part-2.csv", MadeUpTable(60).text());
  RunConfig config;
  config.model = "logistic";
  config.data = first.substr(0, first.size() - 5) + "*.csv";
  config.response = "outcome";
  const auto refusal = [&] { return message_of<InputError>([&] { (void)make_plan(config); }); };
  EXPECT_TRUE(mentions(refusal(), {"part-*.csv: is a pattern, which matches 2 files", "part-1.csv", "--shard rows"}));
  config.shard = Sharding::rows;
  EXPECT_NO_THROW((void)make_plan(config));
  config.shard.reset();
  config.data = first.substr(0, first.size() - 5) + "*.tsv";
  EXPECT_TRUE(mentions(refusal(), {"cannot read ", "*.tsv"}));
}

}  // namespace
}  // namespace darboux

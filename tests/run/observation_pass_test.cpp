#include "run/observation_pass.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <set>

#include "darboux/core/error.hpp"
#include "darboux/run/sample.hpp"
#include "draws/observation_file.hpp"
#include "draws/stan_csv_reader.hpp"
#include "draws/temporary_folder.hpp"
#include "draws/zarr_reader.hpp"
#include "draws/zarr_store.hpp"
#include "model/gaussian.hpp"
#include "model/logistic_data.hpp"
#include "run/file_run.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::message_of;
using Rows = std::vector<std::vector<double>>;

constexpr Index observations = 40;

class ObservationPass : public testing::WithFolder {
 protected:
  ObservationPass() {
    std::string csv = "y,x\n";
    for (int i = 0; i < observations; ++i) csv += fmt::format("{},{}\n", (i * i) % 3 == 1 ? 1 : 0, 100 + (7 * i) % 23);
    data_ = file("d.csv", csv).string();
  }
  [[nodiscard]] RunConfig config(const std::string& out) const {
    RunConfig c;
    c.model = "logistic";
    c.data = data_;
    c.warmup = 200;
    c.draws = 60;
    c.chains = 3;
    c.seed = 7;
    c.threads = 1;
    c.log_likelihood = true;
    c.posterior_predictive = 60;
    c.out = path(out).string();
    return c;
  }
  [[nodiscard]] Rows rows(const std::string& name, std::size_t first_column = 0) const {
    const StanCsvReader reader(path(name));
    std::vector<std::size_t> columns(reader.columns().size() - first_column);
    std::iota(columns.begin(), columns.end(), first_column);
    Rows out;
    (void)reader.for_each_row(columns, [&](auto values, Phase) { out.emplace_back(values.begin(), values.end()); });
    return out;
  }
  std::string data_;
};

TEST_F(ObservationPass, TermsAndTheLogPriorAreTheLogDensityOfEachDraw) {
  const RunPlan plan = make_plan(config("a"));
  const FileRun done = run_to_files(plan);
  const auto& model = dynamic_cast<const StandardisedLogistic&>(*plan.sample.model);
  for (const DrawFile& entry : done.manifest.files) {
    EXPECT_EQ(entry.log_likelihood, "log_likelihood/" + entry.file);
    EXPECT_EQ(entry.posterior_predictive, "posterior_predictive/" + entry.file);
    EXPECT_EQ(StanCsvReader(path("a/" + entry.log_likelihood)).columns().back(), "log_lik.40");
    EXPECT_EQ(StanCsvReader(path("a/" + entry.posterior_predictive)).columns().front(), "y_rep.1");
    const Rows terms = rows("a/" + entry.log_likelihood), draws = rows("a/" + entry.file);
    ASSERT_EQ(terms.size(), 60U);
    for (std::size_t k = 0; k < terms.size(); ++k) {
      std::vector<double> q(2);
      model.unconstrain(std::span(draws[k]).last(2), q);
      const double log_prior = -0.5 * (q[0] * q[0] / 100.0 + q[1] * q[1]);
      EXPECT_NEAR(std::accumulate(terms[k].begin(), terms[k].end(), log_prior), draws[k][0], 1e-12);  // lp__
    }
  }
  EXPECT_EQ(read_manifest(path("a/run.json")), done.manifest);
}

TEST_F(ObservationPass, KnowsOfEachObservationWhatAllDrawsSay) {
  (void)run_to_files(make_plan(config("a")));
  const ObservationSummary summary = read_observation_summary(path("a/observations.json"));
  ASSERT_EQ(summary.observed.size(), at(observations));
  EXPECT_EQ(summary.observed[0], 0.0);
  EXPECT_EQ(summary.observed[1], 1.0);
  double sum = 0.0;
  for (const int chain : {1, 2, 3})
    for (const auto& row : rows(fmt::format("a/log_likelihood/chain_{}.csv", chain))) sum += std::exp(row[5]);
  EXPECT_NEAR(summary.likelihood.at(5), sum / 180.0, 1e-14);
}

TEST_F(ObservationPass, FilesDependNeitherOnThreadsNorOnEachOther) {
  (void)run_to_files(make_plan(config("a")));
  RunConfig other = config("b");
  other.threads = 3;
  (void)run_to_files(make_plan(other));
  RunConfig alone = config("c");
  alone.log_likelihood = false;
  (void)run_to_files(make_plan(alone));
  for (const char* name : {"log_likelihood/chain_1.csv", "posterior_predictive/chain_3.csv", "observations.json"})
    EXPECT_EQ(read_text(path("a") / name), read_text(path("b") / name)) << name;
  EXPECT_EQ(read_text(path("a/posterior_predictive/chain_2.csv")),
            read_text(path("c/posterior_predictive/chain_2.csv")));
  EXPECT_FALSE(fs::exists(path("c/log_likelihood")));
  EXPECT_TRUE(read_observation_summary(path("c/observations.json")).likelihood.empty());
  // Chains and draws have random numbers of their own.
  std::set<std::vector<double>> different;
  for (const int chain : {1, 2, 3})
    for (const auto& row : rows(fmt::format("a/posterior_predictive/chain_{}.csv", chain))) different.insert(row);
  EXPECT_EQ(different.size(), 180U);
}

/// A draw's prediction is the same whichever draws are predicted or kept; those that are predicted are spread over the chain.
TEST_F(ObservationPass, FewerPredictionsAreAmongTheOthers) {
  (void)run_to_files(make_plan(config("a")));
  RunConfig few = config("b");
  few.posterior_predictive = 4;
  (void)run_to_files(make_plan(few));
  RunConfig thinned = config("c");
  thinned.thin = 5;
  thinned.posterior_predictive = 1000;
  (void)run_to_files(make_plan(thinned));
  const Rows all = rows("a/posterior_predictive/chain_2.csv");
  EXPECT_EQ(rows("b/posterior_predictive/chain_2.csv"), (Rows{all[7], all[22], all[37], all[52]}));
  EXPECT_TRUE(mentions(read_text(path("b/posterior_predictive/chain_2.csv")), {"draw floor((2 k - 1) 60 / 8) + 1"}));
  const Rows kept = rows("c/posterior_predictive/chain_2.csv");
  ASSERT_EQ(kept.size(), 12U);
  EXPECT_EQ(kept[3], all[15]);
}

TEST_F(ObservationPass, InMemoryTheSameAsInFiles) {
  const RunPlan plan = make_plan(config("a"));
  (void)run_to_files(plan);
  const Draws draws = sample(plan.sample.model, plan.config);
  const Matrix terms = draws.log_likelihood(1), predicted = draws.posterior_predictive(1, 60);
  const Rows in_files = rows("a/log_likelihood/chain_2.csv"),
             predicted_in_files = rows("a/posterior_predictive/chain_2.csv");
  ASSERT_EQ(terms.rows(), 60);
  ASSERT_EQ(predicted.cols(), observations);
  for (Index k = 0; k < 60; ++k)
    for (Index i = 0; i < observations; ++i) {
      EXPECT_EQ(terms(k, i), in_files[at(k)][at(i)]);
      EXPECT_EQ(predicted(k, i), predicted_in_files[at(k)][at(i)]);
    }
  EXPECT_EQ(draws.posterior_predictive(0, 7).rows(), 7);
  const Draws others = sample(Gaussian::standard(2), {.warmup = 50, .draws = 5, .seed = 1});
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)others.log_likelihood(0); }), {"make_observations"}));
}

TEST_F(ObservationPass, WarmUpThatIsSavedIsNotCounted) {
  RunConfig c = config("a");
  c.save_warmup = true;
  (void)run_to_files(make_plan(c));
  (void)run_to_files(make_plan(config("b")));
  EXPECT_EQ(read_text(path("a/log_likelihood/chain_1.csv")), read_text(path("b/log_likelihood/chain_1.csv")));
}

/// What ArviZ expects: groups of chain, draw and what was observed, with the numbers of the files.
TEST_F(ObservationPass, GroupsOfAStoreHaveTheSameNumbers) {
  RunConfig c = config("both");
  c.posterior_predictive = 4;
  c.format = "csv,zarr";
  (void)run_to_files(make_plan(c));
  const Rows terms = rows("both/log_likelihood/chain_2.csv"), predicted = rows("both/posterior_predictive/chain_2.csv");
  c.out = path("store");
  c.format = "zarr";
  const RunManifest manifest = run_to_files(make_plan(c)).manifest;
  EXPECT_FALSE(fs::exists(path("store/log_likelihood")));
  EXPECT_EQ(manifest.files.front().log_likelihood, "");
  const auto in_one = [](const Rows& of_draws) {
    std::vector<double> out;
    for (const auto& row : of_draws) out.insert(out.end(), row.begin(), row.end());
    return out;
  };
  for (const std::string folder : {"both", "store"}) {
    const ZarrReader found(path(folder + "/draws.zarr"));
    EXPECT_EQ(found.array("log_likelihood/y").dims, (std::vector<std::string>{"chain", "draw", "y_dim_0"}));
    EXPECT_EQ(found.array("observed_data/y").dims, (std::vector<std::string>{"y_dim_0"}));
    EXPECT_EQ(found.array("observed_data/y").type, zarr_type::integer);
    EXPECT_EQ(found.array("posterior_predictive/y").type, zarr_type::integer) << "as outcomes are";
    EXPECT_EQ(found.array("log_likelihood/y").type, zarr_type::real);
    EXPECT_EQ(found.slice("log_likelihood/y", 1), in_one(terms));
    EXPECT_EQ(found.slice("posterior_predictive/y", 1), in_one(predicted));
    EXPECT_EQ(found.numbers("posterior_predictive/draw"), (std::vector<double>{7, 22, 37, 52}));
    EXPECT_EQ(found.numbers("observed_data/y"), read_observation_summary(path(folder + "/observations.json")).observed);
  }
}

TEST_F(ObservationPass, StoppedItLeavesNothingAndTheRunIsInterrupted) {
  std::atomic<bool> stop = true;
  const RunPlan plan = make_plan(config("a"));
  const FileRun done = run_to_files(plan);
  RunManifest manifest = done.manifest;
  {
    const auto directory = RunDirectory::existing(path("a"));
    EXPECT_FALSE(write_observations(*directory, plan, &stop, manifest));
  }
  EXPECT_FALSE(fs::exists(path("a/log_likelihood")));
  EXPECT_FALSE(fs::exists(path("a/observations.json")));
  for (const auto& entry : fs::directory_iterator(path("a")))
    EXPECT_FALSE(entry.path().filename().string().ends_with(".tmp"));
}

TEST_F(ObservationPass, IsRefusedBeforeSamplingWhereAModelTellsNothing) {
  RunConfig c = config("a");
  c.model = "gaussian";
  c.data.clear();
  EXPECT_TRUE(
      mentions(message_of<InputError>([&] { (void)make_plan(c); }),
               {"log-likelihood is given, but model gaussian tells nothing of single observations", "logistic"}));
  c.log_likelihood = false;
  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)make_plan(c); }), {"posterior-predictive is given"}));
  c.model = "schools.stan";
  EXPECT_TRUE(mentions(message_of<InputError>([&] { require_observations(c, Gaussian::standard(1)); }),
                       {"schools.stan is a Stan program", "y_rep in its generated quantities"}));
}

TEST(Spread, GoesOverAllDrawsEvenly) {
  for (Index k = 0; k < 10; ++k) EXPECT_EQ(spread(k, 10, 10), k);
  EXPECT_EQ(spread(0, 1, 9), 4);
  EXPECT_EQ(spread(0, 3, 9), 1);
  EXPECT_EQ(spread(2, 3, 9), 7);
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "draws/temporary_folder.hpp"
#include "io/csv.hpp"
#include "run/file_run.hpp"

/// What `darboux sample` does with its default settings to two real posteriors: chains agree, and posterior means are those of
/// a long run by another integrator on another structure, within the Monte Carlo errors of both. tests/statistical/reference.csv
/// has that run's means; reference.sh makes it.
namespace darboux {
namespace {

#ifdef DARBOUX_SANITIZED
const std::vector<std::uint64_t> seeds{1};  // sanitizers look at the code, not at the statistics
#else
const std::vector<std::uint64_t> seeds{1, 2, 3, 4, 5};
#endif

struct Estimate {
  double mean;
  double error;  ///< Monte Carlo standard error
};

std::map<std::string, Estimate> reference(const std::string& model) {
  const CsvTable table = read_csv(DARBOUX_SOURCE_DIR "/tests/statistical/reference.csv");
  const CsvColumn &of = *table.find("model"), &name = *table.find("name"), &mean = *table.find("mean"),
                  &error = *table.find("mcse_mean");
  const auto text = [](const CsvColumn& column, std::size_t row) {
    return column.levels[static_cast<std::size_t>(column.codes[row])];
  };
  std::map<std::string, Estimate> estimates;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i)
    if (text(of, i) == model) estimates[text(name, i)] = {.mean = mean.numbers[i], .error = error.numbers[i]};
  return estimates;
}

class Posterior : public testing::WithFolder, public ::testing::WithParamInterface<const char*> {};

TEST_P(Posterior, IsFoundAtDefaultSettings) {
  RunConfig config;
  config.model = GetParam();
  if (config.model == "logistic") {  // with the paper's prior, as in reference.sh
    config.data = DARBOUX_SOURCE_DIR "/data/german.csv";
    config.prior_intercept = 1.0;
    config.standardise = Standardising::all;
  }
  config.threads = 1;
  const auto expected = reference(config.model);
  for (const std::uint64_t seed : seeds) {
    config.seed = seed;
    config.out = path(std::to_string(seed)).string();
    const RunSummary summary = run_to_files(make_plan(config)).summary;
    ASSERT_EQ(summary.rows.size(), expected.size());
    for (const SummaryRow& row : summary.rows) {
      const Estimate& truth = expected.at(row.name);
      EXPECT_LT(row.values.rhat, 1.01) << row.name << ", seed " << seed;
      EXPECT_LT(std::abs(row.values.mean - truth.mean), 4.0 * std::hypot(row.values.mcse_mean, truth.error))
          << row.name << ", seed " << seed;
      EXPECT_LT(truth.error, 0.2 * row.values.mcse_mean) << row.name << ": the reference must be the better one";
    }
  }
}

const auto name_of = [](const auto& of) { return std::string(of.param) == "logistic" ? "german" : "fitzhugh_nagumo"; };
INSTANTIATE_TEST_SUITE_P(Real, Posterior, ::testing::Values("logistic", "fitzhugh-nagumo"), name_of);

}  // namespace
}  // namespace darboux

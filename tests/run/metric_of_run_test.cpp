#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <filesystem>

#include "io/file.hpp"
#include "linalg/dense.hpp"
#include "run/file_run.hpp"
#include "run/tuning_file.hpp"
#include "sample/result_in_words.hpp"

/// The preconditioner of a run by the command line's settings, and what its files say of it.
namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class MetricOfRun : public ::testing::Test {
 protected:
  MetricOfRun() { fs::create_directories(folder_); }
  ~MetricOfRun() override { fs::remove_all(folder_); }

  [[nodiscard]] RunConfig config(Index dimension) const {
    RunConfig c;
    c.model = "gaussian";
    c.dimension = dimension;
    c.warmup = 100;
    c.draws = 10;
    c.seed = 7;
    c.threads = 1;
    c.out = (folder_ / "a").string();
    return c;
  }
  /// Two columns that are nearly the same: one direction is wide, another narrow.
  [[nodiscard]] RunConfig regression() const {
    std::string csv = "y,a,b,c\n";
    RandomStream random({.seed = 3, .purpose = Purpose::data});
    for (int i = 0; i < 200; ++i) {
      const double x = random.normal();
      csv += std::to_string(i % 2) + "," + std::to_string(x) + "," + std::to_string(x + 0.05 * random.normal()) + "," +
             std::to_string(random.normal()) + "\n";
    }
    write_text(folder_ / "d.csv", csv);
    RunConfig c = config(1);
    c.model = "logistic";
    c.dimension = {};
    c.data = (folder_ / "d.csv").string();
    c.metric = Metric::low_rank;
    return c;
  }
  static FileRun run(const RunConfig& c) { return run_to_files(make_plan(c)); }
  static std::string stated(const FileRun& run) {
    return metric_in_words(run.result.tuning, from_name<Metric>("metric", decided(run)));
  }
  static std::string decided(const FileRun& run) {
    return std::get<std::string>(run.manifest.decided.find("metric")->value());
  }

  fs::path folder_ = fs::temp_directory_path() / ("darboux_metric_" + std::to_string(::getpid()));
};

TEST_F(MetricOfRun, IsDenseUpToTwoHundredDimensions) {
  EXPECT_EQ(make_plan(config(200)).sample.settings.metric, Metric::dense);
  EXPECT_EQ(make_plan(config(201)).sample.settings.metric, Metric::low_rank);
}

TEST_F(MetricOfRun, BeyondTwoHundredDimensionsIsOfLowRankAndSaysSo) {
  const FileRun done = run(config(201));
  EXPECT_EQ(decided(done), "low-rank");
  EXPECT_EQ(stated(done), "identity, from 160 draws: a low-rank one was looked for, but no direction stands out");
  EXPECT_EQ(read_tuning(folder_ / "a/tuning.json", {.name = "gaussian", .dim = 201}).metric_draws, 160);
}

TEST_F(MetricOfRun, SaysThatDrawsWereTooFewForADenseOne) {
  const FileRun done = run(config(100));
  EXPECT_EQ(decided(done), "dense");
  EXPECT_EQ(stated(done), "diagonal, from 160 draws: too few for a dense one");
}

TEST_F(MetricOfRun, OfLowRankGoesToFilesAndComesBack) {
  RunConfig c = regression();
  const FileRun first = run(c);
  EXPECT_THAT(stated(first), HasSubstr("low-rank with "));
  const Tuning tuning = read_tuning(folder_ / "a/tuning.json", {.name = "logistic", .dim = 4});
  ASSERT_EQ(tuning.factor.kind(), StructuredMatrix::Kind::low_rank);
  EXPECT_GT(tuning.factor.low_rank().rank(), 0);
  EXPECT_THAT(read_text(folder_ / "a/tuning.json"), HasSubstr("\"metric\": \"low-rank\",\n  \"metric_draws\": 160"));
  // Stan's files know diagonals: that of L Lᵀ, in all digits.
  const Matrix l = tuning.factor.matrix();
  const std::string csv = read_text(folder_ / "a/chain_1.csv");
  EXPECT_THAT(csv, HasSubstr("metric = diag_e"));
  const std::string heading = "# Diagonal elements of inverse mass matrix:\n# ";
  const double variance = std::stod(csv.substr(csv.find(heading) + heading.size()));
  EXPECT_NEAR(variance, (l * l.transposed())(0, 0), 1e-12);

  c.out = (folder_ / "b").string();
  c.tuning_file = (folder_ / "a/tuning.json").string();
  c.metric = {};
  const FileRun second = run(c);
  EXPECT_EQ(read_text(folder_ / "a/tuning.json"), read_text(folder_ / "b/tuning.json"));
  EXPECT_EQ(stated(second), stated(first));
  EXPECT_EQ(decided(second), "low-rank");
}

TEST_F(MetricOfRun, ATuningWithBadDirectionsIsRefused) {
  const auto refusal = [&](const std::string& factor) -> std::string {
    write_text(folder_ / "t.json", R"({"schema": "darboux-tuning/1", "step_size": 0.1, "steps": 3, "center": [0, 0],
        "copy_spread": 0.2, "binding_angle": 0.5, "factor": )" +
                                       factor + "}");
    try {
      (void)read_tuning(folder_ / "t.json", {.name = "gaussian", .dim = 2});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(R"({"scales": [1, 2], "directions": [[0.6, 0.8]], "stretches": [3]})"), "accepted");
  EXPECT_THAT(refusal(R"({"scales": [1, 2], "directions": [[0.6, 0.9]], "stretches": [3]})"), HasSubstr("orthonormal"));
  EXPECT_THAT(refusal(R"({"scales": [1, 2], "directions": [[0.6, 0.8]]})"), HasSubstr("must have \"stretches\""));
  EXPECT_THAT(refusal(R"({"scales": [1], "directions": [[0.6, 0.8]], "stretches": [3]})"),
              HasSubstr("scales of factor must have 2 numbers"));
  EXPECT_THAT(refusal(R"({"scales": [1, 2], "directions": [], "stretches": [3]})"),
              HasSubstr("directions of factor must have 1 rows"));
  EXPECT_THAT(refusal(R"({"scales": [1, 2], "directions": [[0.6, 0.8]], "stretches": 3})"), HasSubstr("stretches"));
}

}  // namespace
}  // namespace darboux::testing

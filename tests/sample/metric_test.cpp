#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <darboux/core/error.hpp>
#include <darboux/core/random.hpp>
#include <darboux/structure/recipes.hpp>
#include <filesystem>

#include "io/file.hpp"
#include "linalg/dense.hpp"
#include "model/gaussian.hpp"
#include "run/file_run.hpp"
#include "run/tuning_file.hpp"
#include "sample/sampler.hpp"

/// Which preconditioner a run has, what it rests on, and that it says so.
namespace darboux::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const Matrix covariance{{4.0, 1.9, 0.0}, {1.9, 1.0, 0.0}, {0.0, 0.0, 1e-4}};

SampleResult warmed_up(const SampleOptions& options) {
  const auto model = std::make_shared<Gaussian>(Gaussian::from_covariance({3.0, -4.0, 0.0}, covariance));
  OwnedBatch starts(3, options.chains);
  RandomStream random({.seed = 5, .purpose = Purpose::start});
  for (Index j = 0; j < 3; ++j)
    for (Index c = 0; c < options.chains; ++c) starts(j, c) = 4.0 * random.uniform() - 2.0;
  return Sampler(model, options).run(starts, {});
}

/// Gradients are those at the draws, in the model's coordinates, whether a trajectory leaves them behind (leapfrog), they have
/// to be evaluated (midpoint, doubled), or the draw is a state in the middle of a tree.
TEST(LowRankMetric, IsFoundWithEveryKindOfTrajectory) {
  for (const IntegratorKind kind : {IntegratorKind::leapfrog, IntegratorKind::midpoint, IntegratorKind::doubled}) {
    for (const TrajectoryKind rule : {TrajectoryKind::jittered, TrajectoryKind::nuts}) {
      if (rule == TrajectoryKind::nuts && kind == IntegratorKind::doubled) continue;
      SampleOptions options;
      options.seed = 2;
      options.metric = Metric::low_rank;
      options.integrator = kind;
      options.trajectory = rule;
      options.warmup = 300;
      options.draws = 1;
      const Tuning tuning = warmed_up(options).tuning;
      EXPECT_EQ(tuning.factor.kind(), StructuredMatrix::Kind::low_rank);
      const Matrix l = tuning.factor.matrix();
      const Matrix found = l * l.transposed();
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j)
          EXPECT_NEAR(found(i, j), covariance(i, j), 0.1 * std::sqrt(covariance(i, i) * covariance(j, j)))
              << name(kind) << ' ' << name(rule);
    }
  }
}

TEST(LowRankMetric, DoesNotDependOnThreads) {
  SampleOptions options;
  options.chains = 37;
  options.metric = Metric::low_rank;
  options.warmup = 100;
  options.draws = 1;
  const Tuning one = warmed_up(options).tuning;
  options.threads = 4;
  EXPECT_EQ(warmed_up(options).tuning, one);
}

TEST(Metric, SaysWhatItRestsOn) {
  const auto words = [](const StructuredMatrix& factor, Index draws, Metric asked) {
    Tuning tuning;
    tuning.factor = factor;
    tuning.metric_draws = draws;
    return metric_in_words(tuning, asked);
  };
  const auto dense = StructuredMatrix::from(Matrix{{1, 0}, {1, 1}});
  const auto diagonal = StructuredMatrix::diagonal({1, 2});
  const LowRankMatrix one({.after = {1, 1}, .directions = {{0, 1}}, .stretches = {2}, .before = {1, 1}});
  const LowRankMatrix two({.after = {1, 1}, .directions = {{0, 1}, {1, 0}}, .stretches = {2, 3}, .before = {1, 1}});
  EXPECT_EQ(words(dense, 2800, Metric::dense), "dense, from 2800 draws");
  EXPECT_EQ(words(StructuredMatrix::from(one), 70, Metric::low_rank), "low-rank with 1 direction, from 70 draws");
  EXPECT_EQ(words(StructuredMatrix::from(two), 70, Metric::low_rank), "low-rank with 2 directions, from 70 draws");
  EXPECT_EQ(words(diagonal, 4, Metric::dense), "diagonal, from 4 draws: too few for a dense one");
  EXPECT_EQ(words(diagonal, 5, Metric::dense), "diagonal, from 5 draws");  // what was found has no other entries
  EXPECT_EQ(words(diagonal, 70, Metric::low_rank),
            "diagonal, from 70 draws: a low-rank one was looked for, but no direction stands out");
  EXPECT_EQ(words(diagonal, 70, Metric::diagonal), "diagonal, from 70 draws");
  EXPECT_EQ(words(StructuredMatrix::identity(2), 0, Metric::identity), "identity");
  EXPECT_EQ(words(StructuredMatrix::identity(2), 0, Metric::dense),
            "identity: there were no draws to find another from");
}

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
  static std::string stated(const FileRun& run) {
    return std::get<std::string>(run.manifest.tuning.find("metric")->value());
  }
  static std::string configured(const FileRun& run) {
    return std::get<std::string>(run.manifest.configuration.find("metric")->value());
  }

  fs::path folder_ = fs::temp_directory_path() / ("darboux_metric_" + std::to_string(::getpid()));
};

TEST_F(MetricOfRun, IsDenseUpToTwoHundredDimensions) {
  EXPECT_EQ(make_plan(config(200)).options.metric, Metric::dense);
  EXPECT_EQ(make_plan(config(201)).options.metric, Metric::low_rank);
}

TEST_F(MetricOfRun, BeyondTwoHundredDimensionsIsOfLowRankAndSaysSo) {
  const FileRun run = run_to_files(config(201), make_plan(config(201)), {}, nullptr);
  EXPECT_EQ(configured(run), "low-rank");
  EXPECT_EQ(stated(run), "identity, from 160 draws: a low-rank one was looked for, but no direction stands out");
  EXPECT_EQ(read_tuning(folder_ / "a/tuning.json", {.name = "gaussian", .dim = 201}).metric_draws, 160);
}

TEST_F(MetricOfRun, SaysThatDrawsWereTooFewForADenseOne) {
  const FileRun run = run_to_files(config(100), make_plan(config(100)), {}, nullptr);
  EXPECT_EQ(configured(run), "dense");
  EXPECT_EQ(stated(run), "diagonal, from 160 draws: too few for a dense one");
}

TEST_F(MetricOfRun, OfLowRankGoesToFilesAndComesBack) {
  RunConfig c = regression();
  const FileRun first = run_to_files(c, make_plan(c), {}, nullptr);
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
  c.tuning = (folder_ / "a/tuning.json").string();
  c.metric = {};
  const FileRun second = run_to_files(c, make_plan(c), {}, nullptr);
  EXPECT_EQ(read_text(folder_ / "a/tuning.json"), read_text(folder_ / "b/tuning.json"));
  EXPECT_EQ(stated(second), stated(first));
  EXPECT_EQ(configured(second), "low-rank");
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

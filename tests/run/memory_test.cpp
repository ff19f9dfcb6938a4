#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <darboux/model/function_model.hpp>
#include <darboux/model/registry.hpp>
#include <darboux/run/sample.hpp>
#include <filesystem>
#include <fstream>

#include "draws/temporary_folder.hpp"
#include "run/file_run.hpp"
#include "support/synthetic_logistic.hpp"

/// Memory and threads of many runs in one process, and of large ones.
namespace darboux::testing {
namespace {

constexpr double mega = 1e6;

/// In use by this process now, in bytes; the sanitizers keep what is given back, so that only they themselves can tell.
double resident() {
  std::ifstream statm("/proc/self/statm");
  double all = 0.0, pages = 0.0;
  statm >> all >> pages;
  return pages * 4096.0;
}

/// The most that there ever was.
double peak() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

std::size_t threads_of_this_process() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

bool is_long() { return std::getenv("DARBOUX_LONG") != nullptr; }

TEST(ManyRuns, LeaveNeitherMemoryNorThreadsBehind) {
  const auto model = make_model("banana", {});
  const auto some_runs = [&](int count) {
    for (int i = 0; i < count; ++i)
      (void)sample(model, {.chains = 3,
                           .warmup = 20,
                           .draws = 5,
                           .save_warmup = i % 2 == 0,
                           .seed = static_cast<std::uint64_t>(i),
                           .threads = 2});
  };
  some_runs(200);  // pools and caches have what they keep
  const double before = resident();
  const std::size_t threads = threads_of_this_process();
  some_runs(800);
  EXPECT_EQ(threads_of_this_process(), threads);
#ifndef DARBOUX_SANITIZED
  EXPECT_LT(resident() - before, 2.0 * mega) << "a kilobyte of each run is noise, more is a leak";
#else
  (void)before;  // LeakSanitizer looks when the process ends
#endif
}

struct Streamed {
  Index dimension, chains;
  int draws;
};

/// How much more memory the process has at the end of a run to files than after a tenth of it.
double growth_of(const Streamed& run, const std::filesystem::path& out) {
  RunConfig config;
  config.model = "gaussian";
  config.dimension = run.dimension;
  config.chains = run.chains;
  config.seed = 1;
  config.threads = 1;
  config.step_size = 0.5;
  config.warmup = 0;
  config.steps = 1;
  config.out = out.string();
  config.draws = run.draws;
  class Watch final : public DrawSink {
   public:
    explicit Watch(int draws) : begin_(draws / 10), end_(draws - 1) {}
    void draw(const Draw& draw) override {
      if (draw.iteration == begin_) first_ = resident();
      if (draw.iteration == end_) last_ = resident();
    }
    [[nodiscard]] double grown() const { return last_ - first_; }
    [[nodiscard]] bool has_seen_both() const { return first_ > 0.0 && last_ > 0.0; }

   private:
    int begin_, end_;
    double first_ = 0.0, last_ = 0.0;
  } watch(run.draws);
  const FileRun made = run_to_files(make_plan(config), {.sink = &watch, .stop = nullptr});
  EXPECT_EQ(made.result.draws, run.draws);
  EXPECT_TRUE(watch.has_seen_both());
  return watch.grown();
}

class StreamedRun : public WithFolder {
 protected:
  void SetUp() override {
#ifdef DARBOUX_SANITIZED
    GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  }
};

/// Twenty thousand draws of a hundred numbers from each of two chains would be 32 MB in memory.
TEST_F(StreamedRun, TakesNoMemoryForItsDraws) {
  EXPECT_LT(growth_of({.dimension = 100, .chains = 2, .draws = 20'000}, path("run")), 4.0 * mega);
}

class LargeRun : public StreamedRun {
 protected:
  void SetUp() override {
    StreamedRun::SetUp();
    if (!is_long()) GTEST_SKIP() << "takes a minute: set DARBOUX_LONG";
  }
};

/// They would be 160 MB in memory, and what is said of each transition several times as much.
TEST_F(LargeRun, TenMillionDraws) {
  EXPECT_LT(growth_of({.dimension = 2, .chains = 4, .draws = 2'500'000}, path("run")), 4.0 * mega);
  EXPECT_LT(peak(), 330.0 * mega);  // for the diagnostics at its end: one column at 20 bytes a draw
}

TEST_F(LargeRun, TenThousandChains) {
  const Draws draws = sample(make_model("banana", {}), {.chains = 10'000, .warmup = 100, .draws = 20, .seed = 1});
  EXPECT_EQ(draws.chains(), 10'000);
  double mean = 0.0;
  for (const auto chain : draws["q[1]"])
    for (const double x : chain) mean += x / (20.0 * 10'000.0);
  EXPECT_TRUE(std::isfinite(mean));
  EXPECT_LT(peak(), 400.0 * mega);
}

/// A dense metric alone would be 800 MB, and its factor as much. (So would be the covariance of the built-in gaussian.)
TEST_F(LargeRun, TenThousandDimensions) {
  const auto model = std::make_shared<FunctionModel>(10'000, [](std::span<const double> q, std::span<double> gradient) {
    double value = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      const double precision = j == 0 ? 25.0 : 1.0;
      value -= 0.5 * precision * q[j] * q[j];
      if (!gradient.empty()) gradient[j] = -precision * q[j];
    }
    return value;
  });
  const Draws draws = sample(model, {.chains = 4, .warmup = 300, .draws = 20, .seed = 1, .metric = Metric::low_rank});
  EXPECT_EQ(draws.size(), 20);
  EXPECT_EQ(draws.names().size(), 10'000U);
  EXPECT_LT(peak(), 400.0 * mega);
}

TEST_F(LargeRun, AMillionRows) {
  const SyntheticLogistic data = synthetic_logistic(1'000'000, 10);
  const Draws draws = sample(data.model, {.chains = 4, .warmup = 60, .draws = 20, .seed = 1});
  EXPECT_EQ(draws.size(), 20);
  EXPECT_LT(peak(), 1000.0 * mega);
}

}  // namespace
}  // namespace darboux::testing

#include <gtest/gtest.h>

#include <cmath>
#include <proofs/short_run.hpp>
#include <proofs/verdict.hpp>
#include <proofs/warm_up_trace.hpp>
#include <stdexcept>

#include "draws/temporary_folder.hpp"

namespace darboux::proofs {
namespace {

using namespace experiments;

Way way(const std::string& name) {
  for (Way& each : ways_to_run())
    if (each.name == name) return each;
  throw std::invalid_argument(name);
}

TEST(ShortRun, ThatIsResumedEndsWhereOneThatIsNotDoes) {
  const KnownLaw law = known_law("banana");
  const ShortRun whole = short_run(law, way("defaults"), {}, 5), parts = short_run(law, way("resume"), {}, 5);
  EXPECT_EQ(whole.draws, 20.0);
  EXPECT_EQ(parts.draws, 20.0);
  EXPECT_EQ(whole.first, parts.first);
  EXPECT_EQ(whole.last, parts.last);
  EXPECT_EQ(whole.means, parts.means);
}

TEST(ShortRun, OfAnotherSeedIsAnother) {
  const KnownLaw law = known_law("banana");
  EXPECT_NE(short_run(law, way("defaults"), {}, 5).first, short_run(law, way("defaults"), {}, 6).first);
}

TEST(ShortRun, WithATuningUsesIt) {
  const KnownLaw law = known_law("banana");
  const Way with_tuning = way("--tuning");
  const Tuning found = earlier_tuning(law, with_tuning, 1);
  Tuning other = found;
  other.step_size *= 0.5;
  EXPECT_NE(short_run(law, with_tuning, found, 5).last, short_run(law, with_tuning, other, 5).last);
}

/// Were such runs left out, those that are left would be the ones whose first draws are quickly made.
TEST(ShortRun, ThatTheClockEndsTooSoonHasTheFirstDrawThatItWouldHaveMade) {
  const KnownLaw law = known_law("banana");
  Way clock = way("--max-seconds 0.005 --tuning"), patient = clock;
  const Tuning tuning = earlier_tuning(law, clock, 1);
  clock.options.max_seconds = 1e-9;
  patient.options.max_seconds = 0.5;
  const ShortRun late = short_run(law, clock, tuning, 5), run = short_run(law, patient, tuning, 5);
  EXPECT_TRUE(late.clock_was_first);
  EXPECT_EQ(late.draws, 1.0);
  EXPECT_FALSE(run.clock_was_first);
  EXPECT_GT(run.draws, 1.0);
  EXPECT_EQ(late.first, run.first);
  EXPECT_EQ(late.last, late.first);
}

/// Draws are ±1, and a run ends after one of them where that is +1, else after three: of E mean = (E S − Cov(mean, n))/E n the first
/// is none (Wald), and the bound is that of Cauchy and Schwarz.
TEST(MeanBias, OfARunThatItsDrawsEndIsWithinItsBound) {
  double bias = 0.0, squares = 0.0, n = 0.0, n_squares = 0.0;
  const auto see = [&](double probability, double mean, double count) {
    bias += probability * mean, squares += probability * mean * mean;
    n += probability * count, n_squares += probability * count * count;
  };
  see(0.5, 1.0, 1.0);
  for (const double first : {-1.0, 1.0})
    for (const double second : {-1.0, 1.0}) see(0.125, (-1.0 + first + second) / 3.0, 3.0);
  const double bound = mean_bias_bound(std::sqrt(squares - bias * bias), std::sqrt(n_squares - n * n), n);
  EXPECT_NEAR(bias, 1.0 / 3.0, 1e-12);
  EXPECT_GT(bound, bias);
  EXPECT_LT(bound, 1.2 * bias);
}

TEST(Finding, IsTestedForWhatIsBeyondItsBound) {
  const Finding within{.bias = -0.04, .error = 0.01, .bound = 0.05},
      beyond{.bias = -0.08, .error = 0.01, .bound = 0.05};
  EXPECT_NEAR(within.z(), -4.0, 1e-12);
  EXPECT_EQ(within.z_beyond(), 0.0);
  EXPECT_NEAR(beyond.z_beyond(), -3.0, 1e-12);
  EXPECT_NEAR((Finding{.bias = 0.03, .error = 0.01}).z_beyond(), 3.0, 1e-12);
}

class KeptTraces : public darboux::testing::WithFolder {};

/// Chains that begin where the law is have it after warm-up, too.
TEST_F(KeptTraces, AreNotContradictedByAFewRuns) {
#ifdef DARBOUX_SANITIZED
  const Scale scale{.rounds = 1, .short_runs = 1};
#else
  const Scale scale{.rounds = 1, .short_runs = 50};
#endif
  std::vector<Cell> cells = trace_cells(scale);
  std::erase_if(cells, [](const Cell& cell) {
    return !cell.key.starts_with("warm-up/skewed/defaults/") && !cell.key.starts_with("warm-up/wall/--tuning/");
  });
  ASSERT_EQ(cells.size(), 20U);
  ASSERT_TRUE(run_cells(cells, {.folder = folder_, .stop = nullptr, .on_progress = {}}));
  const Tables tables = reduce_traces(scale, folder_);
  ASSERT_EQ(row_count(tables.at("traces")), 6U);
  for (const double runs : numbers(tables.at("traces"), "runs")) EXPECT_EQ(runs, 10 * scale.short_runs);
#ifndef DARBOUX_SANITIZED
  for (const double z : numbers(tables.at("traces"), "worst_z")) EXPECT_LT(std::abs(z), critical_z(54));
#endif
}

}  // namespace
}  // namespace darboux::proofs

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

#include <gtest/gtest.h>

#include "program.hpp"
#include "support/expect.hpp"

/// Folders of runs that earlier versions made, in tests/cli/kept: banana, of schema darboux-run/2, before settings in force, data and priors were
/// in the manifest; stored, with a Zarr store and checkpoints of schema 7. They are never to be made anew: what people have on their disks is
/// not either.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class KeptRun : public testing::WithProgram {
 protected:
  void SetUp() override {
    WithProgram::SetUp();
    fs::copy(DARBOUX_SOURCE_FOLDER "/tests/cli/kept", folder_, fs::copy_options::recursive);
  }
};

TEST_F(KeptRun, IsSummarisedAsThen) {
  const Outcome summary = run("summary banana");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_TRUE(
      mentions(summary.out, {"banana · 2 chains × 20 draws · leapfrog", "q[1]   0.78  0.23  1.36", "230 gradients"}))
      << summary.out;
}

TEST_F(KeptRun, BecomesAStore) {
  const Outcome converted = run("convert banana --to zarr --output store");
  EXPECT_EQ(converted.status, 0) << converted.err;
  const Outcome summary = run("summary store");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_TRUE(mentions(summary.out, {"2 chains × 20 draws", "q[1]   0.78  0.23  1.36", "q[2]  -1.05"})) << summary.out;
}

TEST_F(KeptRun, IsReported) {
  const Outcome report = run("report banana --json - --out report.html");
  EXPECT_LE(report.status, 1) << report.err;
  EXPECT_TRUE(mentions(report.out, {"banana", "q[2]"}));
}

/// Without checkpoints there is nothing to go on from, and nothing is touched.
TEST_F(KeptRun, StaysAsItIs) {
  const std::string draws = read_text(path("banana/chain_1.csv")), manifest = read_text(path("banana/run.json"));
  const Outcome more = run("resume banana --draws 100");
  EXPECT_EQ(more.status, 2);
  EXPECT_TRUE(mentions(more.err, {"left no checkpoints, as runs of earlier versions"})) << more.err;
  EXPECT_EQ(read_text(path("banana/chain_1.csv")), draws);
  EXPECT_EQ(read_text(path("banana/run.json")), manifest);
}

TEST_F(KeptRun, AStoreIsReadAsThen) {
  const Outcome of_store = run("summary stored/draws.zarr"), of_files = run("summary stored");
  EXPECT_EQ(of_store.status, 0) << of_store.err;
  EXPECT_TRUE(mentions(of_store.out, {"1 chain × 20 draws", "q[2]"})) << of_store.out;
  EXPECT_EQ(of_files.status, 0) << of_files.err;
  ASSERT_EQ(run("convert stored/draws.zarr --to csv --output again").status, 0);
  EXPECT_EQ(read_text(path("again/chain_1.csv")), read_text(path("stored/chain_1.csv")));
}

/// What checkpoints consist of has changed since: they are refused, with what there is.
TEST_F(KeptRun, CheckpointsOfThenAreNamed) {
  const std::string before = read_text(path("stored/checkpoint.bin"));
  const Outcome more = run("resume stored --draws 100");
  EXPECT_EQ(more.status, 2);
  EXPECT_TRUE(mentions(more.err, {"stored/checkpoint.bin has the schema \"darboux-checkpoint/7\"", "What can be kept",
                                  "20 of chain_1.csv", "seed = 1"}))
      << more.err;
  EXPECT_TRUE(read_text(path("stored/checkpoint.bin")) == before);
}

}  // namespace
}  // namespace darboux

#include <gtest/gtest.h>

#include "program.hpp"
#include "support/expect.hpp"

/// The folder of a run that an earlier version made, tests/cli/kept/banana: schema darboux-run/2, before settings in force, data and priors were
/// in the manifest. It is never to be made anew: what people have on their disks is not either.
namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;

class KeptRun : public testing::WithProgram {
 protected:
  void SetUp() override {
    WithProgram::SetUp();
    fs::copy(DARBOUX_SOURCE_FOLDER "/tests/cli/kept/banana", path("banana"), fs::copy_options::recursive);
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
  const Outcome summary = run("summary banana");
  EXPECT_TRUE(mentions(summary.out, {"q[2]  -1.05"})) << summary.out;
}

}  // namespace
}  // namespace darboux

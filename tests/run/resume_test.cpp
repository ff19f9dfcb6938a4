#include "run/resume.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "darboux/core/error.hpp"
#include "draws/run_directory.hpp"
#include "draws/temporary_folder.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class ResumeTest : public testing::WithFolder {
 protected:
  [[nodiscard]] std::int64_t rows() const { return read_manifest(path("out/run.json")).files[0].rows; }
};

/// Ends the process, as a kill would, in the middle of sampling.
class DeathSink final : public DrawSink {
 public:
  void draw(const Draw& draw) override {
    if (draw.phase == Phase::sampling && draw.iteration == 20) ::_exit(0);
  }
};

/// A short run has no checkpoint and is drawn again, and what it had must not be forgotten meanwhile.
TEST_F(ResumeTest, ARunThatDiesWhileItIsDrawnAgainKeepsItsLength) {
  RunConfig config;
  config.model = "gaussian";
  config.warmup = 100;
  config.draws = 1500;
  config.seed = 7;
  config.threads = 1;
  config.out = path("out").string();
  (void)run_to_files(make_plan(config));
  ASSERT_EQ(rows(), 1500);

  if (const pid_t child = ::fork(); child == 0) {
    DeathSink death;
    Resumption run = open_run(path("out"), {.target_ess = 100.0});
    (void)resume(run, {.sink = &death});
    ::_exit(1);
  } else {
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << "it was to die in the middle";
  }
  ASSERT_LT(rows(), 1500);

  EXPECT_TRUE(mentions(message_of<InputError>([&] { (void)open_run(path("out"), {.draws = 1000}); }),
                       {"draws = 1000", "at least 1500"}));
  Resumption run = open_run(path("out"));
  const FileRun whole = resume(run);
  EXPECT_EQ(whole.manifest.status, RunStatus::complete);
  EXPECT_GE(rows(), 1500) << "a target of 100 alone is reached with 1000";
}

}  // namespace
}  // namespace darboux

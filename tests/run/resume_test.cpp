#include "run/resume.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <stdexcept>

#include "darboux/core/error.hpp"
#include "draws/run_directory.hpp"
#include "draws/stan_csv_reader.hpp"
#include "draws/temporary_folder.hpp"
#include "support/expect.hpp"
#include "support/instrumented_model.hpp"

namespace darboux {
namespace {

using testing::mentions;
using testing::message_of;

class ResumeTest : public testing::WithFolder {
 protected:
  [[nodiscard]] RunConfig config(const std::string& out) const {
    RunConfig c;
    c.model = "gaussian";
    c.warmup = 100;
    c.draws = 1500;
    c.seed = 7;
    c.threads = 1;
    c.out = path(out).string();
    return c;
  }
  [[nodiscard]] std::int64_t rows() const { return read_manifest(path("out/run.json")).files[0].rows; }
  /// Of a file, without comments, which speak of times and folders.
  [[nodiscard]] std::string lines(const std::string& file) const {
    std::string all;
    std::istringstream in(read_text(path(file)));
    for (std::string line; std::getline(in, line);)
      if (!line.starts_with("#")) all += line + "\n";
    return all;
  }
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
  (void)run_to_files(make_plan(config("out")));
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

/// The model itself, in the middle of a round of chains: what is not a draw of all of it is none, and with a model that works the run
/// goes on to the same bytes.
TEST_F(ResumeTest, ARunWhoseModelFailsIsReadableAndGoesOn) {
  RunConfig c = config("whole");
  c.warmup = 50;
  c.draws = 40;
  const FileRun whole = run_to_files(make_plan(c));
  c.out = path("out").string();
  c.checkpoint_seconds = 0.0;
  RunPlan plan = make_plan(c);
  const auto model = std::make_shared<testing::InstrumentedModel>(plan.sample.model);
  const std::int64_t halfway = (whole.manifest.warmup.gradients + whole.manifest.sampling.gradients / 2) / c.chains;
  model->inject({.kind = testing::Fault::Kind::exception, .call = halfway});
  plan.sample.model = model;
  EXPECT_EQ(message_of<std::runtime_error>([&] { (void)run_to_files(plan); }), "the licence server is down");

  const RunManifest failed = read_manifest(path("out/run.json"));
  EXPECT_EQ(failed.status, RunStatus::failed);
  EXPECT_EQ(failed.message, "the licence server is down");
  ASSERT_EQ(failed.files.size(), 4U);
  for (const DrawFile& file : failed.files) {
    const StanCsvPass found = StanCsvReader(path("out/" + file.file)).count_rows();
    EXPECT_FALSE(found.incomplete_line);
    EXPECT_EQ(found.sampling_rows, file.rows);
    EXPECT_GT(found.sampling_rows, 0);
    EXPECT_LT(found.sampling_rows, 40);
    EXPECT_TRUE(lines("whole/" + file.file).starts_with(lines("out/" + file.file))) << file.file;
  }

  Resumption rest = open_run(path("out"));
  const FileRun resumed = resume(rest);
  EXPECT_EQ(resumed.manifest.status, RunStatus::complete);
  EXPECT_EQ(resumed.manifest.sampling.gradients, whole.manifest.sampling.gradients);
  for (const DrawFile& file : resumed.manifest.files)
    for (const std::string& part : {file.file, file.statistics})
      EXPECT_TRUE(lines("out/" + part) == lines("whole/" + part)) << part;
}

}  // namespace
}  // namespace darboux

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "draws/run_directory.hpp"
#include "draws/run_manifest.hpp"
#include "draws/stan_csv_reader.hpp"
#include "program.hpp"
#include "support/expect.hpp"

namespace darboux {
namespace {

namespace fs = std::filesystem;
using testing::mentions;
using testing::Outcome;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// A run that ends before its time: by a signal, by a full disk.
class RunCutShort : public testing::WithProgram {
 protected:
  /// Starts a run that would take hours and waits until draws of it are in the files.
  [[nodiscard]] pid_t start_long_run(const std::string& arguments) const {
    const pid_t child = start("sample gaussian --warmup 100 --draws 100000000 --seed 1 --out out " + arguments);
    const auto patience = Clock::now() + 60s;
    while (!fs::exists(path("out/tuning.json")) && Clock::now() < patience) std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(800ms);  // rows are written every half second
    return child;
  }
  [[nodiscard]] std::vector<std::int64_t> rows_of_chains() const {
    std::vector<std::int64_t> rows;
    for (const fs::path& file : find_draw_files(path("out")))
      rows.push_back(StanCsvReader(file).count_rows().sampling_rows);
    return rows;
  }
};

class RunCutShortBy : public RunCutShort, public ::testing::WithParamInterface<int> {};

constexpr auto prompt =
#ifdef DARBOUX_SANITIZED
    20s;
#else
    1s;
#endif

/// 40 chains are several blocks, which take turns on two threads.
TEST_P(RunCutShortBy, ASignalEndsAtOnceAndInGoodOrder) {
  const pid_t child = start_long_run("--chains 40 --threads 2");
  const auto begin = Clock::now();
  ::kill(child, GetParam());
  const Outcome outcome = wait(child);
  EXPECT_LT(Clock::now() - begin, prompt);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(mentions(outcome.out, {"Interrupted: what was drawn until then is kept"}));

  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_EQ(manifest.status, RunStatus::interrupted);
  const auto rows = rows_of_chains();
  ASSERT_EQ(rows.size(), 40U);
  EXPECT_GT(rows[0], 0);
  for (const std::int64_t n : rows) EXPECT_EQ(n, rows[0]);
  for (const DrawFile& file : manifest.files) EXPECT_EQ(file.rows, rows[0]);
  const std::string text = read_text(path("out/chain_40.csv"));
  EXPECT_TRUE(mentions(text, {"num_samples = " + std::to_string(rows[0]) + " ", "seconds (Total)"}));
  const Outcome summary = run("summary out --max-rows 3");
  EXPECT_EQ(summary.status, 0);
  EXPECT_TRUE(mentions(summary.out, {"40 chains × " + std::to_string(rows[0]) + " draws", "did not get to its end"}));
}
const auto signal_name = [](const auto& of) {
  return of.param == SIGINT ? "SIGINT" : of.param == SIGTERM ? "SIGTERM" : "SIGHUP";
};
INSTANTIATE_TEST_SUITE_P(Signals, RunCutShortBy, ::testing::Values(SIGINT, SIGTERM, SIGHUP), signal_name);

/// What nohup asks for.
TEST_F(RunCutShort, NotByAHangUpThatIsToBeIgnored) {
  const pid_t child =
      start("sample gaussian --draws 100000000 --max-seconds 2 --seed 1 --quiet --out out", "trap '' HUP; exec ");
  const auto patience = Clock::now() + 60s;
  while (!fs::exists(path("out/tuning.json")) && Clock::now() < patience) std::this_thread::sleep_for(10ms);
  ::kill(child, SIGHUP);
  EXPECT_EQ(wait(child).status, 0);
  EXPECT_EQ(read_manifest(path("out/run.json")).stopped_by, StoppedBy::max_seconds);
}

/// A pipe, as small as pipes get, that nobody reads.
class UnreadPipe {
 public:
  explicit UnreadPipe(const fs::path& file) {
    if (::mkfifo(file.c_str(), 0600) == 0) pipe_ = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    EXPECT_GE(::fcntl(pipe_, F_SETPIPE_SZ, 4096), 0);
  }
  UnreadPipe(const UnreadPipe&) = delete;
  UnreadPipe& operator=(const UnreadPipe&) = delete;
  ~UnreadPipe() { ::close(pipe_); }
  void fill() const {
    while (::write(pipe_, "x", 1) == 1) continue;
  }

 private:
  int pipe_ = -1;
};

/// Standard output that nobody reads holds up the end of the process; who does not want to wait says so again.
TEST_F(RunCutShort, ByASecondInterruptEndsAtOnceAndIsReadable) {
  const UnreadPipe pipe(path(".out"));
  pipe.fill();
  const pid_t child = start_long_run("--chains 64");
  ::kill(child, SIGINT);
  const auto patience = Clock::now() + 60s;
  while (read_manifest(path("out/run.json")).status == RunStatus::running && Clock::now() < patience)
    std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it waits for somebody to read what it prints";
  fs::remove(path(".out"));
  (void)file(".out", "");
  const auto begin = Clock::now();
  ::kill(child, SIGINT);
  EXPECT_EQ(wait(child).status, -1) << "ended by the signal";
  EXPECT_LT(Clock::now() - begin, prompt);
  EXPECT_EQ(run("summary out --max-rows 1").status, 0);
}

/// A log that nobody reads is given up where the run ends, and costs nothing else.
TEST_F(RunCutShort, ByAnInterruptDoesNotWaitForReadersOfItsLog) {
  const UnreadPipe pipe(path("log"));
  const pid_t child = start_long_run("--chains 64 --quiet --log log");
  std::this_thread::sleep_for(1s);  // a line of 64 chains is longer than the pipe
  const auto begin = Clock::now();
  ::kill(child, SIGINT);
  const Outcome outcome = wait(child);
  EXPECT_LT(Clock::now() - begin, prompt + 1s);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write the log log: nobody reads it", "nothing is lost"}));
  EXPECT_EQ(read_manifest(path("out/run.json")).status, RunStatus::interrupted);
  const auto rows = rows_of_chains();
  EXPECT_GT(rows[0], 0);
  for (const std::int64_t n : rows) EXPECT_EQ(n, rows[0]);
}

/// Lines come whole through a pipe that is smaller than they are.
TEST_F(RunCutShort, ByItsTimeHasAWholeLogForASlowReader) {
  (void)run_with_streams(
      "sample gaussian --chains 300 --warmup 100 --draws 100000000 --max-seconds 2.5 --seed 1 "
      "--quiet --log - --out out 2> .err",
      "| (sleep 1; cat > log)");
  std::istringstream log(read_text(path("log")));
  std::vector<std::string> events;
  for (std::string line; std::getline(log, line);) events.push_back(nlohmann::json::parse(line)["event"]);
  ASSERT_GT(events.size(), 3U);
  EXPECT_EQ(events.front(), "begin");
  EXPECT_EQ(events.back(), "end");
}

/// What is opened next would get the number of standard output, and what is printed would end up among the draws.
TEST_F(RunCutShort, AClosedStandardOutputCostsNoDraws) {
  ASSERT_EQ(run("sample gaussian --draws 300 --seed 1 --out whole").status, 0);
  const Outcome closed = run_with_streams("sample gaussian --draws 300 --seed 1 --out out", ">&- 2> .err < /dev/null");
  EXPECT_EQ(closed.status, 1);
  EXPECT_TRUE(mentions(closed.err, {"standard output"}));
  EXPECT_EQ(read_manifest(path("out/run.json")).status, RunStatus::complete);
  EXPECT_EQ(rows("out/chain_1.csv"), rows("whole/chain_1.csv"));
  EXPECT_EQ(run_with_streams("sample gaussian --draws 300 --seed 1 --quiet --out all", ">&- 2>&- <&-").status, 0);
  EXPECT_EQ(rows("all/chain_1.csv"), rows("whole/chain_1.csv"));
  EXPECT_EQ(run_with_streams("summary out", ">&- 2> .err").status, 1) << "a table that nobody gets";
}

TEST_F(RunCutShort, AClosedStandardOutputIsNoFileOfTheRun) {
  const Outcome outcome = run_with_streams(
      "sample gaussian --draws 100000000 --max-seconds 2.5 --seed 1 --quiet --log - --out out", ">&- 2> .err <&-");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write the log -"}));
  for (const auto& entry : fs::recursive_directory_iterator(path("out"))) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(read_text(entry).find("\"event\""), std::string::npos) << entry.path();
    }
  }
}

TEST_F(RunCutShort, AReaderThatGoesAwayCostsNoDraws) {
  (void)run_with_streams("sample gaussian --draws 100000 --seed 1 --quiet --log - --out out 2> .err", "| true");
  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_EQ(manifest.status, RunStatus::complete);
  EXPECT_EQ(manifest.files[0].rows, 100000);
}

TEST_F(RunCutShort, ByASignalInWarmUpHasNoDraws) {
  const pid_t child = start("sample gaussian --warmup 100000000 --seed 1 --out out");
  const auto patience = Clock::now() + 60s;
  while (!fs::exists(path("out/run.json")) && Clock::now() < patience) std::this_thread::sleep_for(10ms);
  ::kill(child, SIGINT);
  EXPECT_EQ(wait(child).status, 1);
  EXPECT_EQ(read_manifest(path("out/run.json")).status, RunStatus::interrupted);
  for (const std::int64_t n : rows_of_chains()) EXPECT_EQ(n, 0);
}

TEST_F(RunCutShort, ByAKillIsReadable) {
  const pid_t child = start_long_run("--chains 4");
  ::kill(child, SIGKILL);
  EXPECT_EQ(wait(child).status, -1);
  EXPECT_EQ(read_manifest(path("out/run.json")).status, RunStatus::running);
  for (const std::int64_t n : rows_of_chains()) EXPECT_GT(n, 0);
  const Outcome summary = run("summary out");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_TRUE(mentions(summary.out, {"gaussian · 4 chains", "did not get to its end"}));
}

/// Times come from clocks that nobody sets.
TEST_F(RunCutShort, ByItsTimeWhateverTheWallClockSays) {
#ifdef DARBOUX_SANITIZED
  GTEST_SKIP() << "sanitizers want to be loaded first";
#endif
  const std::string clock = "LD_PRELOAD='" DARBOUX_CLOCK_THAT_IS_SET_BACK "' ";
  ASSERT_EQ(run("sample gaussian --draws 500 --seed 1 --quiet --out before").status, 0);
  ASSERT_EQ(run("sample gaussian --draws 500 --seed 1 --quiet --out after", clock).status, 0);
  EXPECT_LT(read_manifest(path("after/run.json")).started, read_manifest(path("before/run.json")).started)
      << "the clock of this test does not work";

  const Outcome outcome =
      run("sample gaussian --draws 100000000 --seed 1 --max-seconds 1 --checkpoint-seconds 0.1 --out out", clock);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(mentions(outcome.out, {"Stopped by max-seconds = 1"}));
  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_GT(manifest.warmup.seconds, 0.0);
  EXPECT_GT(manifest.sampling.seconds, 0.0);
  EXPECT_LT(manifest.sampling.seconds, 60.0);
  EXPECT_TRUE(fs::exists(path("out/checkpoint.bin")));
}

/// A limit on the size of files is the full disk that every user can have.
TEST_F(RunCutShort, ByAFullDiskSaysSoAndIsReadable) {
  const Outcome outcome =
      run("sample gaussian --warmup 100 --draws 100000 --seed 1 --quiet --out out", "ulimit -f 1000 && ");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"darboux: failed: cannot write out/", "File too large"}));
  const RunManifest manifest = read_manifest(path("out/run.json"));
  EXPECT_EQ(manifest.status, RunStatus::failed);
  EXPECT_TRUE(mentions(manifest.message, {"cannot write out/", "File too large"}));
  for (const std::int64_t n : rows_of_chains()) EXPECT_GT(n, 100);
  const Outcome summary = run("summary out");
  EXPECT_EQ(summary.status, 0) << summary.err;
  EXPECT_TRUE(mentions(summary.out, {"4 chains × ", "The run failed: cannot write out/", "File too large"}));
}

/// Where not even the manifest can be written, that is said at least. A folder in its place does what a full disk does.
TEST_F(RunCutShort, BeforeItsManifestCanBeWrittenIsSaid) {
  const pid_t child = start_long_run("--chains 1");
  fs::remove(path("out/run.json"));
  fs::create_directory(path("out/run.json"));
  ::kill(child, SIGINT);
  const Outcome outcome = wait(child);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(mentions(outcome.err, {"cannot write out/run.json", "On disk are no manifest and 1 of 1 chains"}));
}

}  // namespace
}  // namespace darboux

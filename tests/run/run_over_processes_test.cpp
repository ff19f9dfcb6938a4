#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cluster/on_all.hpp"
#include "darboux/core/error.hpp"
#include "draws/run_directory.hpp"
#include "draws/temporary_folder.hpp"
#include "io/file.hpp"
#include "run/plan_together.hpp"
#include "run/resume.hpp"
#include "support/expect.hpp"
#include "support/thread_group.hpp"

/// Files of a run that several processes draw. Threads stand for processes here; tests/cli has real ones.
namespace darboux {
namespace {

using testing::in_group;
using testing::mentions;
using testing::message_of;

class RunOverProcesses : public testing::WithFolder {
 protected:
  [[nodiscard]] RunConfig config(const std::string& out) const {
    RunConfig c;
    c.model = "eight-schools";
    c.chains = 5;
    c.warmup = 100;
    c.draws = 40;
    c.seed = 7;
    c.threads = 1;
    c.out = path(out).string();
    return c;
  }
  static void run(int size, const RunConfig& c, const std::function<RunWatch(int rank)>& watch = {}) {
    in_group(size, [&](Group& group) {
      RunWatch own = watch ? watch(group.rank()) : RunWatch();
      own.group = &group;
      const FileRun done = run_to_files(plan_together(group, c), own);
      EXPECT_EQ(done.summary.rows.empty(), !group.is_first() || done.manifest.status != RunStatus::complete);
      group.leave();
    });
  }
  [[nodiscard]] std::string rows(const std::string& file) const {
    std::istringstream lines(read_text(path(file)));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("#")) out += line + "\n";
    return out;
  }
  void expect_same_draws(const std::string& a, const std::string& b) const {
    const RunManifest first = read_manifest(path(a) / "run.json"), second = read_manifest(path(b) / "run.json");
    EXPECT_EQ(first.files, second.files);
    EXPECT_EQ(first.min_bulk_ess, second.min_bulk_ess);
    EXPECT_EQ(first.sampling.gradients, second.sampling.gradients);
    for (const DrawFile& file : first.files)
      for (const std::string& part : {file.file, file.statistics})
        EXPECT_TRUE(rows(a + "/" + part) == rows(b + "/" + part)) << part;
    EXPECT_EQ(read_text(path(a) / "tuning.json"), read_text(path(b) / "tuning.json"));
  }
};

/// Stops the run after so many draws of a chain.
class StopAfter final : public DrawSink {
 public:
  StopAfter(int draws, std::atomic<bool>& stop) : draws_(draws), stop_(stop) {}
  void draw(const Draw& draw) override {
    if (draw.phase == Phase::sampling && draw.iteration == draws_) stop_ = true;
  }

 private:
  int draws_;
  std::atomic<bool>& stop_;
};

class ThrowsAfter final : public DrawSink {
 public:
  void draw(const Draw& draw) override {
    if (draw.phase == Phase::sampling && draw.iteration == 10) throw std::runtime_error("no space left");
  }
};

TEST_F(RunOverProcesses, WritesTheFilesOfOne) {
  run(1, config("alone"));
  for (const int size : {2, 3}) {
    const std::string out = "of_" + std::to_string(size);
    run(size, config(out));
    expect_same_draws("alone", out);
    const RunManifest manifest = read_manifest(path(out) / "run.json");
    ASSERT_NE(manifest.cluster.find("ranks"), nullptr);
    EXPECT_EQ(*manifest.cluster.find("ranks"), ValueTree(size));
    for (const char* what : {"exchanges", "bytes"})
      EXPECT_GT(std::get<std::int64_t>(manifest.cluster.find(what)->value()), 0);
  }
  EXPECT_EQ(read_manifest(path("alone") / "run.json").cluster, ValueTree());
}

/// Another number of processes than began it, with a state and marks of all files in one checkpoint.
TEST_F(RunOverProcesses, GoesOnWithAnyNumber) {
  RunConfig whole = config("whole");
  whole.draws = 300;
  run(1, whole);
  for (const auto& [begun_by, gone_on_by] : {std::pair(3, 1), std::pair(1, 2), std::pair(2, 3)}) {
    std::filesystem::remove_all(path("out"));
    RunConfig c = config("out");
    c.draws = 300;
    c.checkpoint_seconds = 0.01;
    std::atomic<bool> stop = false;
    StopAfter sink(20, stop);
    run(begun_by, c, [&](int rank) { return RunWatch{.sink = rank == 0 ? &sink : nullptr, .stop = &stop}; });
    const RunManifest before = read_manifest(path("out") / "run.json");
    ASSERT_EQ(before.status, RunStatus::interrupted);
    for (const DrawFile& file : before.files) EXPECT_EQ(file.rows, before.files.front().rows);
    in_group(gone_on_by, [&](Group& group) {
      Resumption rest = open_run_together(group, path("out"));
      EXPECT_TRUE(rest.earlier.checkpoint.has_value());
      (void)resume(rest, {.group = &group});
      group.leave();
    });
    expect_same_draws("whole", "out");
  }
}

/// What one cannot do ends it for all, and is told by the first.
TEST_F(RunOverProcesses, EndsWhereOneFails) {
  RunConfig c = config("out");
  c.draws = 100'000;
  ThrowsAfter sink;
  const std::string message = message_of<PeerFailure>(
      [&] { run(3, c, [&](int rank) { return RunWatch{.sink = rank == 1 ? &sink : nullptr}; }); });
  EXPECT_TRUE(mentions(message, {"rank 1 could not go on: no space left", "darboux resume " + c.out})) << message;
  const RunManifest manifest = read_manifest(path("out") / "run.json");
  EXPECT_EQ(manifest.status, RunStatus::failed);
  EXPECT_TRUE(mentions(manifest.message, {"rank 1", "no space left"}));
  EXPECT_EQ(manifest.files.size(), 5U);
}

/// A seed that nobody gave is the first one's.
TEST_F(RunOverProcesses, IsPlannedTogether) {
  RunConfig c = config("");
  c.seed.reset();
  c.threads.reset();
  std::vector<std::uint64_t> seeds(3);
  std::vector<std::string> folders(3);
  in_group(3, [&](Group& group) {
    const RunPlan plan = plan_together(group, c);
    seeds[static_cast<std::size_t>(group.rank())] = plan.sample.asked.seed.value();
    folders[static_cast<std::size_t>(group.rank())] = plan.config.out;
    EXPECT_FALSE(plan.config.seed.has_value());
    EXPECT_FALSE(plan.config.threads.has_value());
    EXPECT_LE(plan.sample.settings.threads * 3, std::max(3U, std::thread::hardware_concurrency()));
    group.leave();
  });
  EXPECT_EQ(seeds, std::vector(3, seeds[0]));
  EXPECT_EQ(folders, std::vector(3, folders[0]));
}

TEST_F(RunOverProcesses, IsToBeginAgainWhereOneIsLostBeforeIt) {
  const auto begin = [&](Group& group) {
    if (group.is_first()) (void)plan_together(group, config("out"));
    group.leave();
  };
  EXPECT_TRUE(mentions(message_of<PeerFailure>([&] { in_group(2, begin); }),
                       {"rank 1 has left", "Nothing is lost by that: start the same again"}));
}

TEST_F(RunOverProcesses, IsRefusedWhereProcessesDiffer) {
  write_text(path("a.csv"), "y,x\n0,1\n1,2\n0,3\n1,1\n");
  write_text(path("b.csv"), "y,x\n0,1\n1,2\n0,3\n1,2\n");
  const auto message = [&](const std::function<void(RunConfig&)>& change) {
    return message_of<InputError>([&] {
      in_group(3, [&](Group& group) {
        RunConfig c = config("out");
        c.model = "logistic";
        c.data = path("a.csv").string();
        if (group.rank() == 2) change(c);
        (void)plan_together(group, c);
      });
    });
  };
  EXPECT_TRUE(mentions(message([](RunConfig& c) { c.draws = 41; }),
                       {"settings: rank 0 has ", "draws = 40", "rank 2 has ", "draws = 41", "must be the same"}));
  EXPECT_TRUE(mentions(message([&](RunConfig& c) { c.data = path("b.csv").string(); }), {"must be the same"}));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(RunOverProcesses, OfSettingsThatSeveralCannotDoIsRefused) {
  const auto message = [&](const std::function<void(RunConfig&)>& change) {
    return message_of<InputError>([&] {
      in_group(3, [&](Group& group) {
        RunConfig c = config("out");
        change(c);
        (void)plan_together(group, c);
      });
    });
  };
  EXPECT_TRUE(
      mentions(message([](RunConfig& c) { c.format = "zarr"; }), {"format = zarr", "darboux convert --to zarr"}));
  EXPECT_TRUE(mentions(message([](RunConfig& c) { c.chains = 2; }), {"chains = 2", "at least 3"}));
}

/// The message is as it is where all met the same.
TEST(OnAll, ThrowsWhatOneThrows) {
  const auto message = [](bool on_all_of_them) {
    return message_of<InputError>([&] {
      in_group(3, [&](Group& group) {
        on_all(group, [&] {
          if (on_all_of_them || group.rank() == 1) throw InputError("data = a.csv: there is no such file");
        });
      });
    });
  };
  EXPECT_EQ(message(true), "data = a.csv: there is no such file");
  EXPECT_EQ(message(false), "rank 1: data = a.csv: there is no such file");
  EXPECT_THROW(in_group(2,
                        [](Group& group) {
                          on_all(group, [&] {
                            if (group.rank() == 1) throw std::runtime_error("no memory");
                          });
                        }),
               Error);
}

}  // namespace
}  // namespace darboux

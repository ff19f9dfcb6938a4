#include "run/checkpoint_file.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "darboux/core/error.hpp"
#include "draws/temporary_folder.hpp"
#include "run/checkpoint_clock.hpp"
#include "support/expect.hpp"

namespace darboux::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CheckpointFile : public WithFolder {
 protected:
  static Checkpoint example(int iterations) {
    return {
        .phase = Phase::sampling,
        .iterations = iterations,
        .files = {{.phase = Phase::sampling,
                   .warmup_rows = 3,
                   .sampling_rows = iterations,
                   .draws = {.size = 1000, .checksum = 7},
                   .statistics = {.size = 50, .checksum = 9}}},
        .state = std::string("what the sampler knew \0 and more", 32),
        .zarr = {{.rows = 7,
                  .arrays = {{.array = "posterior/q", .stretch = 4, .draw_bytes = 1, .checksum = 2, .rest = "abc"}}},
                 {}},
        .run = 12345};
  }
  [[nodiscard]] Checkpoint newest() const { return read_checkpoint(path("run/checkpoint.bin")); }

  RunDirectory directory_{folder_ / "run"};
};

TEST_F(CheckpointFile, ComesBackAndTheOneBeforeIsKept) {
  for (const int iterations : {10, 20, 30}) {
    Checkpoint written = example(iterations);
    write_checkpoint(written, directory_);
    EXPECT_EQ(newest(), written);
  }
  EXPECT_EQ(read_checkpoint(path("run/checkpoint-before.bin")), example(20));
}

TEST_F(CheckpointFile, AnyDamageIsNoticedAndNamed) {
  Checkpoint written = example(1);
  write_checkpoint(written, directory_);
  const fs::path file = path("run/checkpoint.bin");
  const std::string text = read_text(file);
  const auto trouble = [&](const std::string& changed) {
    write_text(file, changed);
    return message_of<Error>([&] { (void)newest(); });
  };
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_TRUE(mentions(trouble(changed), {file.string()})) << "byte " << i;
    EXPECT_TRUE(mentions(trouble(text.substr(0, i)), {file.string()})) << "cut after byte " << i;
  }
  EXPECT_TRUE(mentions(trouble(text + "x"), {"checksum"}));
  EXPECT_TRUE(mentions(trouble("darboux-checkpoint/0, 0 bytes, crc32 00000000\n"), {"schema", "darboux-checkpoint/8"}));
}

/// A sampler that is where it can be stopped all the time, for so long.
void go_on_for(std::chrono::milliseconds time, CheckpointClock& clock) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
    if (clock.wants_state()) clock.take(Phase::warmup, i, "state");
    std::this_thread::sleep_for(1ms);
  }
}

class Checkpoints : public CheckpointFile {
 protected:
  /// A thread writes it.
  void wait_for_checkpoint() const {
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (!fs::exists(path("run/checkpoint.bin")) && std::chrono::steady_clock::now() < patience)
      std::this_thread::sleep_for(1ms);
  }

  DrawFiles files_{
      std::make_unique<StanCsvSink>(directory_, StanCsvHeader(), Share{0, 1}, std::vector<std::string>{"x"}), nullptr,
      1};
};

TEST_F(Checkpoints, AShortRunWritesNone) {
  CheckpointClock clock(directory_, files_, {});
  go_on_for(2100ms, clock);
  clock.end(true);
  EXPECT_FALSE(fs::exists(path("run/checkpoint.bin")));
  go_on_for(1000ms, clock);
  wait_for_checkpoint();
  EXPECT_TRUE(fs::exists(path("run/checkpoint.bin"))) << "a longer one does";
}

TEST_F(Checkpoints, AStoppedRunWritesWhatItHas) {
  CheckpointClock clock(directory_, files_, {});
  EXPECT_TRUE(clock.wants_state());
  clock.take(Phase::sampling, 5, "a state");
  EXPECT_FALSE(clock.wants_state()) << "so soon";
  clock.end(false);
  EXPECT_EQ(newest().iterations, 5);
  EXPECT_EQ(newest().state, "a state");
  EXPECT_EQ(newest().files, files_.csv_marks());
}

TEST_F(Checkpoints, OftenWhereThatIsAskedFor) {
  CheckpointClock clock(directory_, files_, 0.0);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(clock.wants_state());
    clock.take(Phase::sampling, i, "");
    EXPECT_EQ(newest().iterations, i);
  }
}

TEST_F(Checkpoints, TheFirstOneIsTold) {
  int told = 0;
  CheckpointClock clock(directory_, files_, 0.0, 0, alone(), [&] {
    ++told;
    EXPECT_TRUE(fs::exists(path("run/checkpoint.bin")));
  });
  EXPECT_EQ(told, 0);
  for (int i = 1; i <= 3; ++i) clock.take(Phase::sampling, i, "");
  EXPECT_EQ(told, 1);
}

/// What takes a tenth of a second is not done again for half a minute.
TEST_F(Checkpoints, TakeLittleOfTheTime) {
  CheckpointClock clock(directory_, files_, {});
  EXPECT_TRUE(clock.wants_state());
  std::this_thread::sleep_for(100ms);  // the sampler's, for its state
  clock.take(Phase::sampling, 1, "a large state");
  std::this_thread::sleep_for(500ms);
  EXPECT_FALSE(clock.wants_state());
}

/// A thread writes, and a run does not wait for it.
TEST_F(Checkpoints, NobodyWaitsForTheDisk) {
  const auto seconds_of = [](const auto& action) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const std::string large(std::size_t{1} << 27U, 'x');
  CheckpointClock patient(directory_, files_, 0.0);
  std::string state = large;
  const double writing = seconds_of([&] { patient.take(Phase::sampling, 1, std::move(state)); });
  CheckpointClock clock(directory_, files_, 0.001);
  std::this_thread::sleep_for(10ms);
  state = large;
  EXPECT_LT(seconds_of([&] { clock.take(Phase::sampling, 2, std::move(state)); }), 0.2 * writing);
  state = large;
  EXPECT_LT(seconds_of([&] { clock.take(Phase::sampling, 3, std::move(state)); }), 0.2 * writing)
      << "it is at it still";
  clock.end(true);
  EXPECT_EQ(newest().iterations, 3) << "the newest one that there is";
  EXPECT_EQ(read_checkpoint(path("run/checkpoint-before.bin")).iterations, 2);
}

/// What takes a tenth of a second to write is not written again for half a minute.
TEST_F(Checkpoints, AreWrittenSeldomWhereThatTakesLong) {
  CheckpointClock clock(directory_, files_, {});
  const auto take_after = [&](std::chrono::milliseconds time, int iterations, std::size_t bytes) {
    std::this_thread::sleep_for(time);
    clock.take(Phase::sampling, iterations, std::string(bytes, 'x'));
  };
  take_after(3100ms, 1, std::size_t{1} << 27U);
  wait_for_checkpoint();
  take_after(100ms, 2, 10);
  take_after(3100ms, 3, 10);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(newest().iterations, 1);
}

}  // namespace
}  // namespace darboux::testing

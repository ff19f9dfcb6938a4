#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>

#include "draws/draw_files.hpp"
#include "run/checkpoint_file.hpp"
#include "sample/sampler.hpp"

namespace darboux {

/// Keeps the state of a run in memory, a few times a second, and writes it to the run's folder every few seconds, so that a run
/// that is stopped can leave one that is not older than that. Both take less than a third of a percent of the time: what takes
/// longer is done less often. Nobody waits for the disk: a thread does while draws go on, which only add to what it writes.
///
/// Of several processes the first one has the clock, keeps the states of all and writes the files; all wait for it.
class CheckpointClock final : public CheckpointSink {
 public:
  static constexpr double seconds_between = 3.0;

  /// With a number of seconds it writes every so many, whatever that costs; 0: wherever a run can be gone on with from, and waits until
  /// that is done. `on_first` is told, once, when there is a checkpoint, by the thread that wrote it and before `end` returns.
  CheckpointClock(RunDirectory& directory, DrawFiles& files, std::optional<double> every, std::uint32_t run = 0,
                  Group& group = alone(), std::function<void()> on_first = {});

  [[nodiscard]] bool wants_state() override;
  void take(Phase phase, int iterations, std::string state) override;

  /// When the run has ended and its files are closed: writes what is not written, unless all is drawn again in no time.
  void end(bool is_complete);

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  void write();  // what files have, too
  [[nodiscard]] bool first_says(bool mine) const;
  void write_file();  // alone
  void tell();
  /// When to do again what took from `begin` until now.
  [[nodiscard]] Clock::time_point next(Clock::time_point begin, Seconds least) const;

  RunDirectory& directory_;
  DrawFiles& files_;
  Group& group_;
  std::uint32_t run_;
  std::function<void()> on_first_;  // none where it has been told
  bool is_asked_for_;               // by a number of seconds
  Seconds every_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point asked_ = begin_;  // for a state
  Clock::time_point next_look_ = begin_;
  Clock::time_point next_write_;
  std::optional<Checkpoint> unwritten_;
  std::future<Clock::time_point> writing_;  // when to write again; last, as its thread uses the others
};

}  // namespace darboux

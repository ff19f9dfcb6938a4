#include "run/checkpoint_clock.hpp"

#include <algorithm>
#include <utility>

#include "cluster/gathered.hpp"

namespace darboux {

namespace {

constexpr double seconds_between_looks = 0.05;
constexpr double largest_share = 1.0 / 300.0;  // of the time

}  // namespace

CheckpointClock::CheckpointClock(RunDirectory& directory, DrawFiles& files, std::optional<double> every,
                                 std::uint32_t run, Group& group, std::function<void()> on_first)
    : directory_(directory),
      files_(files),
      group_(group),
      run_(run),
      on_first_(std::move(on_first)),
      is_asked_for_(every.has_value()),
      every_(every.value_or(seconds_between)),
      next_write_(begin_ + std::chrono::duration_cast<Clock::duration>(every_)) {}

CheckpointClock::Clock::time_point CheckpointClock::next(Clock::time_point begin, Seconds least) const {
  const Clock::time_point now = Clock::now();
  const Seconds rest = is_asked_for_ ? least : std::max(least, Seconds(now - begin) / largest_share);
  return now + std::chrono::duration_cast<Clock::duration>(rest);
}

bool CheckpointClock::first_says(bool mine) const {
  return group_.is_alone() ? mine : of_first(group_, mine ? "yes" : "no") == "yes";
}

bool CheckpointClock::wants_state() {
  asked_ = Clock::now();
  return first_says(asked_ >= next_look_);
}

void CheckpointClock::take(Phase phase, int iterations, std::string state) {
  unwritten_ = Checkpoint{.phase = phase,
                          .iterations = iterations,
                          .files = gathered(group_, files_.csv_marks()),
                          .state = std::move(state),
                          .zarr = files_.zarr_marks(),
                          .run = run_};
  next_look_ = next(asked_, std::min(every_, Seconds(seconds_between_looks)));
  if (writing_.valid() && writing_.wait_for(Seconds(0)) == std::future_status::ready) next_write_ = writing_.get();
  if (!writing_.valid() && first_says(Clock::now() >= next_write_)) write();
}

/// A checkpoint is worth nothing that a power cut leaves without its draws: these are on the disk first.
void CheckpointClock::write() {
  const Clock::time_point begin = Clock::now();
  files_.flush();
  if (group_.is_alone()) {
    writing_ = std::async(std::launch::async, [this, begin, checkpoint = *std::exchange(unwritten_, {})]() mutable {
      files_.sync();
      write_checkpoint(checkpoint, directory_);
      tell();
      return next(begin, every_);
    });
    if (every_ == Seconds(0)) next_write_ = writing_.get();
    return;
  }
  files_.sync();
  meet(group_);
  write_file();
  next_write_ = next(begin, every_);
}

void CheckpointClock::write_file() {
  if (group_.is_first()) write_checkpoint(*unwritten_, directory_);
  unwritten_.reset();
  tell();
}

void CheckpointClock::tell() {
  if (const auto on_first = std::exchange(on_first_, {}); on_first && group_.is_first()) on_first();
}

void CheckpointClock::end(bool is_complete) {
  if (writing_.valid()) (void)writing_.get();
  if (unwritten_ && (!is_complete || Clock::now() - begin_ >= every_)) write_file();
}

}  // namespace darboux

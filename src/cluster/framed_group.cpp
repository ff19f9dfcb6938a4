#include "cluster/framed_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace darboux {

namespace {

constexpr std::int64_t block = 8;

std::string_view bytes_of_numbers(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

/// Counts a call, its time included.
class FramedGroup::Timed {
 public:
  Timed(Traffic& traffic, std::size_t bytes) : traffic_(traffic) {
    ++traffic_.exchanges;
    traffic_.bytes += static_cast<std::int64_t>(bytes);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed() { traffic_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  Traffic& traffic_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

FramedGroup::FramedGroup(std::unique_ptr<Carrier> carrier)
    : carrier_(std::move(carrier)),
      frames_(static_cast<std::size_t>(size())),
      frame_blocks_(frames_.size(), static_cast<int>(sizeof(Frame) / block)),
      blocks_(frames_.size()) {}

void FramedGroup::require_connection() const {
  if (!failure_.empty()) throw PeerFailure(failure_);
}

void FramedGroup::exchange_frames(std::string_view mine, State state) {
  own_frame_ = {.state = state, .bytes = std::ssize(mine)};
  if (mine.size() <= Frame::room) std::ranges::copy(mine, own_frame_.content);
  carry(&own_frame_, frame_blocks_, frames_.data());
  require_sense();
}

/// Where one process is another program, nothing that it says means what it seems to.
void FramedGroup::require_sense() {
  constexpr std::int64_t most = block * std::numeric_limits<int>::max();
  for (std::size_t r = 0; r < frames_.size(); ++r) {
    const Frame& frame = frames_[r];
    const bool is_state =
        frame.state == State::goes_on || frame.state == State::has_failed || frame.state == State::leaves;
    if (is_state && frame.bytes >= 0 && frame.bytes <= most) continue;
    failure_ = fmt::format("{} says what this program does not: all processes must run the same version",
                           carrier_->describe(static_cast<int>(r)));
    is_disconnected_ = true;
    throw PeerFailure(failure_);
  }
}

void FramedGroup::carry(const void* mine, std::span<const int> blocks, void* all) {
  try {
    carrier_->exchange(mine, blocks, all);
  } catch (const std::exception& e) {
    failure_ = e.what();
    is_disconnected_ = true;
    throw;
  }
}

bool FramedGroup::all_go_on() const {
  return std::ranges::all_of(frames_, [](const Frame& frame) { return frame.state == State::goes_on; });
}

bool FramedGroup::all_in_frames() const {
  return std::ranges::all_of(frames_, [](const Frame& f) { return f.bytes <= static_cast<std::int64_t>(Frame::room); });
}

std::size_t FramedGroup::count_blocks() {
  std::int64_t total = 0;
  for (std::size_t r = 0; r < frames_.size(); ++r) {
    const std::int64_t blocks = (frames_[r].bytes + block - 1) / block;
    total += blocks;
    if (total > std::numeric_limits<int>::max())
      throw Error(fmt::format("processes have {} GB and more to tell each other at once: must be less than {}",
                              total * block >> 30, std::int64_t{std::numeric_limits<int>::max()} * block >> 30));
    blocks_[r] = static_cast<int>(blocks);
  }
  return static_cast<std::size_t>(total);
}

void FramedGroup::carry_content(std::string_view mine) {
  received_.resize(count_blocks());
  given_.resize(static_cast<std::size_t>(blocks_[static_cast<std::size_t>(rank())]));
  if (!mine.empty()) std::memcpy(given_.data(), mine.data(), mine.size());
  carry(given_.data(), blocks_, received_.data());
}

std::vector<std::string> FramedGroup::gather_framed(std::string_view mine) {
  std::vector<std::string> all;
  if (all_in_frames()) {
    for (const Frame& frame : frames_) all.emplace_back(frame.content, static_cast<std::size_t>(frame.bytes));
    return all;
  }
  carry_content(mine);
  const double* next = received_.data();
  for (std::size_t r = 0; r < frames_.size(); next += blocks_[r++])
    all.emplace_back(reinterpret_cast<const char*>(next), static_cast<std::size_t>(frames_[r].bytes));
  return all;
}

void FramedGroup::say_who_failed(const std::vector<std::string>& why) {
  const auto failed = std::ranges::find_if(frames_, [](const Frame& f) { return f.state != State::goes_on; });
  const auto r = static_cast<std::size_t>(failed - frames_.begin());
  failure_ = fmt::format("{} {}", carrier_->describe(static_cast<int>(r)),
                         failed->state == State::leaves ? "has left" : "could not go on: " + why[r]);
  throw PeerFailure(failure_);
}

std::vector<std::string> FramedGroup::gather(std::string_view mine) {
  require_connection();
  const Timed timed(traffic_, mine.size());
  exchange_frames(mine, State::goes_on);
  std::vector<std::string> all = gather_framed(mine);
  if (!all_go_on()) say_who_failed(all);
  return all;
}

std::span<double> FramedGroup::gather(std::span<const double> mine, std::span<const Index> counts) {
  require_connection();
  const std::string_view bytes = bytes_of_numbers(mine);
  const Timed timed(traffic_, bytes.size());
  exchange_frames(bytes, State::goes_on);
  if (!all_go_on()) say_who_failed(gather_framed(bytes));
  for (std::size_t r = 0; r < frames_.size(); ++r)
    if (frames_[r].bytes != counts[r] * block)
      throw Error(fmt::format("{} gave {} bytes where {} numbers were to come", carrier_->describe(static_cast<int>(r)),
                              frames_[r].bytes, counts[r]));
  if (!all_in_frames()) {
    carry_content(bytes);
    return received_;
  }
  received_.resize(count_blocks());
  auto* to = reinterpret_cast<char*>(received_.data());
  for (const Frame& frame : frames_) to = std::copy_n(frame.content, frame.bytes, to);
  return received_;
}

void FramedGroup::fail(std::string_view why) noexcept {
  if (!failure_.empty()) return;
  try {
    exchange_frames(why, State::has_failed);
    (void)gather_framed(why);
    failure_ = "this process could not go on";
  } catch (...) {  // there is nobody left to tell
    is_disconnected_ = true;
  }
}

/// Others may still be at a call before: they hear that this one has left, or it of their failure, and then they come here, too.
void FramedGroup::leave() noexcept {
  const auto leaves = [](const Frame& frame) { return frame.state == State::leaves; };
  try {
    while (!is_disconnected_) {
      exchange_frames({}, State::leaves);
      const bool all_leave = std::ranges::all_of(frames_, leaves);
      (void)gather_framed({});
      if (!all_leave) continue;
      is_disconnected_ = true;
      carrier_->close();
    }
  } catch (...) {
    is_disconnected_ = true;
  }
}

}  // namespace darboux

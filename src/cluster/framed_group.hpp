#pragma once

#include <chrono>
#include <memory>

#include "cluster/group.hpp"

namespace darboux {

/// Carries blocks of eight bytes between the processes of a group.
class Carrier {
 public:
  Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  virtual ~Carrier() = default;

  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  /// From everybody to everybody: blocks[r] of them by rank r, one after the other in `all`. Throws PeerFailure where a process has
  /// ended; nothing may be carried after that, but what was begun may still be read and written: `mine` and `all` have to stay.
  virtual void exchange(const void* mine, std::span<const int> blocks, void* all) = 0;
  /// A process in words, for messages.
  [[nodiscard]] virtual std::string describe(int rank) const = 0;
  /// See Group.
  [[nodiscard]] virtual LossWatch* watch() noexcept { return nullptr; }
  /// Nothing will be carried any more; all are here.
  virtual void close() noexcept {}
};

/// A group of processes that a carrier connects. Each exchange begins with a frame of a fixed size, which says whether its process can
/// go on and how much it gives, and has what it gives where that is little: those cost one exchange of the carrier, others two.
/// What the carrier reads and writes is the group's own, because it may do so after an exchange that was given up.
class FramedGroup final : public Group {
 public:
  explicit FramedGroup(std::unique_ptr<Carrier> carrier);

  [[nodiscard]] int rank() const noexcept override { return carrier_->rank(); }
  [[nodiscard]] int size() const noexcept override { return carrier_->size(); }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override;
  [[nodiscard]] std::span<double> gather(std::span<const double> mine, std::span<const Index> counts) override;
  void fail(std::string_view why) noexcept override;
  void leave() noexcept override;
  [[nodiscard]] std::string describe(int rank) const override { return carrier_->describe(rank); }
  [[nodiscard]] Traffic traffic() const noexcept override { return traffic_; }
  [[nodiscard]] LossWatch* watch() noexcept override { return carrier_->watch(); }

 private:
  enum class State : std::int64_t { goes_on, has_failed, leaves };
  struct Frame {
    static constexpr std::size_t room = 48;
    State state = State::goes_on;
    std::int64_t bytes = 0;
    char content[room] = {};
  };
  class Timed;

  void exchange_frames(std::string_view mine, State state);
  void require_sense();
  [[nodiscard]] bool all_go_on() const;
  void carry(const void* mine, std::span<const int> blocks, void* all);
  [[nodiscard]] bool all_in_frames() const;
  /// Of what all give, in blocks. Returns how many there are.
  std::size_t count_blocks();
  /// What did not go with the frames, into received_.
  void carry_content(std::string_view mine);
  [[nodiscard]] std::vector<std::string> gather_framed(std::string_view mine);
  void require_connection() const;
  [[noreturn]] void say_who_failed(const std::vector<std::string>& why);

  std::unique_ptr<Carrier> carrier_;
  Frame own_frame_;
  std::vector<Frame> frames_;
  std::vector<double> given_, received_;  // in blocks, whatever they are
  std::vector<int> frame_blocks_, blocks_;
  std::string failure_;           // what calls say from now on, where it is not empty
  bool is_disconnected_ = false;  // by the end of a process
  Traffic traffic_;
};

}  // namespace darboux

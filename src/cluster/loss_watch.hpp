#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace darboux {

class Group;

/// A thread that looks whether the other processes of a group are there, whatever this one does. Calls to the group throw when one
/// has ended; a process that is Apart makes none for a while, perhaps for longer than a launcher lets it live. After a moment
/// that one is ended from here: what AtLoss says is done, the newest first, as an exception would unwind, and then end(message).
class LossWatch {
 public:
  using Action = std::function<void(std::string& message)>;
  /// `look` says who has ended, in words, or nothing. `end` ends this process; where it returns nothing more is done.
  LossWatch(std::function<std::string()> look, std::function<void(const std::string& message)> end);

  /// Whether one has ended: said when the other watchers had the time to see the same, so that all name the same one.
  [[nodiscard]] bool has_loss() const noexcept { return has_loss_; }
  /// In words. Only where has_loss().
  [[nodiscard]] const std::string& loss() const noexcept { return loss_; }

  static constexpr std::chrono::milliseconds time_between_looks{50};

 private:
  friend class Apart;
  friend class AtLoss;
  static constexpr std::chrono::milliseconds time_to_see_it{100}, time_to_meet{150};

  void watch(const std::stop_token& stop);
  /// Returns false where it was told to stop meanwhile.
  bool wait(const std::stop_token& stop, std::chrono::milliseconds time);
  void end_process() noexcept;

  std::function<std::string()> look_;
  std::function<void(const std::string&)> end_;
  std::string loss_;
  std::atomic<bool> has_loss_{false};
  std::mutex mutex_;  // of what follows
  std::condition_variable_any told_to_stop_;
  std::vector<Action> actions_;
  int apart_ = 0;
  std::jthread thread_;
};

/// While it lives this process computes: it does not call the group, and nothing that AtLoss touches is half done.
class Apart {
 public:
  explicit Apart(Group& group);
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart();

 private:
  LossWatch* watch_;
};

/// What a process that is Apart does while this lives, should another one end: `then` may change the message.
class AtLoss {
 public:
  AtLoss(Group& group, LossWatch::Action then);
  AtLoss(const AtLoss&) = delete;
  AtLoss& operator=(const AtLoss&) = delete;
  ~AtLoss();

 private:
  LossWatch* watch_;
};

/// What follows on why a process has ended, before there was anything to keep.
inline constexpr const char* nothing_is_lost = ". Nothing is lost by that: start the same again";

/// Does `task`, and `then` where another process ends or cannot go on meanwhile, however this one learns of it. PeerFailure is thrown
/// with the message as `then` leaves it.
void with_last_words(Group& group, const std::function<void()>& task, const LossWatch::Action& then);

}  // namespace darboux

#include "cluster/loss_watch.hpp"

#include <exception>
#include <utility>

#include "cluster/group.hpp"

namespace darboux {

LossWatch::LossWatch(std::function<std::string()> look, std::function<void(const std::string& message)> end)
    : look_(std::move(look)), end_(std::move(end)), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

bool LossWatch::wait(const std::stop_token& stop, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  told_to_stop_.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void LossWatch::watch(const std::stop_token& stop) {
  do {
    if (!wait(stop, time_between_looks)) return;
    loss_ = look_();
  } while (loss_.empty());
  if (!wait(stop, time_to_see_it)) return;
  has_loss_ = true;
  for (auto time = time_to_meet; wait(stop, time); time = time_between_looks) {
    const std::lock_guard lock(mutex_);  // so that it stays apart
    if (apart_ > 0) return end_process();
  }
}

void LossWatch::end_process() noexcept {
  std::string message = loss_;
  for (auto action = actions_.rbegin(); action != actions_.rend(); ++action) try {
      (*action)(message);
    } catch (const std::exception& e) {
      message = e.what();
    }
  end_(message);
}

Apart::Apart(Group& group) : watch_(group.watch()) {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(watch_->mutex_);
  ++watch_->apart_;
}

Apart::~Apart() {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(watch_->mutex_);
  --watch_->apart_;
}

AtLoss::AtLoss(Group& group, LossWatch::Action then) : watch_(group.watch()) {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(watch_->mutex_);
  watch_->actions_.push_back(std::move(then));
}

AtLoss::~AtLoss() {
  if (watch_ == nullptr) return;
  const std::lock_guard lock(watch_->mutex_);
  watch_->actions_.pop_back();
}

void with_last_words(Group& group, const std::function<void()>& task, const LossWatch::Action& then) {
  const AtLoss at_loss(group, then);
  try {
    task();
  } catch (const PeerFailure& e) {
    std::string message = e.what();
    then(message);
    throw PeerFailure(message);
  }
}

}  // namespace darboux

#include "core/parallel.hpp"

#include <algorithm>
#include <chrono>

namespace darboux {

namespace {

/// Falling asleep and being woken takes longer than most waits between two rounds. Other threads may have the processor
/// meanwhile, if they want it.
template <class Condition>
void look_out_for(const Condition& is_met) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience{100};
  for (const auto begin = Clock::now(); !is_met() && Clock::now() - begin < patience;) std::this_thread::yield();
}

}  // namespace

ThreadTeam::ThreadTeam(int threads) : ThreadTeam() {
  for (int t = 1; t < threads; ++t) helpers_.emplace_back([this] { help(); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::scoped_lock lock(mutex_);
    at_end_ = true;
  }
  has_work_.notify_all();
}

void ThreadTeam::for_each(Index count, const std::function<void(Index)>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  count_ = waiting_ = unfinished_ = count;
  failures_.assign(static_cast<std::size_t>(count), nullptr);
  if (count > 1) has_work_.notify_all();
  work(lock);
  lock.unlock();
  look_out_for([&] { return unfinished_ == 0; });
  lock.lock();
  is_done_.wait(lock, [&] { return unfinished_ == 0; });
  for (const std::exception_ptr& failure : failures_)
    if (failure) std::rethrow_exception(failure);
}

void ThreadTeam::help() {
  const auto has_cause = [&] { return waiting_ > 0 || at_end_; };
  while (!at_end_) {
    look_out_for(has_cause);
    std::unique_lock lock(mutex_);
    has_work_.wait(lock, has_cause);
    work(lock);
  }
}

/// Takes one task after the other. A helper that wakes late finds none, and nobody has waited for it.
void ThreadTeam::work(std::unique_lock<std::mutex>& lock) {
  while (waiting_ > 0) {
    const Index i = count_ - waiting_--;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*task_)(i);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failures_[static_cast<std::size_t>(i)] = failure;
    if (--unfinished_ == 0) is_done_.notify_one();
  }
}

void parallel_for(int threads, Index count, const std::function<void(Index)>& task) {
  ThreadTeam(static_cast<int>(std::min<Index>(threads, count))).for_each(count, task);
}

}  // namespace darboux

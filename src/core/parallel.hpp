#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "darboux/core/batch.hpp"

namespace darboux {

/// Threads that stay between calls, for work in many short rounds: to wake one that is looking for work takes a microsecond or
/// two, to make one some thirty.
class ThreadTeam {
 public:
  /// The caller is one of the threads.
  explicit ThreadTeam(int threads);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  /// Calls task(0), …, task(count − 1), each index exactly once, in no particular order. Returns when all are done. If tasks
  /// throw, the others still finish, and the exception of the smallest index is thrown again: what is reported does not depend
  /// on the number of threads.
  void for_each(Index count, const std::function<void(Index)>& task);

 private:
  ThreadTeam() = default;  // what the other one delegates to, so that the destructor runs where a thread cannot be made
  void help();
  void work(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  // Under the mutex; those that are atomic may be looked at without.
  const std::function<void(Index)>* task_ = nullptr;
  Index count_ = 0;
  std::atomic<Index> waiting_{0}, unfinished_{0};  // tasks that nobody has begun, and those that are not done
  std::vector<std::exception_ptr> failures_;
  std::atomic<bool> at_end_{false};
  std::vector<std::jthread> helpers_;  // joined before the rest goes
};

/// ThreadTeam::for_each of a team that is there for this call only.
void parallel_for(int threads, Index count, const std::function<void(Index)>& task);

}  // namespace darboux

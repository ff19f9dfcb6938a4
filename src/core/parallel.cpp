#include "darboux/core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace darboux {

void parallel_for(int threads, Index count, const std::function<void(Index)>& task) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  std::atomic<Index> next{0};
  const auto work = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        failures[static_cast<std::size_t>(i)] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> helpers;  // joined at the end of this scope
    for (Index t = 1; t < std::min<Index>(threads, count); ++t) helpers.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace darboux

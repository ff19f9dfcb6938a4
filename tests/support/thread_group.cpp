#include "support/thread_group.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "darboux/core/error.hpp"

namespace darboux::testing {

namespace {

/// Where threads leave what they give. A round is over when all have left something.
class Table {
 public:
  explicit Table(int size) : places_(static_cast<std::size_t>(size)) {}

  std::vector<std::string> exchange(int rank, std::string_view mine) {
    std::unique_lock lock(mutex_);
    places_[static_cast<std::size_t>(rank)] = mine;
    const int round = round_;
    if (++arrived_ == static_cast<int>(places_.size())) {
      arrived_ = 0;
      ++round_;
      complete_ = places_;
      all_are_here_.notify_all();
    }
    all_are_here_.wait(lock, [&] { return round_ != round || is_broken_; });
    if (round_ == round) throw Error("another process of the group has ended");
    return complete_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    is_broken_ = true;
    all_are_here_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_are_here_;
  std::vector<std::string> places_, complete_;
  int arrived_ = 0, round_ = 0;
  bool is_broken_ = false;
};

class ThreadGroup final : public Group {
 public:
  ThreadGroup(Table& table, int rank, int size) : table_(table), rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    ++traffic_.exchanges;
    traffic_.bytes += static_cast<std::int64_t>(mine.size());
    return table_.exchange(rank_, mine);
  }
  void gather(std::span<const double> mine, std::span<const Index> counts, std::span<double> all) override {
    const auto strings = gather(std::string_view(reinterpret_cast<const char*>(mine.data()), mine.size_bytes()));
    std::size_t first = 0;
    for (std::size_t r = 0; r < strings.size(); ++r) {
      if (strings[r].size() != static_cast<std::size_t>(counts[r]) * sizeof(double) ||
          first + static_cast<std::size_t>(counts[r]) > all.size())
        throw Error("a process gave another number of values than was said");
      std::memcpy(all.data() + first, strings[r].data(), strings[r].size());
      first += static_cast<std::size_t>(counts[r]);
    }
  }
  [[nodiscard]] Traffic traffic() const noexcept override { return traffic_; }

 private:
  Table& table_;
  int rank_, size_;
  Traffic traffic_;
};

}  // namespace

void in_group(int size, const std::function<void(Group&)>& task) {
  Table table(size);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadGroup group(table, rank, size);
      try {
        task(group);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
        table.leave();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace darboux::testing

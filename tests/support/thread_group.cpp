#include "support/thread_group.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cluster/framed_group.hpp"

namespace darboux::testing {

namespace {

/// Where threads leave what they give. A round is over when all have left something.
class Table {
 public:
  explicit Table(int size) : places_(static_cast<std::size_t>(size)) {}
  [[nodiscard]] int size() const noexcept { return static_cast<int>(places_.size()); }

  std::string exchange(int rank, std::string_view mine) {
    std::unique_lock lock(mutex_);
    places_[static_cast<std::size_t>(rank)] = mine;
    const int round = round_;
    if (++arrived_ == size()) {
      arrived_ = 0;
      ++round_;
      complete_.clear();
      for (const std::string& place : places_) complete_ += place;
      all_are_here_.notify_all();
    }
    all_are_here_.wait(lock, [&] { return round_ != round || is_broken_; });
    if (round_ == round) throw PeerFailure("another process of the group has ended");
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
  std::vector<std::string> places_;
  std::string complete_;
  int arrived_ = 0, round_ = 0;
  bool is_broken_ = false;
};

class TableCarrier final : public Carrier {
 public:
  TableCarrier(Table& table, int rank) : table_(table), rank_(rank) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return table_.size(); }
  void exchange(const void* mine, std::span<const int> blocks, void* all) override {
    const auto count = static_cast<std::size_t>(blocks[static_cast<std::size_t>(rank_)]);
    const std::string every = table_.exchange(rank_, {static_cast<const char*>(mine), 8 * count});
    std::memcpy(all, every.data(), every.size());
  }
  [[nodiscard]] std::string describe(int rank) const override { return "rank " + std::to_string(rank); }

 private:
  Table& table_;
  int rank_;
};

}  // namespace

void in_group(int size, const std::function<void(Group&)>& task) {
  Table table(size);
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      FramedGroup group(std::make_unique<TableCarrier>(table, rank));
      try {
        task(group);
      } catch (...) {
        failures[static_cast<std::size_t>(rank)] = std::current_exception();
      }
      table.leave();  // who still waits for this one would wait for ever
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace darboux::testing

#include "cluster/group.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

namespace darboux {

namespace {

class Alone final : public Group {
 public:
  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override { return {std::string(mine)}; }
  [[nodiscard]] std::span<double> gather(std::span<const double> mine, std::span<const Index> /*counts*/) override {
    thread_local std::vector<double> all;  // there may be several runs at a time
    all.assign(mine.begin(), mine.end());
    return all;
  }
  void fail(std::string_view /*why*/) noexcept override {}
  void leave() noexcept override {}
  [[nodiscard]] std::string describe(int /*rank*/) const override { return "this process"; }
  [[nodiscard]] Traffic traffic() const noexcept override { return {}; }
};

/// of(…of(of(first, second), third)…) of what the processes have.
template <class T, class Of>
T folded(Group& group, T mine, const Of& of) {
  if (group.is_alone()) return mine;
  const auto all = group.gather(std::string_view(reinterpret_cast<const char*>(&mine), sizeof mine));
  T result{}, next{};
  std::memcpy(&result, all.front().data(), sizeof result);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r].size() != sizeof next) throw Error("processes are not at the same place: another gave something else");
    std::memcpy(&next, all[r].data(), sizeof next);
    result = of(result, next);
  }
  return result;
}

}  // namespace

Group& alone() {
  static Alone group;
  return group;
}

std::string of_first(Group& group, std::string_view mine) {
  return group.gather(group.is_first() ? mine : std::string_view()).front();
}

double smallest(Group& group, double mine) {
  return folded(group, mine, [](double a, double b) { return std::min(a, b); });
}
std::int64_t sum(Group& group, std::int64_t mine) { return folded(group, mine, std::plus<>()); }
bool any(Group& group, bool mine) { return folded(group, mine, std::logical_or<>()); }
void meet(Group& group) { (void)group.gather(std::string_view()); }

Share share_of(Index items, int rank, int size) noexcept {
  const Index whole = items / size, more = items % size;
  return {.first = whole * rank + std::min<Index>(rank, more), .count = whole + (rank < more ? 1 : 0)};
}

}  // namespace darboux

#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

/// Time on a machine that is not idle: of this thread alone, and side by side.
namespace darboux::bench {

inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of one call, of as many in a row as take about `enough` seconds.
template <class Action>
double seconds_of(Action&& action, double enough = 0.01) {
  long calls = 1;
  while (true) {
    const double start = thread_seconds();
    for (long i = 0; i < calls; ++i) action();
    const double took = thread_seconds() - start;
    if (took >= 0.5 * enough) return took / static_cast<double>(calls);
    calls = took <= 0.0
                ? 10 * calls
                : std::clamp(static_cast<long>(enough / took * static_cast<double>(calls)), calls + 1, 10 * calls);
  }
}

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

/// What `rounds` rounds of several actions took: each round times all of them, so that a slow moment hits all alike.
class SideBySide {
 public:
  template <class... Actions>
  SideBySide(int rounds, Actions&&... actions) : seconds_(sizeof...(actions)) {
    for (int r = 0; r < rounds; ++r) {
      std::size_t which = 0;
      (seconds_[which++].push_back(seconds_of(actions)), ...);
    }
  }

  [[nodiscard]] double seconds(std::size_t which) const { return median(seconds_[which]); }
  /// The median over the rounds of f(seconds of each action).
  template <class F>
  [[nodiscard]] double median_of(F&& f) const {
    std::vector<double> values;
    for (std::size_t r = 0; r < seconds_.front().size(); ++r) {
      std::vector<double> round;
      for (const auto& each : seconds_) round.push_back(each[r]);
      values.push_back(f(round));
    }
    return median(std::move(values));
  }

 private:
  std::vector<std::vector<double>> seconds_;
};

}  // namespace darboux::bench

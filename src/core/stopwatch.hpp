#pragma once

#include <chrono>
#include <ctime>

namespace darboux {

struct Elapsed {
  double seconds = 0.0;      ///< by the clock
  double cpu_seconds = 0.0;  ///< of all threads of this process

  Elapsed& operator+=(const Elapsed& other) noexcept {
    seconds += other.seconds;
    cpu_seconds += other.cpu_seconds;
    return *this;
  }
};

/// Measures from when it is made.
class Stopwatch {
 public:
  [[nodiscard]] Elapsed elapsed() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    return {.seconds = seconds.count(), .cpu_seconds = cpu_seconds() - cpu_begin_};
  }

 private:
  static double cpu_seconds() {
    std::timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double cpu_begin_ = cpu_seconds();
};

}  // namespace darboux

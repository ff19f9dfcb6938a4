#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace darboux::cli {

/// Lines that are appended to a file, a pipe or a terminal. A pipe that nobody reads holds up those who add lines, but not for ever
/// once the end has come.
class LineLog {
 public:
  /// "-" is standard output. Throws InputError where the file cannot be opened.
  explicit LineLog(const std::string& file);
  LineLog(const LineLog&) = delete;
  LineLog& operator=(const LineLog&) = delete;
  ~LineLog();

  /// Adds a line, with its end. A disk that is full must not cost draws: what is missed is not worth stopping for.
  void add(std::string_view line);
  /// From now on nobody waits long for readers: seconds, and half of one after an interrupt.
  void end() noexcept { is_ending_ = true; }
  /// Why a line could not be written; empty if all were.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  [[nodiscard]] bool wait_for_room();

  int descriptor_;
  std::atomic<bool> is_ending_{false};
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  // at the end
  bool is_given_up_ = false;
  std::string failure_;
};

}  // namespace darboux::cli

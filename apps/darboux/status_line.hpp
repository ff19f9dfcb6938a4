#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace darboux::cli {

/// Whether standard error is a terminal on which a line can be written over.
[[nodiscard]] bool is_told_on_terminal();

/// When a plain line says how things get on, where there is no terminal: after 3, 10, 30 and 60 seconds, and then every minute.
class PlainLineTimes {
 public:
  [[nodiscard]] bool is_due(double seconds);

 private:
  double next_ = 3.0;
};

/// How something gets on, in one line on standard error: on a terminal always the newest, written over; elsewhere what it is when
/// a plain line is due. Of things that are done meanwhile nothing is told.
class StatusLine {
 public:
  StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// Leaves nothing on a terminal.
  ~StatusLine();

  /// From any thread.
  void set(std::string text);

 private:
  void show();
  [[nodiscard]] double seconds() const;

  bool on_terminal_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::string text_;
  PlainLineTimes times_;
  std::jthread teller_;
};

}  // namespace darboux::cli

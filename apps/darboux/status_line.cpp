#include "status_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace darboux::cli {

bool is_told_on_terminal() {
  const char* const kind = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

bool PlainLineTimes::is_due(double seconds) {
  if (seconds < next_) return false;
  next_ = next_ < 60.0 ? (next_ < 10.0 ? 10.0 : next_ < 30.0 ? 30.0 : 60.0) : next_ + 60.0;
  return true;
}

StatusLine::StatusLine() : on_terminal_(is_told_on_terminal()) {
  std::fflush(stdout);  // what was printed before stands before
  teller_ = std::jthread([this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(150))) show();
  });
}

StatusLine::~StatusLine() {
  teller_.request_stop();
  teller_.join();
  if (on_terminal_) fmt::print(stderr, "\r\x1b[K");
}

void StatusLine::set(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void StatusLine::show() {
  const std::lock_guard lock(mutex_);
  if (text_.empty()) return;
  if (on_terminal_)
    fmt::print(stderr, "\r\x1b[K{}", text_);
  else if (times_.is_due(seconds()))
    fmt::print(stderr, "{:>5.0f} s  {}\n", seconds(), text_);
  std::fflush(stderr);
}

double StatusLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

}  // namespace darboux::cli

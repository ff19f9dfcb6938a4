#include "interrupt.hpp"

#include <csignal>

namespace darboux::cli {

namespace {

std::atomic<bool> came{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so that the signal handler may set it

extern "C" void on_signal(int signal) {
  came = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupted() noexcept { return came; }

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error as others are
}

}  // namespace darboux::cli

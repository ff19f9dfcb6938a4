#include "line_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <darboux/core/error.hpp>

#include "interrupt.hpp"

namespace darboux::cli {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

}  // namespace

LineLog::LineLog(const std::string& file)
    : descriptor_(file == "-" ? STDOUT_FILENO : ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw InputError(fmt::format("log = {}: cannot be written: {}", file, std::strerror(errno)));
}

LineLog::~LineLog() {
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

void LineLog::add(std::string_view line) {
  // A pipe that has room at all has room for PIPE_BUF bytes.
  for (constexpr std::size_t most = PIPE_BUF; !line.empty() && !is_given_up_;) {
    if (!wait_for_room()) {
      failure_ = "nobody reads it";
      is_given_up_ = true;
      return;
    }
    const ssize_t written = ::write(descriptor_, line.data(), std::min(line.size(), most));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (failure_.empty()) failure_ = std::strerror(errno);
      return;
    }
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool LineLog::wait_for_room() {
  while (true) {
    pollfd state{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    if (::poll(&state, 1, 50) > 0) return true;  // or something is wrong, which writing tells
    if (!is_ending_ && !interrupted()) continue;
    if (!waits_since_) waits_since_ = Clock::now();
    if (Clock::now() - *waits_since_ > (interrupted() ? 500ms : 10s)) return false;
  }
}

}  // namespace darboux::cli

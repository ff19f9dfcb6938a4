#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

/// Loaded before all other libraries: a wall clock that somebody sets back by an hour, again and again. Others go on as they are.
namespace {
std::atomic<time_t> set_back{0};
}

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME) now->tv_sec -= set_back += 3600;
  return status;
}

extern "C" time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

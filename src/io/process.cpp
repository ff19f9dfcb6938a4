#include "io/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "darboux/core/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves the declaration to us

namespace darboux {

namespace {

constexpr int poll_milliseconds = 200;

/// The reading and the writing end of a pipe, closed at the end.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_writing();
    ::close(reading());
  }
  [[nodiscard]] int reading() const noexcept { return ends_[0]; }
  [[nodiscard]] int writing() const noexcept { return ends_[1]; }
  void close_writing() noexcept {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

pid_t start(const std::vector<std::string>& words, const Pipe& pipe) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // as exec wants it
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.writing(), STDERR_FILENO);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(failure)));
  return child;
}

/// A program that was started. Where nobody waits for its end, as when an exception passes, it is ended.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    (void)wait();
  }
  /// Its state, as waitpid gives it.
  int wait() noexcept {
    int state = 0;
    while (::waitpid(id_, &state, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return state;
  }

 private:
  pid_t id_;
};

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& program_and_arguments,
                       const std::function<void(double seconds)>& waiting) {
  Pipe pipe;
  const auto begin = std::chrono::steady_clock::now();
  Child child(start(program_and_arguments, pipe));
  pipe.close_writing();  // so that reading ends when the program does
  ProgramEnd end;
  std::array<char, 4096> buffer{};
  while (true) {
    pollfd readable{.fd = pipe.reading(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, poll_milliseconds);
    if (ready > 0) {
      const ssize_t count = ::read(pipe.reading(), buffer.data(), buffer.size());
      if (count == 0 || (count < 0 && errno != EINTR)) break;
      if (count > 0) end.output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (waiting) waiting(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  const int state = child.wait();
  end.status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
  return end;
}

}  // namespace darboux

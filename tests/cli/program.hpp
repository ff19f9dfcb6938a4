#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "draws/temporary_folder.hpp"
#include "io/file.hpp"

namespace darboux::testing {

struct Outcome {
  int status = -1;  ///< exit status; -1 if a signal ended it
  std::string out;
  std::string err;
};

/// A test that runs the program, whose path the build passes, in a folder of its own.
class WithProgram : public WithFolder {
 protected:
  /// Arguments as for a shell, which may do something `before`.
  [[nodiscard]] Outcome run(const std::string& arguments, const std::string& before = "") const {
    return outcome(std::system(command(arguments, before).c_str()));
  }

  /// With standard streams as a shell would redirect them; of what is printed only `err` is read, from the file .err if there is one.
  [[nodiscard]] Outcome run_with_streams(const std::string& arguments, const std::string& streams) const {
    std::filesystem::remove(path(".err"));
    const std::string shell =
        "cd '" + folder_.string() + "' && '" DARBOUX_PROGRAM_FILE "' " + arguments + " " + streams;
    const int status = std::system(shell.c_str());
    const bool has_messages = std::filesystem::exists(path(".err"));
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = "",
            .err = has_messages ? read_text(path(".err")) : ""};
  }

  /// Of a Stan CSV file, with the names of columns: all but its comments, which speak of times and folders.
  [[nodiscard]] std::string rows(const std::string& file) const {
    std::istringstream lines(read_text(path(file)));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("#")) out += line + "\n";
    return out;
  }

  /// Starts the program and does not wait for it. What a shell does `before` ends with exec, so that the process is the program's.
  [[nodiscard]] pid_t start(const std::string& arguments, const std::string& before = "exec ") const {
    const std::string shell = command(arguments, before);
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/sh", "sh", "-c", shell.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    return child;
  }
  [[nodiscard]] Outcome wait(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return outcome(status);
  }

  /// The same on a terminal of so many columns; `err` stays empty.
  [[nodiscard]] Outcome run_on_terminal(const std::string& arguments, unsigned short columns) const {
    const int ours = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (ours < 0 || ::grantpt(ours) != 0 || ::unlockpt(ours) != 0) return {};
    const int theirs = ::open(::ptsname(ours), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 50, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(theirs, TIOCSWINSZ, &size);
    const std::string command =
        "cd '" + folder_.string() + "' && TERM=xterm NO_COLOR= '" DARBOUX_PROGRAM_FILE "' " + arguments;
    const pid_t child = ::fork();
    if (child == 0) {
      for (const int stream : {0, 1, 2}) ::dup2(theirs, stream);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(theirs);
    Outcome outcome;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::read(ours, some.data(), some.size())) > 0;)
      outcome.out.append(some.data(), static_cast<std::size_t>(got));
    ::close(ours);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
    std::erase(outcome.out, '\r');
    return outcome;
  }

 private:
  [[nodiscard]] std::string command(const std::string& arguments, const std::string& before) const {
    return "cd '" + folder_.string() + "' && " + before + "'" DARBOUX_PROGRAM_FILE "' " + arguments +
           " > .out 2> .err < /dev/null";
  }
  [[nodiscard]] Outcome outcome(int status) const {
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = read_text(path(".out")),
            .err = read_text(path(".err"))};
  }
};

}  // namespace darboux::testing

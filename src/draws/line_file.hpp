#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "draws/flush_policy.hpp"

namespace darboux {

/// A text file that grows by whole lines. Only whole lines are handed to the system, so that a process that dies leaves
/// whole lines and at most part of one. Every failure throws Error with the file and the reason, cuts a line that got
/// written in part, and closes the file for good.
class LineFile {
 public:
  /// Creates the file. An existing one is an error, unless it is a device or a pipe.
  LineFile(std::filesystem::path file, const FlushPolicy& policy);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();  ///< writes what is left, if it can

  /// Where lines are built: append to it, then say that the line, which ends in \n, is complete.
  [[nodiscard]] std::string& pending() noexcept { return pending_; }
  /// Returns whether that was the moment to flush.
  bool end_line();

  void flush();
  /// Replaces bytes written earlier by as many others.
  void overwrite(std::int64_t offset, std::string_view text);
  /// Flushes to the disk itself and closes; nothing can be added afterwards.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// How long the file is with what is pending.
  [[nodiscard]] std::int64_t size() const noexcept { return written_ + static_cast<std::int64_t>(pending_.size()); }

 private:
  void require_open() const;
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  FlushPolicy policy_;
  int fd_ = -1;
  std::string pending_;
  std::int64_t written_ = 0;
  std::int64_t lines_ = 0;  // pending
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace darboux

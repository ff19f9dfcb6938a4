#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "draws/flush_policy.hpp"

namespace darboux {

/// How far a file had got: the length and the checksum of what follows its head.
struct FileMark {
  std::int64_t size = 0;
  std::uint32_t checksum = 0;

  template <class Archive>
  void archive(Archive& fields) {
    fields(size, checksum);
  }
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

/// A text file that grows by whole lines, after a head that may be replaced. Only whole lines are handed to the system, so that a process that dies leaves
/// whole lines and at most part of one. Every failure throws Error with the file and the reason, cuts a line that got
/// written in part, and closes the file for good.
class LineFile {
 public:
  /// Creates the file, with its head. An existing one is an error, unless it is a device or a pipe.
  LineFile(std::filesystem::path file, std::string head, const FlushPolicy& policy);
  /// Goes on with an existing one where the mark says, with what may be another head. `find_mark` tells whether that is possible.
  LineFile(std::filesystem::path file, std::string_view head, const FlushPolicy& policy, const FileMark& mark);
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
  /// Where it is, with what is pending.
  [[nodiscard]] FileMark mark() const;

 private:
  void require_open() const;
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  FlushPolicy policy_;
  int fd_ = -1;
  std::string pending_;
  std::int64_t written_ = 0;
  std::int64_t head_ = 0;       // bytes
  std::uint32_t checksum_ = 0;  // of what is written after the head
  std::int64_t lines_ = 0;      // pending
  std::chrono::steady_clock::time_point last_flush_;
};

/// Where a mark is in a file whose head consists of lines that begin with # and one that does not: how long the head is. Throws
/// Error, saying what is wrong, where the file has been cut before the mark or is not what it was there.
[[nodiscard]] std::int64_t find_mark(const std::filesystem::path& file, const FileMark& mark);

}  // namespace darboux
